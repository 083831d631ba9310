import { monotonicMs } from '../../base/clock.ts';
import type { BusSignal } from './bus/busConnection.ts';
import type { Widget } from './atspi/widget.ts';

/** What an input makes a widget write comes this soon after it. */
export const SOON_MS = 500;
/** A widget that writes for longer does so by itself. */
const BURST_MS = 400;
const written: ReadonlySet<string> = new Set(['TextChanged', 'PropertyChange']);

/**
 * What widgets say that they wrote since something was done. A program that writes a text again that is as it was shows no
 * change, and still did what was wanted: the key "×" of a calculator.
 */
export class Writings {
  /** By sender and path: the first and the last time, by monotonicMs. */
  readonly #times = new Map<string, { readonly first: number; readonly last: number }>();
  #isActivated = false;
  #soonUntil = Infinity;

  hear({ sender, path, member }: BusSignal): void {
    if (member === 'Activate') this.#isActivated = true;
    if (!written.has(member)) return;
    const [key, now] = [`${sender}${path}`, monotonicMs()];
    this.#times.set(key, { first: this.#times.get(key)?.first ?? now, last: now });
  }

  /** Forgets what was heard: something is done next. */
  begin(): void {
    this.#times.clear();
    this.#isActivated = false;
    this.#soonUntil = Infinity;
  }

  /** The program took the input. */
  done(): void {
    this.#soonUntil = monotonicMs() + SOON_MS;
  }

  /** Whether a widget wrote soon after the input. None did for it where a window came to the front meanwhile. */
  holds({ reference }: Widget): boolean {
    const first = this.#times.get(`${reference.bus}${reference.path}`)?.first ?? Infinity;
    return first <= this.#soonUntil && first < Infinity && !this.#isActivated;
  }

  /** Whether a widget wrote once, or keeps writing. */
  goesOn({ reference }: Widget): boolean {
    const times = this.#times.get(`${reference.bus}${reference.path}`);
    return times !== undefined && times.last - times.first >= BURST_MS;
  }
}
