import type { DefinedNames } from '../../../model/decoding/dynamic.ts';
import { stringFlags } from '../../../model/eventColumns.ts';
import type { ValueFilter } from '../../../model/questions/query.ts';
import { hasOwnLength, type ValueType } from '../../../model/values/valueType.ts';
import { hashBytes, hashNumber, reading, readingOf } from '../../capturedNumbers.ts';
import { decodeValue } from '../values/capturedValues.ts';
import { dynamicTestOf } from './dynamicTest.ts';
import { valueAt } from './valuePath.ts';
import { fits, parse, type Literal, type Wanted } from './wantedValue.ts';

/**
 * Tests a captured value: `test` the one at bytes[at, end); the other members say the same of
 * values as they lie in a block, where that can be told without decoding them.
 */
export type ValueTest = NumberTest | TextTest | PartTest | AnyTest;

export interface AnyTest {
  readonly kind: 'any';
  test(bytes: Buffer, at: number, end: number): boolean;
}

/** Passes what is in [low, high] when read as `how` (capturedNumbers.ts). */
export interface NumberTest extends Omit<AnyTest, 'kind'> {
  readonly kind: 'number';
  readonly how: number;
  readonly low: number;
  readonly high: number;
  /** Of the only number that passes; null when there are several. */
  readonly hash: number | null;
}

/** Passes strings of exactly these bytes, null strings, or all strings but null. */
export interface TextTest extends Omit<AnyTest, 'kind'> {
  readonly kind: 'text';
  readonly bytes: Uint8Array | null;
  readonly hash: number;
  readonly nullHash: number;
  readonly takesNull: boolean;
  readonly takesAny: boolean;
}

/** Passes nothing but readable strings that hold this part, whatever the case. */
export interface PartTest extends Omit<AnyTest, 'kind'> {
  readonly kind: 'part';
  readonly part: string;
}

/** What the values that are looked at refer to: those of the block in work. */
export interface NamesInUse {
  names: DefinedNames;
}

/**
 * Of what lies at `path` (valuePath.ts) in a value of the type. Throws BAD_PARAMETER when a bound is not
 * a number.
 */
export function valueTest(
  subject: string,
  filter: ValueFilter,
  type: ValueType,
  inUse: NamesInUse,
  path: readonly string[] = [],
): ValueTest {
  const wanted = parse(subject, filter);
  const test = (bytes: Buffer, at: number, end: number): boolean => {
    const found = valueAt(decodeValue(type, bytes, at, end, inUse.names).value, path);
    return found !== null && fits(found, wanted);
  };
  if (path.length > 0) return { kind: 'any', test };
  if (type.kind === 'tree') return { kind: 'any', test: addressTestOf(wanted, type, test) ?? test };
  if (type.kind === 'dynamic') return { kind: 'any', test: dynamicTestOf(wanted, test) };
  if (type.kind === 'cstring' && !type.filled && !type.socketAddress)
    return textTestOf(wanted, test) ?? { kind: 'any', test };
  if (hasOwnLength(type)) return { kind: 'any', test };
  return numberTestOf(wanted, type, test) ?? { kind: 'any', test };
}

/** Of a pointer with what it leads to: the lengths before it, then its first piece (native/engine/walk.c). */
const pointerPiece = { address: 24, end: 32 } as const;

/** Reads the address alone, where that decides; null where it does not. */
function addressTestOf(
  { filter, equals, lt, gt }: Wanted,
  { shapes, root }: Extract<ValueType, { kind: 'tree' }>,
  test: AnyTest['test'],
): AnyTest['test'] | null {
  const shape = shapes[root];
  if (shape?.kind !== 'pointer' || shape.at !== 0) return null;
  if (lt || gt || filter.contains !== undefined) return null;
  const { isNull: wantsNull } = filter;
  const wanted = !equals ? undefined : equals.value === null ? 0n : equals.numeral?.exact;
  if (equals ? wanted === undefined || wanted === null : wantsNull === undefined) return null;
  return (bytes, at, end) => {
    const { unreadable, isNull: nothing } = stringFlags;
    if (at + pointerPiece.end > end || (bytes.readUInt32LE(at + 4) & (unreadable | nothing)) !== 0)
      return test(bytes, at, end);
    const address = bytes.readBigUInt64LE(at + pointerPiece.address);
    if (wanted !== undefined && address !== wanted) return false;
    return wantsNull === undefined || (address === 0n) === wantsNull;
  };
}

const nullHash = hashNumber(0);

function textTestOf(
  { filter, equals, lt, gt }: Wanted,
  test: AnyTest['test'],
): TextTest | PartTest | null {
  const { contains: part, isNull: wantsNull } = filter;
  if (lt || gt) return null;
  if (part !== undefined) return isOnlyInText(part) ? { kind: 'part', part, test } : null;
  const text = { kind: 'text', bytes: null, hash: 0, nullHash, test } as const;
  if (wantsNull !== undefined) {
    return equals ? null : { ...text, takesNull: wantsNull, takesAny: !wantsNull };
  }
  if (!equals || typeof equals.value === 'boolean') return null;
  if (equals.value === null) return { ...text, takesNull: true, takesAny: false };
  const literal = String(equals.value);
  const bytes = Buffer.from(literal);
  // Bytes that are not UTF-8 read as this character, so they would have to be decoded.
  if (literal.includes('\ufffd') || bytes.toString() !== literal) return null;
  const hash = hashBytes(bytes, 0, bytes.length);
  return { ...text, bytes, hash, takesNull: equals.numeral?.number === 0, takesAny: false };
}

/** Whether no null string and no address of an unreadable one shows this part. */
function isOnlyInText(part: string): boolean {
  const lower = part.toLowerCase();
  return !/^[\da-fx]*$/.test(lower) && !'nullptr'.includes(lower) && !'pointer'.includes(lower);
}

/** Null when a comparison of numbers would not say the same as one of decoded values. */
function numberTestOf(
  { filter, equals, lt, gt }: Wanted,
  type: ValueType,
  test: AnyTest['test'],
): NumberTest | null {
  const how = readingOf(type);
  if (how === reading.none || filter.contains !== undefined) return null;
  if (type.kind === 'bool' && (lt || gt)) return null;
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  if (filter.isNull !== undefined) {
    if (type.kind !== 'pointer') return null;
    if (filter.isNull) high = 0;
    else low = 1;
  }
  const bounds = [
    equals ? literalNumber(equals, type) : undefined,
    lt ? comparable(lt.number, type) : undefined,
    gt ? comparable(gt.number, type) : undefined,
  ] as const;
  if (bounds.includes(null)) return null;
  const [only, below, above] = bounds;
  if (typeof only === 'number') {
    low = Math.max(low, only);
    high = Math.min(high, only);
  }
  if (typeof below === 'number') high = Math.min(high, neighbour(below, -1));
  if (typeof above === 'number') low = Math.max(low, neighbour(above, 1));
  return { kind: 'number', how, low, high, hash: low === high ? hashNumber(low) : null, test };
}

/** The only number a literal equals; null when there is none, more than one, or none for sure. */
function literalNumber({ value, numeral }: Literal, type: ValueType): number | null {
  if (value === null) return type.kind === 'pointer' ? 0 : null;
  if (type.kind === 'bool') {
    if (value === true || value === 'true') return 1;
    if (value === false || value === 'false') return 0;
  } else if (typeof value === 'boolean') return null;
  if (typeof value === 'string') {
    const named = numberNamed(value, type);
    if (named !== undefined) return numeral ? null : named;
  }
  return numeral && comparable(numeral.number, type);
}

/**
 * The number of an enumerator or a character; null when several would have to be looked at,
 * undefined when the text names none.
 */
function numberNamed(text: string, type: ValueType): number | null | undefined {
  if (type.kind === 'enum') {
    const [only, ...others] = type.members.filter(([, name]) => name === text);
    if (!only) return undefined;
    // Of several names for one value the first is shown.
    const isShown = type.members.find(([value]) => value === only[0]) === only;
    return isShown && others.length === 0 ? comparable(Number(only[0]), type) : null;
  }
  if (type.kind !== 'char') return undefined;
  const [first, ...rest] = text;
  if (first === undefined || rest.length > 0) return undefined;
  const code = first.codePointAt(0) ?? 0;
  return code > 0 && code < 0x10ffff ? code : null;
}

/** A bound as captured values of the type compare with it; null beyond what is exact. */
function comparable(number: number, type: ValueType): number | null {
  if (type.kind === 'float') {
    const rounded = type.bytes === 4 ? Math.fround(number) : number;
    return Number.isFinite(rounded) ? rounded : null;
  }
  return Math.abs(number) < Number.MAX_SAFE_INTEGER ? number : null;
}

/** The next float64 in a direction. */
function neighbour(number: number, direction: 1 | -1): number {
  if (number === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  const step = number > 0 === direction > 0 ? 1n : -1n;
  view.setBigInt64(0, view.getBigInt64(0) + step);
  return view.getFloat64(0);
}
