import type { TracedFunction } from '../../model/eventColumns.ts';
import { hasOwnLength, type ValueType } from '../../model/valueType.ts';
import type { Block } from './blocks.ts';
import { DifferentValues } from './differentValues.ts';
import { decodeReturn, decodeValue } from './values.ts';

/** One parameter's values, or what was returned. */
interface Place {
  readonly name: string;
  readonly type: ValueType;
  /** How many calls had a word, by word, and one that is decoded for all of them. */
  readonly words: Map<number, { times: number; readonly bytes: Buffer; readonly at: number }>;
  readonly others: DifferentValues;
}

/** Compares the values that the calls of one line of a tree had; equal words are decoded once. */
export class LineValues {
  readonly #fn: TracedFunction;
  readonly #arguments: readonly Place[];
  readonly #returned: Place | null;

  constructor(fn: TracedFunction) {
    this.#fn = fn;
    this.#arguments = fn.captured.map(({ name, type }) => placeOf(name, type));
    this.#returned = fn.returns.kind === 'void' ? null : placeOf('return', fn.returns);
  }

  add(block: Block, row: number, hasReturned: boolean): void {
    const { bytes, words, enterAt, returnAt, endAt } = block.captures;
    const enterEnd = returnAt[row] ?? 0;
    let at = enterAt[row] ?? 0;
    for (const place of this.#arguments) {
      const isWord = at + 8 <= enterEnd && addWord(place, bytes, words, at);
      if (isWord) at += 8;
      else {
        const { value, next } = decodeValue(place.type, bytes, at, enterEnd);
        place.others.add(value);
        at = next;
      }
    }
    const returned = this.#returned;
    if (!hasReturned || !returned) return;
    const end = endAt[row] ?? 0;
    if (enterEnd + 8 <= end && addWord(returned, bytes, words, enterEnd)) return;
    returned.others.add(decodeReturn(this.#fn, 'returned', block.returnPayload(row)));
  }

  /** `name=values` of what differs; `isPart`: not all calls were added. */
  varying(isPart: boolean): string[] {
    const varying: string[] = [];
    for (const place of [...this.#arguments, ...(this.#returned ? [this.#returned] : [])]) {
      const { name, type, words, others } = place;
      for (const { times, bytes, at } of words.values()) {
        others.add(decodeValue(type, bytes, at, at + 8).value, times);
      }
      const text = others.text({ isPart, withCounts: place === this.#returned });
      if (text !== null) varying.push(`${name}=${text}`);
    }
    return varying;
  }
}

function placeOf(name: string, type: ValueType): Place {
  return { name, type, words: new Map(), others: new DifferentValues() };
}

/** False when the value is no word, or one that is no exact number. */
function addWord({ type, words: known }: Place, bytes: Buffer, words: Uint32Array, at: number) {
  if (hasOwnLength(type)) return false;
  const high = (words[(at >>> 2) + 1] ?? 0) | 0;
  if (high > 0x1fffff || high < -0x1fffff) return false;
  const key = high * 4294967296 + (words[at >>> 2] ?? 0);
  const same = known.get(key);
  if (same) same.times++;
  else known.set(key, { times: 1, bytes, at });
  return true;
}
