import { stringFlags, undecidedHit, type TracedFunction } from '../../../model/eventColumns.ts';
import { decodeDynamic, type DefinedNames } from '../../../model/decoding/dynamic.ts';
import { hexPairs, isByte } from '../../../model/decoding/binaryValues.ts';
import { characters } from '../../../model/decoding/textValues.ts';
import { decodeScalar, hexadecimal } from '../../../model/decoding/scalars.ts';
import type { CallEnd, Value } from '../../../model/questions/query.ts';
import type { Filled, ValueType } from '../../../model/values/valueType.ts';
import { partsOf } from '../../../model/values/valueParts.ts';
import { bracketed, circularWords, restWords } from '../../../model/values/valueWords.ts';
import { mostElements } from '../../../model/values/shape.ts';
import { errnoName } from './errnoName.ts';
import { socketAddressText } from './socketAddress.ts';
import { decodeTree } from './valueTrees.ts';

/** A value and where the next one begins. */
interface Decoded {
  readonly value: Value;
  readonly next: number;
}

const missing: Value = { kind: 'notCaptured', reason: 'the record was cut short' };

/** One captured value of `bytes[at, end)` (model/eventColumns.ts); `names`: of its process. Never throws. */
export function decodeValue(
  type: ValueType,
  bytes: Buffer,
  at: number,
  end: number,
  names: DefinedNames,
): Decoded {
  if (at + 8 > end) return { value: missing, next: end };
  if (type.kind === 'cstring') return decodeString(type, bytes, at, end);
  if (type.kind === 'list') return decodeList(type, bytes, at, end);
  if (type.kind === 'tree') return decodeWhole(type, bytes, at, end);
  if (type.kind === 'dynamic') return decodeDynamic(type, names, bytes, at, end);
  return { value: decodeWord(type, bytes, at), next: at + 8 };
}

type Word = Exclude<ValueType, { kind: 'cstring' | 'list' | 'tree' | 'dynamic' }>;

function decodeWord(type: Word, bytes: Buffer, at: number): Value {
  switch (type.kind) {
    case 'void':
      return { kind: 'void' };
    case 'opaque':
      return { kind: 'notCaptured', reason: 'its type is not described', type: type.name };
    case 'unknown':
      return { kind: 'int', text: hexadecimal(bytes.readBigUInt64LE(at)) };
    case 'int':
      return (type.errno ? failure(bytes, at) : null) ?? decodeScalar(type, bytes, at);
    default:
      return decodeScalar(type, bytes, at);
  }
}

/** What precedes a value whose length varies. */
function heldAt(
  bytes: Buffer,
  at: number,
  end: number,
): { readonly length: number; readonly flags: number; readonly next: number } {
  const length = bytes.readUInt32LE(at);
  const next = Math.min(end, at + 8 + Math.ceil(length / 8) * 8);
  return { length, flags: bytes.readUInt32LE(at + 4), next };
}

function decodeWhole(
  type: Extract<ValueType, { kind: 'tree' }>,
  bytes: Buffer,
  at: number,
  end: number,
): Decoded {
  const { flags, next } = heldAt(bytes, at, end);
  if ((flags & stringFlags.isNull) !== 0) return { value: { kind: 'null' }, next };
  return { value: decodeTree(type, bytes, at + 8, next, flags), next };
}

function decodeString(
  { held, filled, socketAddress }: Extract<ValueType, { kind: 'cstring' }>,
  bytes: Buffer,
  at: number,
  end: number,
): Decoded {
  const { length, flags, next } = heldAt(bytes, at, end);
  if ((flags & stringFlags.isNull) !== 0) {
    const isFailure = filled !== undefined && at + 16 <= end;
    return { value: isFailure ? failed(filled, bytes, at + 8) : { kind: 'null' }, next };
  }
  if ((flags & stringFlags.unreadable) !== 0) {
    const address = length >= 8 && at + 16 <= end ? bytes.readBigUInt64LE(at + 8) : null;
    return {
      value: { kind: 'unreadable', address: address === null ? 'pointer' : hexadecimal(address) },
      next,
    };
  }
  const text = bytes.subarray(at + 8, Math.min(end, at + 8 + length));
  const truncated = (flags & stringFlags.truncated) !== 0 || at + 8 + length > end;
  if (filled?.withResult)
    return { value: resultAndFilled(filled, text, socketAddress === true), next };
  if (socketAddress) return { value: { kind: 'word', text: socketAddressText(text) }, next };
  const isUntilNul = !held && !filled;
  const total = flags >>> stringFlags.lengthShift;
  const source = isUntilNul ? { isUntilNul } : truncated && total > 0 ? { total } : {};
  return { value: characters(text, 1, truncated, source), next };
}

function resultAndFilled(filled: Filled, bytes: Buffer, isAddress: boolean): Value {
  const result = bytes.length < 8 ? missing : failed(filled, bytes, 0);
  const held = bytes.subarray(8);
  if (held.length < 2) return result;
  const beside: Value = isAddress
    ? { kind: 'word', text: socketAddressText(held) }
    : held.length === 4
      ? { kind: 'int', text: String(held.readInt32LE()) }
      : characters(held, 1, false, {});
  const fields = [
    { name: 'result', value: result },
    { name: isAddress ? 'address' : 'value', value: beside },
  ];
  return { kind: 'object', object: { fields, left: 0 } };
}

/** The result of a function that filled no buffer. */
function failed({ hasErrno }: Filled, bytes: Buffer, at: number): Value {
  return (
    (hasErrno ? failure(bytes, at) : null) ?? { kind: 'int', text: String(bytes.readInt32LE(at)) }
  );
}

/** A result of -1 by the name of its errno; null of any other. */
function failure(bytes: Buffer, at: number): Value | null {
  const errno = bytes.readUInt32LE(at + 4);
  if (bytes.readInt32LE(at) !== -1 || errno === 0) return null;
  return { kind: 'enum', name: `-1 ${errnoName(errno)}`, text: '-1', type: 'int' };
}

type List = Extract<ValueType, { kind: 'list' }>;

function decodeList(
  { element, held, name }: List,
  bytes: Buffer,
  at: number,
  end: number,
): Decoded {
  const { length, flags, next } = heldAt(bytes, at, end);
  if ((flags & stringFlags.isNull) !== 0) return { value: { kind: 'null' }, next };
  if ((flags & stringFlags.unreadable) !== 0) {
    return { value: { kind: 'unreadable', address: name }, next };
  }
  const total = Math.floor((flags >>> stringFlags.lengthShift) / held.unit);
  const items: Value[] = [];
  const stop = Math.min(end, at + 8 + length);
  if (isWord(element)) {
    const last = Math.min(stop, at + 8 + mostElements * held.unit);
    for (let from = at + 8; from + held.unit <= last; from += held.unit) {
      items.push(decodeWord(element, bytes, from));
    }
  }
  const ofBytes = isWord(element) && isByte(element) ? { ofBytes: true as const } : {};
  return { value: { kind: 'list', items, total, ...ofBytes }, next };
}

function isWord(type: ValueType): type is Word {
  return !['cstring', 'list', 'tree', 'dynamic', 'opaque'].includes(type.kind);
}

/** Of a hit of a breakpoint: its condition could not be worked out, which the word behind its values says. */
export function isUndecided(fn: TracedFunction, payload: Buffer, names: DefinedNames): boolean {
  if (fn.probe?.isConditional !== true) return false;
  let at = 0;
  for (const { type } of fn.captured)
    at = decodeValue(type, payload, at, payload.length, names).next;
  return at + 8 <= payload.length && payload.readBigUInt64LE(at) === undecidedHit;
}

/** The arguments of a call: the captured ones in order, then what was not captured and why. */
export function decodeArguments(
  fn: TracedFunction,
  payload: Buffer,
  names: DefinedNames,
): { readonly name: string; readonly value: Value }[] {
  const values: { name: string; value: Value }[] = [];
  let at = 0;
  for (const { name, type } of fn.captured) {
    const { value, next } = decodeValue(type, payload, at, payload.length, names);
    values.push({ name, value });
    at = next;
  }
  for (const { name, typeName, reason, secret } of fn.uncaptured) {
    const value: Value =
      secret === undefined
        ? { kind: 'notCaptured', reason, type: typeName }
        : { kind: 'redacted', word: secret };
    values.push({ name, value });
  }
  return values;
}

/** What a call returned, as far as it is known. */
export function decodeReturn(
  fn: TracedFunction,
  end: CallEnd,
  payload: Buffer,
  names: DefinedNames,
): Value {
  if (fn.returns.kind === 'void') return { kind: 'void' };
  switch (end) {
    case 'returned':
      if (fn.secretReturn !== undefined) return { kind: 'redacted', word: fn.secretReturn };
      if (payload.length > 0)
        return decodeValue(fn.returns, payload, 0, payload.length, names).value;
      return 'name' in fn.returns
        ? { kind: 'notCaptured', reason: reasonFor(fn.returns), type: fn.returns.name }
        : { kind: 'notCaptured', reason: reasonFor(fn.returns) };
    case 'open':
      return { kind: 'notCaptured', reason: 'the call has not returned' };
    case 'unwound':
      return { kind: 'notCaptured', reason: 'an exception left the call' };
    case 'jumped':
      return { kind: 'notCaptured', reason: 'a jump left the call' };
    case 'tail':
      return { kind: 'notCaptured', reason: 'the call ended with a tail call' };
    case 'lost':
      return { kind: 'notCaptured', reason: 'its end was lost' };
    case 'unseen':
      return { kind: 'notCaptured', reason: 'its end is not seen' };
  }
}

function reasonFor(type: ValueType): string {
  if (type.kind === 'opaque') return type.reason ?? `${type.name} is returned by value`;
  return type.kind === 'unknown' ? 'its type is not known' : 'it was not captured';
}

/** A value as one short text, for comparing and for ranges. */
export function plainText(value: Value): string {
  switch (value.kind) {
    case 'int':
      return value.text;
    case 'float':
      return String(value.bytes === 4 ? Number(value.value.toPrecision(7)) : value.value);
    case 'bool':
      return String(value.value);
    case 'char':
      return value.code >= 32 && value.code < 127
        ? `'${String.fromCharCode(value.code)}'`
        : String(value.code);
    case 'enum':
      return value.name ?? value.text;
    case 'pointer':
      if (value.isNull) return value.word ?? 'nullptr';
      return value.target && value.target.kind !== 'notCaptured'
        ? `${value.address}${hasArrow(value.target) ? '→' : ''}${plainText(value.target)}`
        : value.address;
    case 'string':
      // Texts of different bytes may read the same.
      return value.binary ? `<binary ${hexPairs(value.binary)}>` : `"${value.text}"`;
    case 'unreadable':
      return value.address;
    case 'null':
      return value.word ?? 'nullptr';
    case 'word':
      return value.text;
    case 'void':
      return '';
    case 'object':
      return `${value.object.type ?? ''}{${value.object.fields.map((field) => `${field.name}=${plainText(field.value)}`).join(', ')}}`;
    case 'list':
      return bracketed(itemsText(value.items.map(plainText), value), value.brackets);
    case 'map': {
      const entries = value.entries.map(
        (entry) => `${plainText(entry.key)}: ${plainText(entry.value)}`,
      );
      return `{${itemsText(entries, value)}}`;
    }
    case 'variant':
      return value.value ? `${value.name}(${plainText(value.value)})` : value.name;
    case 'circular':
      return circularWords(value.address);
    case 'notCaptured':
      return value.torn ? `<${value.reason}>` : '?';
    case 'redacted':
      return '?';
  }
}

/** An object's braces say enough. */
function hasArrow({ kind }: Value): boolean {
  return kind !== 'object' && kind !== 'circular' && kind !== 'unreadable';
}

/** `1, 2, 3, …(+7)`. */
function itemsText(
  items: readonly string[],
  all: { readonly total: number; readonly torn?: boolean },
): string {
  return [...items, ...restWords(all, items.length)].join(', ');
}

/** All text a value holds. */
export function textsOf(value: Value): string[] {
  return value.kind === 'string' ? [value.text] : partsOf(value).flatMap(textsOf);
}
