import type { Value } from '../questions/query.ts';
import { isBinary } from './binaryValues.ts';

/** Where a text was found. */
interface Source {
  /** Its bytes where all were not read. */
  readonly total?: number;
  readonly isUntilNul?: true;
  /** The array it begins. */
  readonly array?: Buffer;
}

/** Text of whole characters: UTF-8 of units of one byte, UTF-16 of two, UTF-32 of four. */
export function characters(
  bytes: Buffer,
  unit: number,
  truncated: boolean,
  source: Source = {},
): Value {
  if (unit === 1) return utf8(bytes, truncated, source);
  if (unit === 2) {
    const text = bytes.subarray(0, bytes.length & ~1).toString('utf16le');
    return { kind: 'string', text, truncated };
  }
  let text = '';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = bytes.readUInt32LE(at);
    text += String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
  }
  return { kind: 'string', text, truncated };
}

/** Characters without a letter that a text may have; of an array what is behind a NUL would not be shown. */
const mostEscapes = 8;

function utf8(bytes: Buffer, truncated: boolean, { array, total, isUntilNul }: Source): Value {
  const text = bytes.toString('utf8');
  if (!isBinary(text, truncated, array ? 1 : mostEscapes)) {
    // In an array it may end before the array does.
    const known = truncated && total !== undefined && array === undefined ? { total } : {};
    const isWhole = !text.includes('\ufffd') || Buffer.from(text).equals(bytes);
    return {
      kind: 'string',
      text,
      truncated,
      ...known,
      ...(isWhole ? {} : { hex: bytes.toString('hex') }),
    };
  }
  const all = array ?? bytes;
  const binary = {
    hex: all.toString('hex'),
    total: total ?? (truncated ? null : all.length),
    ...(isUntilNul ? { isUntilNul } : {}),
  };
  return { kind: 'string', text, truncated, binary };
}

/** What comes before the first NUL of `unit` bytes; all of it when there is none. */
export function upToNul(bytes: Buffer, unit: number): Buffer {
  if (unit === 1) {
    const end = bytes.indexOf(0);
    return end < 0 ? bytes : bytes.subarray(0, end);
  }
  for (let end = 0; end + unit <= bytes.length; end += unit)
    if (bytes.subarray(end, end + unit).every((byte) => byte === 0)) return bytes.subarray(0, end);
  return bytes;
}

/** Bits as digits, the highest first. */
export function bitText(count: number, bytes: Buffer): Value {
  let text = '';
  for (let i = count - 1; i >= 0; i--) text += ((bytes[i >> 3] ?? 0) >> (i & 7)) & 1;
  return { kind: 'string', text, truncated: false };
}

/** Text in an array of `size` bytes: up to a NUL, or all of it. */
export function arrayText(
  { count, isWhole }: { readonly count: number; readonly isWhole?: true },
  size: number,
  bytes: Buffer,
): Value {
  const total = count * size;
  const there = bytes.subarray(0, total);
  const text = isWhole ? there : upToNul(there, size);
  const isCut = text.length === there.length && there.length < total;
  return characters(text, size, isCut, isWhole ? { total } : { array: there, total });
}
