import { StrobeError } from '../../model/errors.ts';
import type { Value, ValueFilter } from '../../model/query.ts';
import type { ValueType } from '../../model/valueType.ts';
import { decodeValue, plainText } from './values.ts';

/** Tests the value at `bytes[at, end)`. */
export type ValueTest = (bytes: Buffer, at: number, end: number) => boolean;

/** A filter's values parsed once. */
interface Wanted {
  readonly filter: ValueFilter;
  readonly equals: Literal | null;
  readonly lt: Numeral | null;
  readonly gt: Numeral | null;
}

/** A number given by a client: exact when it is a whole number. */
interface Numeral {
  readonly number: number;
  readonly exact: bigint | null;
}

interface Literal {
  readonly value: string | number | boolean | null;
  readonly numeral: Numeral | null;
}

/** Throws BAD_PARAMETER when a bound is not a number. */
export function valueTest(subject: string, filter: ValueFilter, type: ValueType): ValueTest {
  const wanted = parse(subject, filter);
  return fastTest(wanted, type) ?? ((bytes, at, end) => fits(decodeValue(type, bytes, at, end).value, wanted));
}

/** Whether an already decoded value fits. */
export function valueFits(subject: string, filter: ValueFilter): (value: Value) => boolean {
  const wanted = parse(subject, filter);
  return (value) => fits(value, wanted);
}

function parse(subject: string, filter: ValueFilter): Wanted {
  const bound = (name: 'lt' | 'gt'): Numeral | null => {
    const value = filter[name];
    if (value === undefined) return null;
    const numeral = numeralOf(value);
    if (numeral) return numeral;
    throw new StrobeError('BAD_PARAMETER', `${subject}.${name} "${value}" is not a number.`);
  };
  const { equals } = filter;
  return {
    filter,
    equals:
      equals === undefined
        ? null
        : {
            value: equals,
            numeral: typeof equals === 'string' || typeof equals === 'number' ? numeralOf(equals) : null,
          },
    lt: bound('lt'),
    gt: bound('gt'),
  };
}

function numeralOf(value: string | number): Numeral | null {
  if (typeof value === 'number') {
    return { number: value, exact: Number.isInteger(value) ? BigInt(value) : null };
  }
  const text = value.trim();
  if (/^[+-]?(?:\d+|0x[\da-f]+)$/i.test(text)) {
    const digits = text.replace(/^[+-]/, '');
    const exact = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
    return { number: Number(exact), exact };
  }
  const number = Number(text);
  return text !== '' && !Number.isNaN(number) ? { number, exact: null } : null;
}

/** Numbers compared without decoding: full scans over an argument spend their time here. */
function fastTest(wanted: Wanted, type: ValueType): ValueTest | null {
  const { filter, equals, lt, gt } = wanted;
  if (filter.contains !== undefined || filter.isNull !== undefined) return null;
  if (type.kind !== 'int' && type.kind !== 'pointer') return null;
  const numerals = [equals?.numeral, lt, gt].filter((numeral) => numeral !== null && numeral !== undefined);
  if (equals && !equals.numeral) return null;
  // A 64-bit value is compared as float64: exact while the other side is below 2^53.
  if (!numerals.every((numeral) => Math.abs(numeral.number) < Number.MAX_SAFE_INTEGER)) return null;
  const size = type.kind === 'pointer' ? 8 : type.bytes;
  const signed = type.kind === 'int' && type.signed;
  const least = gt?.number ?? Number.NEGATIVE_INFINITY;
  const most = lt?.number ?? Number.POSITIVE_INFINITY;
  const only = equals?.numeral?.number ?? null;
  return (bytes, at, end) => {
    if (at + 8 > end) return false;
    const number = readNumber(bytes, at, size, signed);
    return number > least && number < most && (only === null || number === only);
  };
}

function readNumber(bytes: Buffer, at: number, size: number, signed: boolean): number {
  const low =
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24);
  switch (size) {
    case 1:
      return signed ? (low << 24) >> 24 : low & 0xff;
    case 2:
      return signed ? (low << 16) >> 16 : low & 0xffff;
    case 4:
      return signed ? low : low >>> 0;
    default: {
      const high =
        (bytes[at + 4] ?? 0) |
        ((bytes[at + 5] ?? 0) << 8) |
        ((bytes[at + 6] ?? 0) << 16) |
        ((bytes[at + 7] ?? 0) << 24);
      return (signed ? high : high >>> 0) * 4294967296 + (low >>> 0);
    }
  }
}

function fits(value: Value, wanted: Wanted): boolean {
  if (value.kind === 'void' || value.kind === 'notCaptured') return false;
  const { filter, equals, lt, gt } = wanted;
  if (equals && !equalTo(value, equals)) return false;
  if (filter.isNull !== undefined && isNull(value) !== filter.isNull) return false;
  if (filter.contains !== undefined && !contains(value, filter.contains)) return false;
  if (lt && !isBeside(value, lt, -1)) return false;
  return !gt || isBeside(value, gt, 1);
}

function isNull(value: Value): boolean {
  return value.kind === 'null' || (value.kind === 'pointer' && value.isNull);
}

function contains(value: Value, text: string): boolean {
  const whole = value.kind === 'string' ? value.text : plainText(value);
  return whole.toLowerCase().includes(text.toLowerCase());
}

function equalTo(value: Value, wanted: Literal): boolean {
  const { value: literal, numeral } = wanted;
  if (literal === null) return isNull(value);
  if (typeof literal === 'boolean') return value.kind === 'bool' && value.value === literal;
  switch (value.kind) {
    case 'string':
      return value.text === String(literal);
    case 'bool':
      return String(value.value) === String(literal) || numeral?.number === Number(value.value);
    case 'char':
      if (literal === String.fromCodePoint(Math.max(0, value.code))) return true;
      break;
    case 'enum':
      if (literal === value.name) return true;
      break;
    case 'null':
      return numeral?.number === 0;
    default:
      break;
  }
  return numeral !== null && compare(value, numeral) === 0;
}

function isBeside(value: Value, numeral: Numeral, side: number): boolean {
  const order = compare(value, numeral);
  return order !== null && Math.sign(order) === side;
}

/** Value minus numeral, by sign; null when the value is not a number. */
function compare(value: Value, numeral: Numeral): number | null {
  if (value.kind === 'float') {
    if (Number.isNaN(value.value)) return null;
    return value.value - (value.bytes === 4 ? Math.fround(numeral.number) : numeral.number);
  }
  const exact = exactOf(value);
  if (exact === null) return null;
  if (numeral.exact === null) return Number(exact) - numeral.number;
  return exact === numeral.exact ? 0 : exact < numeral.exact ? -1 : 1;
}

function exactOf(value: Value): bigint | null {
  switch (value.kind) {
    case 'int':
    case 'enum':
      return BigInt(value.text);
    case 'char':
      return BigInt(value.code);
    case 'pointer':
      return BigInt(value.address);
    default:
      return null;
  }
}
