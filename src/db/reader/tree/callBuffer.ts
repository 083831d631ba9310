/** Calls by their numbers in a forest, with their durations; -1 = not known. */
export interface CallList {
  readonly calls: Int32Array;
  readonly durations: Float64Array;
}

/** A growing list of calls. */
export class CallBuffer {
  #calls = new Int32Array(2);
  #durations = new Float64Array(2);
  #length = 0;

  add(call: number, duration: number): void {
    if (this.#length === this.#calls.length) {
      const calls = new Int32Array(this.#length * 2);
      calls.set(this.#calls);
      this.#calls = calls;
      const durations = new Float64Array(this.#length * 2);
      durations.set(this.#durations);
      this.#durations = durations;
    }
    this.#calls[this.#length] = call;
    this.#durations[this.#length++] = duration;
  }

  /** The calls so far. */
  list(): CallList {
    const length = this.#length;
    return {
      calls: this.#calls.subarray(0, length),
      durations: this.#durations.subarray(0, length),
    };
  }

  /** Leaves only those that pass. */
  keep(passes: (call: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      const call = this.#calls[i] ?? 0;
      if (!passes(call)) continue;
      this.#calls[kept] = call;
      this.#durations[kept++] = this.#durations[i] ?? -1;
    }
    this.#length = kept;
  }
}
