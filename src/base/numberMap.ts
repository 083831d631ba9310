const empty = 0xffff_ffff;

/** Whole numbers below 2^32 - 1 by whole numbers of the same range: a tenth of the memory of a Map. */
export class NumberMap {
  /** Open addressing: key, value; at most half full. */
  #slots = new Uint32Array(1 << 9).fill(empty);
  #count = 0;

  /** -1 when absent. */
  get(key: number): number {
    const at = this.#find(key);
    return this.#slots[at] === key ? (this.#slots[at + 1] ?? -1) : -1;
  }

  set(key: number, value: number): void {
    const at = this.#find(key);
    if (this.#slots[at] === key) this.#slots[at + 1] = value;
    else this.#add(at, key, value);
  }

  /** What is there, or -1 when there was nothing: then it is `value` from now on. */
  getOrSet(key: number, value: number): number {
    const at = this.#find(key);
    if (this.#slots[at] === key) return this.#slots[at + 1] ?? -1;
    this.#add(at, key, value);
    return -1;
  }

  #add(at: number, key: number, value: number): void {
    this.#slots[at] = key;
    this.#slots[at + 1] = value;
    this.#count++;
    if (this.#count * 4 > this.#slots.length) this.#spread();
  }

  /** Where the key lies, or belongs. */
  #find(key: number): number {
    const mask = this.#slots.length - 1;
    let mixed = Math.imul(key, 0x9e37_79b1);
    mixed ^= mixed >>> 15;
    for (let at = (mixed << 1) & mask; ; at = (at + 2) & mask) {
      const found = this.#slots[at];
      if (found === key || found === empty) return at;
    }
  }

  #spread(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2).fill(empty);
    for (let i = 0; i < old.length; i += 2) {
      const key = old[i] ?? empty;
      if (key === empty) continue;
      const at = this.#find(key);
      this.#slots[at] = key;
      this.#slots[at + 1] = old[i + 1] ?? 0;
    }
  }
}
