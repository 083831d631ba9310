import { hexadecimal } from '../../../model/decoding/scalars.ts';

/** Where the pointer lies in its capture: behind the value's header and its first piece's (native/engine/walk.c). */
const pointerAt = 24;

/** Whether pointers of the calls of one line all point to the same place. */
export class Targets {
  #low = 0;
  #high = 0;
  #areSeveral = false;
  #isEmpty = true;

  /** The pointer captured in the value at words[at], in bytes; `end`: of the call's capture. */
  add(words: Uint32Array, at: number, end: number): void {
    if (at + pointerAt + 8 > end) {
      this.#areSeveral = true;
      return;
    }
    const low = words[(at + pointerAt) >>> 2] ?? 0;
    const high = words[((at + pointerAt) >>> 2) + 1] ?? 0;
    if (this.#isEmpty) {
      this.#low = low;
      this.#high = high;
      this.#isEmpty = false;
    } else if (low !== this.#low || high !== this.#high) this.#areSeveral = true;
  }

  /** The one address, as text; undefined when there are several, or one that is not known. */
  get only(): string | undefined {
    if (this.#areSeveral || this.#isEmpty) return undefined;
    return hexadecimal((BigInt(this.#high) << 32n) | BigInt(this.#low));
  }
}
