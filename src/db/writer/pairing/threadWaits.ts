import type { CallStacks } from './callStacks.ts';
import type { SuspendedCalls } from '../suspendedCalls.ts';

/** Which open calls of one thread wait, and what the file says of them. */
export class ThreadWaits {
  readonly #thread: number;
  readonly #file: SuspendedCalls;
  /** Calls that began or ceased to wait since the last commit; those that the file says wait. */
  readonly #changed = new Map<number, number | null>();
  readonly #written = new Set<number>();
  /** Since when the thread waits; -1: it does not. */
  #toldSince = -1;

  constructor(thread: number, file: SuspendedCalls) {
    this.#thread = thread;
    this.#file = file;
  }

  /** Continues from what the file holds. */
  continue(stacks: CallStacks): void {
    this.#toldSince = stacks.waitsSince;
    for (const ordinal of this.#file.of(this.#thread)) this.#written.add(ordinal);
  }

  /** `since`: null of a call that does not wait any longer. */
  set(ordinal: number, since: number | null): void {
    this.#changed.set(ordinal, since);
  }

  /** All open calls of a thread wait while it does. */
  ofThread(stacks: CallStacks): void {
    const { waitsSince: since } = stacks;
    if (since === this.#toldSince) return;
    const calls = since < 0 ? this.#written : stacks.ordinals();
    for (const ordinal of calls) this.set(ordinal, since < 0 ? null : since);
    this.#toldSince = since;
  }

  /** Without calls before `from`, which were given up. */
  write(from: number): void {
    for (const [ordinal, since] of this.#changed) {
      if (ordinal < from || (since === null && !this.#written.delete(ordinal))) continue;
      this.#file.write(this.#thread, ordinal, since);
      if (since !== null) this.#written.add(ordinal);
    }
    this.#changed.clear();
  }

  /** Calls before this ordinal are given up. */
  removeTo(ordinal: number): void {
    if (this.#written.size > 0) this.#file.removeTo(this.#thread, ordinal);
  }
}
