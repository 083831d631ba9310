import { immediateTag, itemTag } from '../../../model/values/dynamicValue.ts';
import type { Literal, Wanted } from './wantedValue.ts';

type Test = (bytes: Buffer, at: number, end: number) => boolean;

/**
 * Tests values that describe themselves where their first bytes decide: numbers that are exact, texts, and values that
 * their tag tells alone. The others are decoded; it always says what `decoded` would.
 */
export function dynamicTestOf(wanted: Wanted, decoded: Test): Test {
  const byTag = new TagAnswers(decoded);
  const number = numberTestOf(wanted);
  const text = textTestOf(wanted);
  return (bytes, at, end) => {
    if (at + 8 > end) return decoded(bytes, at, end);
    const length = bytes.readUInt32LE(at);
    if (length === 0) {
      if (bytes[at + 4] !== immediateTag.integer << 3) return byTag.ofImmediate(bytes, at, end);
      return number ? number(bytes.readInt32LE(at + 4) >> 8) : decoded(bytes, at, end);
    }
    const item = at + 8;
    if (item + length > end) return decoded(bytes, at, end);
    if (length === 1) return byTag.ofItem(bytes, at, end);
    const tag = bytes[item] ?? 0;
    if (tag === itemTag.text1 || tag === itemTag.text2) {
      const passes = text?.(bytes, item, item + length);
      if (passes !== undefined) return passes;
    } else if (number) {
      const value = numberAt(bytes, item, length);
      if (value !== null) return number(value);
    }
    return decoded(bytes, at, end);
  };
}

/** What is known of values that a byte tells: the same ones come again and again. */
class TagAnswers {
  readonly #decoded: Test;
  readonly #immediate = new Int8Array(256).fill(-1);
  readonly #item = new Int8Array(256).fill(-1);

  constructor(decoded: Test) {
    this.#decoded = decoded;
  }

  ofImmediate(bytes: Buffer, at: number, end: number): boolean {
    const low = bytes[at + 4] ?? 0;
    // The bits above it are a number.
    if (low >> 3 === immediateTag.integer) return this.#decoded(bytes, at, end);
    return this.#known(this.#immediate, low, bytes, at, end);
  }

  ofItem(bytes: Buffer, at: number, end: number): boolean {
    return this.#known(this.#item, bytes[at + 8] ?? 0, bytes, at, end);
  }

  #known(answers: Int8Array, byte: number, bytes: Buffer, at: number, end: number): boolean {
    if ((answers[byte] ?? -1) < 0) answers[byte] = this.#decoded(bytes, at, end) ? 1 : 0;
    return answers[byte] === 1;
  }
}

/** The number at an item of so many bytes; null: it is another value, or not exact as a float64. */
function numberAt(bytes: Buffer, item: number, length: number): number | null {
  switch (bytes[item]) {
    case itemTag.i8:
      return length >= 2 ? bytes.readInt8(item + 1) : null;
    case itemTag.i16:
      return length >= 3 ? bytes.readInt16LE(item + 1) : null;
    case itemTag.i32:
      return length >= 5 ? bytes.readInt32LE(item + 1) : null;
    case itemTag.i64: {
      if (length < 9) return null;
      const value = bytes.readInt32LE(item + 5) * 2 ** 32 + bytes.readUInt32LE(item + 1);
      return Number.isSafeInteger(value) ? value : null;
    }
    case itemTag.float:
      return length >= 9 ? bytes.readDoubleLE(item + 1) : null;
    default:
      return null;
  }
}

/** Null: its digits are looked for. */
function numberTestOf({ filter, equals, lt, gt }: Wanted): ((value: number) => boolean) | null {
  if (filter.contains !== undefined) return null;
  if (filter.isNull === true || (equals && !equals.numeral)) return () => false;
  const exactly = equals?.numeral?.number;
  return (value) => {
    // Of infinities and NaN the difference is no number, and nothing holds of that.
    if (exactly !== undefined && value - exactly !== 0) return false;
    if (lt && !(value - lt.number < 0)) return false;
    return !gt || value - gt.number > 0;
  };
}

/** Of a text's item at bytes[item, end); undefined: it has to be decoded. */
type TextTest = (bytes: Buffer, item: number, end: number) => boolean | undefined;

function textTestOf({ filter, equals, lt, gt }: Wanted): TextTest {
  const { contains, isNull } = filter;
  const isText = !equals || !(equals.value === null || typeof equals.value === 'boolean');
  if (lt || gt || isNull === true || !isText) return () => false;
  const whole = equals ? wholeText(equals) : null;
  const part = contains?.toLowerCase();
  return (bytes, item, end) => {
    const isWide = bytes[item] === itemTag.text2;
    const total = behindNumber(bytes, item + 1, end);
    const from = total < 0 ? -1 : behindNumber(bytes, total, end);
    if (from < 0) return undefined;
    let units = 0;
    for (let at = from - 1; at >= total; at--) units = units * 128 + ((bytes[at] ?? 0) & 127);
    const to = from + units * (isWide ? 2 : 1);
    if (to > end) return undefined;
    if (whole && !isAt(isWide ? whole.wide : whole.narrow, bytes, from, to)) return false;
    if (part === undefined) return true;
    const text = bytes.toString(isWide ? 'utf16le' : 'latin1', from, to);
    return text.toLowerCase().includes(part);
  };
}

/** The text a literal equals, as it is captured; `narrow` null: that has characters beyond Latin-1. */
function wholeText({ value }: Literal): {
  readonly wide: Buffer;
  readonly narrow: Buffer | null;
} {
  const text = String(value);
  const narrow = Buffer.from(text, 'latin1');
  const wide = Buffer.from(text, 'utf16le');
  return { wide, narrow: narrow.toString('latin1') === text ? narrow : null };
}

function isAt(wanted: Buffer | null, bytes: Buffer, from: number, to: number): boolean {
  if (wanted?.length !== to - from) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[from + i] !== wanted[i]) return false;
  return true;
}

/** Where what follows a LEB128 number begins; -1: it is longer than that of any text, or cut off. */
function behindNumber(bytes: Buffer, at: number, end: number): number {
  for (let next = at; next < Math.min(end, at + 4);) if ((bytes[next++] ?? 0) < 128) return next;
  return -1;
}
