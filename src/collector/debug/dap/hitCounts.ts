import type { StopCounts } from '../debugger.ts';
import type { WantedProbe } from '../../wantedProbe.ts';

/** Hits of breakpoints, by their ids. */
export class HitCounts {
  readonly #met = new Map<string, number>();
  readonly #missed = new Map<string, number>();

  /** Counts a hit that meets the condition; whether it is one of those that are asked for. */
  isWanted({ id, request: { at, every = 1, after = 0, once = false } }: WantedProbe): boolean {
    const met = (this.#met.get(id) ?? 0) + 1;
    this.#met.set(id, met);
    if (at !== undefined) return met === at;
    const nth = met - after;
    return nth > 0 && nth % every === 0 && !(once && nth > every);
  }

  /** A strand came to it, and the adapter tells nothing of that strand. */
  miss({ id }: WantedProbe): void {
    this.#missed.set(id, (this.#missed.get(id) ?? 0) + 1);
  }

  all(): ReadonlyMap<string, StopCounts> {
    const ids = [...new Set([...this.#met.keys(), ...this.#missed.keys()])];
    return new Map(
      ids.map((id) => {
        const met = this.#met.get(id) ?? 0;
        return [id, { hits: met, met, missed: this.#missed.get(id) ?? 0 }] as const;
      }),
    );
  }
}
