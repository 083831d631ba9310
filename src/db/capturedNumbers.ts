import type { ValueType } from '../model/values/valueType.ts';

/** How a captured word is read as a number. `text`, `list`: a header with a length; `none`: no value. */
export const reading = {
  none: 0,
  text: 1,
  bool: 2,
  i8: 3,
  u8: 4,
  i16: 5,
  u16: 6,
  i32: 7,
  u32: 8,
  i64: 9,
  u64: 10,
  f32: 11,
  f64: 12,
  list: 13,
} as const;

const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);
const single = new Float32Array(1);
const singleWord = new Uint32Array(single.buffer);

export function readingOf(type: ValueType): number {
  switch (type.kind) {
    case 'int':
    case 'char':
    case 'enum':
      return integerReading(type.bytes, type.signed);
    case 'bool':
      return reading.bool;
    case 'float':
      return type.bytes === 4 ? reading.f32 : reading.f64;
    case 'pointer':
    case 'unknown':
      return reading.u64;
    case 'cstring':
      return reading.text;
    case 'list':
    case 'tree':
    case 'dynamic':
      return reading.list;
    case 'void':
    case 'opaque':
      return reading.none;
  }
}

function integerReading(bytes: number, signed: boolean): number {
  switch (bytes) {
    case 1:
      return signed ? reading.i8 : reading.u8;
    case 2:
      return signed ? reading.i16 : reading.u16;
    case 4:
      return signed ? reading.i32 : reading.u32;
    default:
      return signed ? reading.i64 : reading.u64;
  }
}

/** A captured word as a number; a whole number beyond 2^53 is rounded. */
export function wordNumber(how: number, low: number, high: number): number {
  switch (how) {
    case reading.i32:
      return low | 0;
    case reading.u32:
      return low;
    case reading.i64:
      return (high | 0) * 4294967296 + low;
    case reading.u64:
      return high * 4294967296 + low;
    case reading.f64:
      floatWords[0] = low;
      floatWords[1] = high;
      return float[0] ?? 0;
    case reading.f32:
      singleWord[0] = low;
      return single[0] ?? 0;
    case reading.bool:
      return (low & 0xff) === 0 ? 0 : 1;
    case reading.i8:
      return (low << 24) >> 24;
    case reading.u8:
      return low & 0xff;
    case reading.i16:
      return (low << 16) >> 16;
    case reading.u16:
      return low & 0xffff;
    default:
      return 0;
  }
}

/** 32 bits that equal numbers share, -0 and 0 too. */
export function hashNumber(number: number): number {
  float[0] = number + 0;
  const low = Math.imul(floatWords[0] ?? 0, 0x9e3779b1);
  const high = Math.imul(floatWords[1] ?? 0, 0x85ebca77);
  return mixed(low ^ (high >>> 15) ^ high);
}

/** 32 bits of the bytes [from, to). */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return mixed(hash);
}

function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
