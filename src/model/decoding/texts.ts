import type { Value } from '../query.ts';

/** Text of whole characters: UTF-8 of units of one byte, UTF-16 of two, UTF-32 of four. */
export function characters(bytes: Buffer, unit: number, truncated: boolean): Value {
  if (unit === 1) return { kind: 'string', text: bytes.toString('utf8'), truncated };
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
