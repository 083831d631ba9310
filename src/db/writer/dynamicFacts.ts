import { immediateTag, itemTag } from '../../model/values/dynamicValue.ts';
import { returnClass } from '../blockFormat.ts';

/** The length that stands for strings that are not told one by one. */
export const notListed = -1;

const empty = new Set<number>([
  immediateTag.none,
  immediateTag.undefined,
  immediateTag.false,
  immediateTag.emptyText,
  immediateTag.emptyBytes,
  immediateTag.emptyList,
  immediateTag.emptyTuple,
  immediateTag.emptyMap,
  immediateTag.emptySet,
]);

/** Bytes from the item's to the one that holds its sign. */
const signAt = new Map<number, number>([
  [itemTag.i8, 1],
  [itemTag.i16, 2],
  [itemTag.i32, 4],
  [itemTag.i64, 8],
  [itemTag.float, 8],
]);

/** What a value that describes itself is at a glance (`returnClass`). */
export function classOfDynamic(bytes: Uint8Array, from: number, to: number): number {
  if (u32(bytes, from) === 0) {
    const high = u32(bytes, from + 4);
    const tag = (high >>> 3) & 31;
    if (empty.has(tag)) return returnClass.zero;
    if (tag !== immediateTag.integer) return returnClass.plain;
    const number = (high | 0) >> 8;
    return number === 0 ? returnClass.zero : number < 0 ? returnClass.negative : returnClass.plain;
  }
  const item = from + 8;
  if (item >= to) return returnClass.plain;
  const tag = bytes[item] ?? 0;
  if (tag === itemTag.integer)
    return bytes[item + 1] === 0 ? returnClass.plain : returnClass.negative;
  const sign = signAt.get(tag);
  if (sign === undefined || item + sign >= to) return returnClass.plain;
  if (bytes.subarray(item + 1, item + sign).every((byte) => byte === 0)) {
    const last = bytes[item + sign] ?? 0;
    // -0.0 is nothing, too.
    if (last === 0 || (tag === itemTag.float && last === 128)) return returnClass.zero;
  }
  return (bytes[item + sign] ?? 0) >= 128 ? returnClass.negative : returnClass.plain;
}

const withoutText = new Set<number>([
  itemTag.none,
  itemTag.true,
  itemTag.false,
  itemTag.undefined,
  itemTag.unset,
  itemTag.i8,
  itemTag.i16,
  itemTag.i32,
  itemTag.i64,
  itemTag.integer,
  itemTag.float,
]);

/**
 * Calls `found` for the text that a value is, as far as its bytes are those of UTF-8; of one that may hold text, which is
 * not known before it is decoded, once with `notListed`.
 */
export function eachDynamicText(
  bytes: Uint8Array,
  at: number,
  to: number,
  found: (from: number, length: number) => void,
): void {
  const length = u32(bytes, at);
  const end = Math.min(to, at + 8 + length);
  if (length === 0 || at + 8 >= end) return;
  const tag = bytes[at + 8] ?? 0;
  if (withoutText.has(tag)) return;
  if (tag === itemTag.text1) {
    const units = numberAt(bytes, at + 9, end);
    const held = numberAt(bytes, units.next, end);
    const isAscii = bytes.subarray(held.next, held.next + held.value).every((byte) => byte < 128);
    if (isAscii && held.value > 0 && held.next + held.value <= end) {
      found(held.next, held.value);
      return;
    }
  }
  found(at, notListed);
}

/** LEB128; what has no end, or is beyond any length, counts as too long. */
function numberAt(bytes: Uint8Array, at: number, end: number): { value: number; next: number } {
  let value = 0;
  for (let i = 0; i < 5 && at + i < end; i++) {
    const byte = bytes[at + i] ?? 0;
    value += (byte & 127) * 128 ** i;
    if (byte < 128) return { value, next: at + i + 1 };
  }
  return { value: Infinity, next: end };
}

export function u32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)) >>>
    0
  );
}
