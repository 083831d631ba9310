/** The last things of a list; older ones are dropped, and counted. */
export class LastOf<Item> {
  dropped = 0;
  readonly #most: number;
  readonly #all: Item[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get all(): readonly Item[] {
    return this.#all;
  }

  add(item: Item): void {
    this.#all.push(item);
    if (this.#all.length <= this.#most) return;
    this.#all.shift();
    this.dropped++;
  }
}
