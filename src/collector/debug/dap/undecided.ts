import type { WantedProbe } from '../../wantedProbe.ts';

/** Conditions that cannot be worked out, each with the reason. A breakpoint with such a condition stops once. */
export class Undecided {
  /** By id of the breakpoint. */
  readonly #all = new Map<string, { readonly condition: string; readonly why: string }>();

  set({ id, request: { condition } }: WantedProbe, why: string): void {
    if (condition !== undefined) this.#all.set(id, { condition, why });
  }

  /** Null: its condition is not known to be one that cannot be worked out. */
  why({ id, request }: WantedProbe): string | null {
    const one = this.#all.get(id);
    return one && one.condition === request.condition ? one.why : null;
  }
}
