import { StrobeError } from '../../model/errors.ts';
import type { Value, ValueFilter } from '../../model/query.ts';
import type { ValueType } from '../../model/valueType.ts';
import { decodeValue, plainText } from './values.ts';

/** Bytes and a view of them. */
export interface CapturedBytes {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Tests the value at [at, end). */
export type ValueTest = (captured: CapturedBytes, at: number, end: number) => boolean;

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
  const read = numberReader(type);
  if (read && isPlainComparison(wanted)) return fastTest(wanted, read);
  return ({ bytes }, at, end) => fits(decodeValue(type, bytes, at, end).value, wanted);
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
            numeral:
              typeof equals === 'string' || typeof equals === 'number' ? numeralOf(equals) : null,
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

type NumberReader = (view: DataView, at: number) => number;

/** Reads whole numbers; one beyond 2^53 is rounded. Null for other types. */
function numberReader(type: ValueType): NumberReader | null {
  if (type.kind === 'pointer') return unsigned64;
  if (type.kind !== 'int') return null;
  switch (type.bytes) {
    case 1:
      return type.signed ? (view, at) => view.getInt8(at) : (view, at) => view.getUint8(at);
    case 2:
      return type.signed
        ? (view, at) => view.getInt16(at, true)
        : (view, at) => view.getUint16(at, true);
    case 4:
      return type.signed
        ? (view, at) => view.getInt32(at, true)
        : (view, at) => view.getUint32(at, true);
    default:
      return type.signed ? signed64 : unsigned64;
  }
}

function unsigned64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 4294967296 + view.getUint32(at, true);
}

function signed64(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 4294967296 + view.getUint32(at, true);
}

/** Only numbers are wanted, and below 2^53: there a rounded number compares as the exact one. */
function isPlainComparison({ filter, equals, lt, gt }: Wanted): boolean {
  if (filter.contains !== undefined || filter.isNull !== undefined) return false;
  if (equals && !equals.numeral) return false;
  return [equals?.numeral, lt, gt].every(
    (numeral) => !numeral || Math.abs(numeral.number) < Number.MAX_SAFE_INTEGER,
  );
}

/** Without decoding: full scans over an argument spend their time here. */
function fastTest({ equals, lt, gt }: Wanted, read: NumberReader): ValueTest {
  const least = gt?.number ?? Number.NEGATIVE_INFINITY;
  const most = lt?.number ?? Number.POSITIVE_INFINITY;
  const only = equals?.numeral?.number ?? null;
  return ({ view }, at, end) => {
    if (at + 8 > end) return false;
    const number = read(view, at);
    return number > least && number < most && (only === null || number === only);
  };
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
