import { StrobeError } from '../../../model/errors.ts';
import type { Value, ValueFilter } from '../../../model/questions/query.ts';
import { plainText, textsOf } from '../values/capturedValues.ts';

/** A filter's values parsed once. */
export interface Wanted {
  readonly filter: ValueFilter;
  readonly equals: Literal | null;
  readonly lt: Numeral | null;
  readonly gt: Numeral | null;
}

/** A number given by a client: exact when it is a whole number. */
export interface Numeral {
  readonly number: number;
  readonly exact: bigint | null;
}

export interface Literal {
  readonly value: string | number | boolean | null;
  readonly numeral: Numeral | null;
}

/** Tests a decoded value. Throws BAD_PARAMETER when a bound is not a number. */
export function decodedTest(subject: string, filter: ValueFilter): (value: Value) => boolean {
  const wanted = parse(subject, filter);
  return (value) => fits(value, wanted);
}

/** Throws BAD_PARAMETER when a bound is not a number. */
export function parse(subject: string, filter: ValueFilter): Wanted {
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

/** Whether a decoded value passes. */
export function fits(value: Value, wanted: Wanted): boolean {
  if (value.kind === 'void' || value.kind === 'notCaptured' || value.kind === 'redacted')
    return false;
  const { filter, equals, lt, gt } = wanted;
  if (equals && !equalTo(value, equals)) return false;
  if (filter.isNull !== undefined && isNull(value) !== filter.isNull) return false;
  if (filter.contains !== undefined && !contains(value, filter.contains)) return false;
  if (lt && !isBeside(value, lt, -1)) return false;
  return !gt || isBeside(value, gt, 1);
}

function isNull(value: Value): boolean {
  if (value.kind === 'word') return value.isNull === true;
  return value.kind === 'null' || (value.kind === 'pointer' && value.isNull);
}

function contains(value: Value, text: string): boolean {
  const wanted = text.toLowerCase();
  const holds = (one: string): boolean => one.toLowerCase().includes(wanted);
  return (value.kind !== 'string' && holds(plainText(value))) || textsOf(value).some(holds);
}

function equalTo(value: Value, wanted: Literal): boolean {
  const { value: literal, numeral } = wanted;
  if (value.kind === 'variant')
    return value.name === String(literal) || (value.value !== null && equalTo(value.value, wanted));
  if (literal === null) return isNull(value);
  if (typeof literal === 'boolean') return value.kind === 'bool' && value.value === literal;
  switch (value.kind) {
    case 'string':
      return value.text === String(literal);
    case 'bool':
      return String(value.value) === String(literal) || numeral?.number === Number(value.value);
    case 'char':
      if (literal === characterOf(value.code)) return true;
      break;
    case 'enum':
      if (literal === value.name) return true;
      break;
    case 'word':
      return value.text === String(literal);
    case 'null':
      return numeral?.number === 0;
    default:
      break;
  }
  return numeral !== null && compare(value, numeral) === 0;
}

/** What is no code point is data too. */
function characterOf(code: number): string {
  return String.fromCodePoint(Math.min(0x10ffff, Math.max(0, code)));
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
