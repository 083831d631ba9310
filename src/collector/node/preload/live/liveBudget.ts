import { monotonicMs } from '../../../../base/clock.ts';

/** A breakpoint takes tens of microseconds: the number of calls in a time that may be seen. */
const WINDOW_MS = 500;
const MOST_CALLS = 500;

/** What breakpoints may take of the program's time. */
export class LiveBudget {
  #counts = new Map<string, number>();
  #all = 0;
  #since = 0;

  /** Counts a call of a function. Once there were too many in a while, the function that had most of them; else null. */
  take(fn: string): string | null {
    this.#counts.set(fn, (this.#counts.get(fn) ?? 0) + 1);
    if (++this.#all < MOST_CALLS) return null;
    const now = monotonicMs();
    const isTooFast = now - this.#since < WINDOW_MS;
    const [most] = [...this.#counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    this.#counts = new Map();
    this.#all = 0;
    this.#since = now;
    return isTooFast ? most : null;
  }
}
