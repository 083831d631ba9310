import { keyPlaceholder, type Insert } from './rewrittenModule.ts';

/** A module as it is and as it runs. */
export interface RunningText {
  readonly original: string;
  readonly rewritten: string;
  readonly inserts: readonly Insert[];
  /** What stands in it for `keyPlaceholder`. */
  readonly key: string;
}

/** A place of a rewritten text. */
export interface OriginalPlace {
  /** In the original text; of a place in an insert, where that stands. */
  readonly offset: number;
  readonly isInserted: boolean;
}

/** Where characters of a rewritten text were in the original. */
export class InsertedOffsets {
  /** Of each insert: where it stands in the original, and where it begins and ends in the rewritten text. */
  readonly #positions: number[] = [];
  readonly #begins: number[] = [];
  readonly #ends: number[] = [];

  constructor({ inserts, key }: Pick<RunningText, 'inserts' | 'key'>) {
    let moved = 0;
    for (const { position, text } of inserts) {
      this.#positions.push(position);
      this.#begins.push(position + moved);
      moved += text.replaceAll(keyPlaceholder, () => key).length;
      this.#ends.push(position + moved);
    }
  }

  /** Where a character of the original is: behind what was put in front of it. */
  rewritten(offset: number): number {
    const after = this.#positions.findLastIndex((position) => position <= offset);
    return after < 0 ? offset : (this.#ends[after] ?? 0) + offset - (this.#positions[after] ?? 0);
  }

  /** `offset` may be that behind the last character. What begins where an insert does is in it; what ends there is not. */
  original(offset: number, isEnd = false): OriginalPlace {
    let low = 0;
    let high = this.#begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const begin = this.#begins[middle] ?? 0;
      if (begin < offset || (begin === offset && !isEnd)) low = middle + 1;
      else high = middle;
    }
    const position = this.#positions[low - 1];
    const end = this.#ends[low - 1] ?? 0;
    if (position === undefined) return { offset, isInserted: false };
    return offset < end || (isEnd && offset === end)
      ? { offset: position, isInserted: true }
      : { offset: offset - end + position, isInserted: false };
  }
}
