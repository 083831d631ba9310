import { wordNumber } from '../capturedNumbers.ts';
import { returnPlace } from '../valueDigest.ts';
import type { Block, Captures } from './blocks.ts';

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
  return block.numbersAt(group.entry * (returnPlace + 1) + place.index, () =>
    place.areLong.includes(true)
      ? numbersBehind(block, group, place)
      : numbersAtOffset(block, group, place),
  );
}

function numbersAtOffset(
  { captures, posting }: Block,
  { from, to }: Group,
  { index, how, areLong }: NumberPlace,
): Float64Array {
  const { words } = captures;
  const [starts, ends] = bounds(captures, index);
  const offset = areLong.length * 8;
  const column = new Float64Array(to - from);
  for (let i = from; i < to; i++) {
    const row = posting[i] ?? 0;
    const at = (starts[row] ?? 0) + offset;
    const word = at >>> 2;
    column[i - from] =
      at + 8 > (ends[row] ?? 0) ? NaN : wordNumber(how, words[word] ?? 0, words[word + 1] ?? 0);
  }
  return column;
}

function numbersBehind(
  { captures, posting }: Block,
  { from, to }: Group,
  { index, how, areLong }: NumberPlace,
): Float64Array {
  const { words } = captures;
  const [starts, ends] = bounds(captures, index);
  const column = new Float64Array(to - from);
  for (let i = from; i < to; i++) {
    const row = posting[i] ?? 0;
    const end = ends[row] ?? 0;
    let at = starts[row] ?? 0;
    for (let k = 0; k < areLong.length && at + 8 <= end; k++) {
      at += areLong[k] === true ? 8 + (((words[at >>> 2] ?? 0) + 7) & -8) : 8;
    }
    const word = at >>> 2;
    column[i - from] = at + 8 > end ? NaN : wordNumber(how, words[word] ?? 0, words[word + 1] ?? 0);
  }
  return column;
}

function bounds(captures: Captures, index: number): readonly [Uint32Array, Uint32Array] {
  const { enterAt, returnAt, endAt } = captures;
  return index === returnPlace ? [returnAt, endAt] : [enterAt, returnAt];
}
