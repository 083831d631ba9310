/** A number that words in an order have: equal words, equal numbers; others, but for chance, others. */
export class Fingerprint {
  #last = 0x811c9dc5;
  #sum = 0;

  add(word: number): void {
    this.#last = mixed(this.#last, word);
    this.#sum = (this.#sum + this.#last) | 0;
  }

  /** Words [from, to). */
  addAll(words: Uint32Array, from: number, to: number): void {
    let last = this.#last;
    let sum = this.#sum;
    for (let i = from; i < to; i++) {
      last = mixed(last, words[i] ?? 0);
      sum = (sum + last) | 0;
    }
    this.#last = last;
    this.#sum = sum;
  }

  /** Of all that was added: a whole number below 2^53. */
  get number(): number {
    return (this.#last >>> 0) * 0x200000 + ((this.#sum ^ (this.#sum >>> 11)) & 0x1fffff);
  }
}

function mixed(last: number, word: number): number {
  const product = Math.imul(last ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}
