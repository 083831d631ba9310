import { wordNumber } from '../../capturedNumbers.ts';
import type { PackedCaptures, PackedColumns } from '../../packedCaptures.ts';
import { returnPlace } from '../../valueDigest.ts';
import type { Captures } from '../../captures.ts';
import type { Block } from '../block.ts';

/** Where in a function's captures a number lies. */
export interface NumberPlace {
  /** Index among the captured parameters, or `returnPlace`. */
  readonly index: number;
  /** How it is read (capturedNumbers.ts). */
  readonly how: number;
  /** Which of the values before it have a length of their own. */
  readonly areLong: readonly boolean[];
}

/** The calls of one dictionary entry of a block: [from, to) of its postings. */
export interface Group {
  readonly entry: number;
  readonly from: number;
  readonly to: number;
}

/** The numbers at one place of a function's calls, in the order of its postings; NaN where none was captured. */
export function numberColumn(block: Block, group: Group, place: NumberPlace): Float64Array {
  return block.numbersAt(group.entry * (returnPlace + 1) + place.index, () => {
    const { packed } = block;
    if (packed) return numbersPacked(packed, block.posting, group, place);
    return numbersIn(block, group, place);
  });
}

function numbersPacked(
  packed: PackedCaptures,
  posting: Uint16Array,
  { entry, from, to }: Group,
  { index, how, areLong }: NumberPlace,
): Float64Array {
  const numbers = new Float64Array(to - from).fill(NaN);
  for (const columns of index === returnPlace ? packed.returned(entry) : packed.entered(entry)) {
    const { words } = columns;
    const first = areLong.length * 2;
    const isFixed = !areLong.includes(true);
    if (first + 2 > words) continue;
    const low = isFixed ? columns.column(first) : null;
    const high = isFixed ? columns.column(first + 1) : null;
    if (low && high && columns.calls === numbers.length) {
      for (let i = 0; i < low.length; i++) numbers[i] = wordNumber(how, low[i] ?? 0, high[i] ?? 0);
      continue;
    }
    const { rows } = columns;
    let at = from;
    for (let i = 0; i < rows.length; i++) {
      while (posting[at] !== rows[i]) at++;
      if (low && high) {
        numbers[at - from] = wordNumber(how, low[i] ?? 0, high[i] ?? 0);
        continue;
      }
      const word = wordBehind(columns, i, areLong);
      if (word + 2 <= words)
        numbers[at - from] = wordNumber(how, columns.word(word, i), columns.word(word + 1, i));
    }
  }
  return numbers;
}

/** The word at which the value behind others begins. */
function wordBehind(columns: PackedColumns, i: number, areLong: readonly boolean[]): number {
  let word = 0;
  for (let k = 0; k < areLong.length && word + 2 <= columns.words; k++)
    word += areLong[k] === true ? 2 + (((columns.word(word, i) + 7) & -8) >>> 2) : 2;
  return word;
}

function numbersIn(
  { captures, posting }: Block,
  { from, to }: Group,
  { index, how, areLong }: NumberPlace,
): Float64Array {
  const { words } = captures;
  const [starts, ends] = bounds(captures, index);
  const isFixed = !areLong.includes(true);
  const column = new Float64Array(to - from);
  for (let i = from; i < to; i++) {
    const row = posting[i] ?? 0;
    const [start, end] = [starts[row] ?? 0, ends[row] ?? 0];
    const at = isFixed ? start + areLong.length * 8 : placeBehind(words, start, end, areLong);
    const word = at >>> 2;
    column[i - from] = at + 8 > end ? NaN : wordNumber(how, words[word] ?? 0, words[word + 1] ?? 0);
  }
  return column;
}

/** Where the value behind others begins. */
function placeBehind(
  words: Captures['words'],
  start: number,
  end: number,
  areLong: readonly boolean[],
): number {
  let at = start;
  for (let k = 0; k < areLong.length && at + 8 <= end; k++)
    at += areLong[k] === true ? 8 + (((words[at >>> 2] ?? 0) + 7) & -8) : 8;
  return at;
}

function bounds(captures: Captures, index: number): readonly [Uint32Array, Uint32Array] {
  const { enterAt, returnAt, endAt } = captures;
  return index === returnPlace ? [returnAt, endAt] : [enterAt, returnAt];
}
