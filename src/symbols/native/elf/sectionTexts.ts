/** Bytes in which most texts end. */
export const usualText = 1024;
const shortText = 128;
/** No compiler writes a longer name. */
const longestText = 1 << 20;

/**
 * How long the texts of a section are. Where their NULs are lost, the text at each of thousands of offsets reaches over all others:
 * the long ones may together be as long as the section; more, and all behind one that no name can be, are read as empty.
 */
export class LongTexts {
  #left: number;
  readonly #admitted = new Set<number>();

  constructor(sectionSize: number) {
    this.#left = sectionSize;
  }

  /** Whether texts were read as empty. */
  get isDamaged(): boolean {
    return this.#left < 0;
  }

  /** Whether it is worth to look for the end of the text at an offset beyond what is usual. */
  mayBegin(offset: number): boolean {
    return this.#left > 0 || this.#admitted.has(offset);
  }

  admits(offset: number, length: number): boolean {
    if (length <= usualText || this.#admitted.has(offset)) return true;
    this.#left = length > longestText ? -1 : this.#left - length;
    if (this.#left >= 0) this.#admitted.add(offset);
    return this.#left >= 0;
  }
}

/** The NUL-terminated texts of a section that is in memory. */
export class SectionTexts {
  readonly bytes: Uint8Array;
  readonly #long: LongTexts;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#long = new LongTexts(bytes.length);
  }

  get isDamaged(): boolean {
    return this.#long.isDamaged;
  }

  /** The exclusive end of the text at an offset; the offset itself of one that is damaged or lies outside. */
  endOf(offset: number): number {
    const { bytes } = this;
    if (offset >= bytes.length) return offset;
    // Most are short: asking the engine to look takes longer.
    for (let end = offset; end < offset + shortText; end++) if (bytes[end] === 0) return end;
    if (!this.#long.mayBegin(offset)) {
      const length = bytes.subarray(offset, offset + usualText).indexOf(0);
      return offset + Math.max(0, length);
    }
    const found = bytes.indexOf(0, offset);
    const end = found < 0 ? bytes.length : found;
    return this.#long.admits(offset, end - offset) ? end : offset;
  }

  /** Empty of what is damaged or lies outside. */
  at(offset: number): string {
    const { buffer, byteOffset, length } = this.bytes;
    return Buffer.from(buffer, byteOffset, length).toString('utf8', offset, this.endOf(offset));
  }
}
