/**
 * Numbers by hash, by open addressing, at most half full. The owner compares and keeps what they stand for:
 *
 *     for (let slot = slots.first(hash); ; slot = slots.next(slot)) {
 *       const number = slots.at(slot);
 *       if (number < 0) return slots.put(slot, …); // not there yet
 *       if (…is what is looked for) return number;
 *     }
 */
export class HashSlots {
  /** 1 + number; 0: free. */
  #slots = new Uint32Array(1 << 9);
  readonly #hashOf: (number: number) => number;

  /** `hashOf` of a number that was put is asked for again when the table grows. */
  constructor(hashOf: (number: number) => number) {
    this.#hashOf = hashOf;
  }

  first(hash: number): number {
    return hash & (this.#slots.length - 1);
  }

  next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  /** -1 where nothing is. */
  at(slot: number): number {
    return (this.#slots[slot] ?? 0) - 1;
  }

  /** Numbers are put in the order 0, 1, 2, … */
  put(slot: number, number: number): void {
    this.#slots[slot] = number + 1;
    if ((number + 1) * 2 <= this.#slots.length) return;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let again = 0; again <= number; again++) {
      let free = this.first(this.#hashOf(again));
      while (this.at(free) >= 0) free = this.next(free);
      this.#slots[free] = again + 1;
    }
  }
}
