import type { ChoiceShape, Shape } from '../../model/values/shape.ts';
import type { ValueType } from '../../model/values/valueType.ts';

type TreeType = Extract<ValueType, { kind: 'tree' }>;

/** A number of 64 bits without sign in two halves. */
interface Halves {
  readonly high: number;
  readonly low: number;
}

/** How a result says that there is none: by a number that lies so far from its beginning. */
export interface EmptyResult {
  readonly at: number;
  /** 1 to 8 bytes. */
  readonly size: number;
  readonly ranges: readonly { readonly from: Halves; readonly to: Halves }[];
  /** It is any number but these. */
  readonly isOther: boolean;
}

/** Types of which one option stands for no result, and what that is called. */
const choices = /^(?:Option|Result|optional)</;
const empty: ReadonlySet<string> = new Set(['None', 'Err', 'none']);
const null64 = { from: { high: 0, low: 0 }, to: { high: 0, low: 0 } };

/** A null pointer, smart ones too, Rust's None and Err, an empty std::optional; null of a type that has no such value. */
export function emptyResultOf({ shapes, root }: TreeType): EmptyResult | null {
  const { shape, offset } = inner(shapes, root);
  if (shape?.kind === 'pointer')
    return { at: offset + shape.at, size: 8, ranges: [null64], isOther: false };
  return shape?.kind === 'choice' && choices.test(shape.name) ? emptyOption(shape, offset) : null;
}

/** Whether the piece that begins at bytes[from] is such a result; false where that was not captured. */
export function isEmptyResult(
  { at, size, ranges, isOther }: EmptyResult,
  bytes: Uint8Array,
  from: number,
  to: number,
): boolean {
  if (from + at + size > to) return false;
  const low = number(bytes, from + at, Math.min(4, size));
  const high = number(bytes, from + at + 4, size - 4);
  for (const range of ranges) {
    if (isAtMost(range.from, { high, low }) && isAtMost({ high, low }, range.to)) return !isOther;
  }
  return isOther;
}

/** What a shape stands for, and where in it. */
function inner(
  shapes: readonly Shape[],
  root: number,
): { readonly shape: Shape | undefined; readonly offset: number } {
  let shape = shapes[root];
  let offset = 0;
  // Shapes may contain themselves.
  for (let left = shapes.length; shape?.kind === 'inside' && left > 0; left--) {
    offset += shape.offset;
    shape = shapes[shape.shape];
  }
  return { shape, offset };
}

function emptyOption(shape: ChoiceShape, offset: number): EmptyResult | null {
  if (shape.size < 1 || shape.size > 8) return null;
  const isOther = shape.otherwise !== null && empty.has(shape.otherwise.name);
  const named = isOther ? shape.options : shape.options.filter(({ name }) => empty.has(name));
  if (named.length === 0 && !isOther) return null;
  const ranges = named.map(({ low, high }) => ({ from: halves(low), to: halves(high) }));
  return { at: offset + shape.at, size: shape.size, ranges, isOther };
}

function halves(text: string): Halves {
  const value = BigInt.asUintN(64, BigInt(text));
  return { high: Number(value >> 32n), low: Number(value & 0xffff_ffffn) };
}

function number(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}

function isAtMost(one: Halves, other: Halves): boolean {
  return one.high < other.high || (one.high === other.high && one.low <= other.low);
}
