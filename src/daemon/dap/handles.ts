/**
 * Numbers that a client keeps while a thread is stopped. They end with the stop they belong to, and no number
 * comes twice, so a stale one is refused.
 */
export class Handles<Thing> {
  readonly #things = new Map<number, { readonly stop: string; readonly thing: Thing }>();
  #next = 1;

  add(stop: string, thing: Thing): number {
    const number = this.#next++;
    this.#things.set(number, { stop, thing });
    return number;
  }

  /** The stop it belongs to, too. */
  get(number: number): { readonly stop: string; readonly thing: Thing } | null {
    return this.#things.get(number) ?? null;
  }

  /** Forgets what belongs to a stop that was left. */
  drop(stop: string): void {
    for (const [number, one] of this.#things) if (one.stop === stop) this.#things.delete(number);
  }
}
