import { stringFlags, type TracedFunction } from '../../model/eventColumns.ts';
import type { CallEnd, ObjectValue, Value } from '../../model/query.ts';
import { contentsName, objectName, type ValueType } from '../../model/valueType.ts';

/** A value and where the next one begins. */
interface Decoded {
  readonly value: Value;
  readonly next: number;
}

const missing: Value = { kind: 'notCaptured', reason: 'the record was cut short' };

/** One captured value of `bytes[at, end)` (model/eventColumns.ts). Never throws. */
export function decodeValue(type: ValueType, bytes: Buffer, at: number, end: number): Decoded {
  if (at + 8 > end) return { value: missing, next: end };
  if (type.kind === 'cstring') return decodeString(bytes, at, end);
  if (type.kind === 'list') return decodeList(type, bytes, at, end);
  if (type.kind === 'object') return decodeObject(type, bytes, at, end);
  return { value: decodeWord(type, bytes, at), next: at + 8 };
}

type Word = Exclude<ValueType, { kind: 'cstring' | 'list' | 'object' }>;

function decodeWord(type: Word, bytes: Buffer, at: number): Value {
  switch (type.kind) {
    case 'void':
      return { kind: 'void' };
    case 'int':
      return { kind: 'int', text: integerText(bytes, at, type.bytes, type.signed) };
    case 'char':
      return {
        kind: 'char',
        code: Number(integerText(bytes, at, type.bytes, type.signed)),
        bytes: type.bytes,
      };
    case 'bool':
      return { kind: 'bool', value: (bytes[at] ?? 0) !== 0 };
    case 'float':
      return type.bytes === 4
        ? { kind: 'float', value: bytes.readFloatLE(at), bytes: 4 }
        : { kind: 'float', value: bytes.readDoubleLE(at) };
    case 'enum': {
      const text = integerText(bytes, at, type.bytes, type.signed);
      const member = type.members.find(([value]) => value === text);
      return { kind: 'enum', name: member?.[1] ?? null, text, type: type.name };
    }
    case 'pointer': {
      const address = bytes.readBigUInt64LE(at);
      return { kind: 'pointer', address: hexadecimal(address), isNull: address === 0n };
    }
    case 'opaque':
      return { kind: 'notCaptured', reason: `${type.name} is passed by value`, type: type.name };
    case 'unknown':
      return { kind: 'int', text: hexadecimal(bytes.readBigUInt64LE(at)) };
  }
}

function decodeString(bytes: Buffer, at: number, end: number): Decoded {
  const length = bytes.readUInt32LE(at);
  const flags = bytes.readUInt32LE(at + 4);
  const next = Math.min(end, at + 8 + Math.ceil(length / 8) * 8);
  if ((flags & stringFlags.isNull) !== 0) return { value: { kind: 'null' }, next };
  if ((flags & stringFlags.unreadable) !== 0) {
    const address = length >= 8 && at + 16 <= end ? bytes.readBigUInt64LE(at + 8) : null;
    return {
      value: { kind: 'unreadable', address: address === null ? 'pointer' : hexadecimal(address) },
      next,
    };
  }
  const text = bytes.toString('utf8', at + 8, Math.min(end, at + 8 + length));
  const truncated = (flags & stringFlags.truncated) !== 0 || at + 8 + length > end;
  return { value: { kind: 'string', text, truncated }, next };
}

type List = Extract<ValueType, { kind: 'list' }>;

function decodeList(
  { element, held, name }: List,
  bytes: Buffer,
  at: number,
  end: number,
): Decoded {
  const length = bytes.readUInt32LE(at);
  const flags = bytes.readUInt32LE(at + 4);
  const next = Math.min(end, at + 8 + Math.ceil(length / 8) * 8);
  if ((flags & stringFlags.isNull) !== 0) return { value: { kind: 'null' }, next };
  if ((flags & stringFlags.unreadable) !== 0) {
    return { value: { kind: 'unreadable', address: name }, next };
  }
  const total = Math.floor((flags >>> stringFlags.lengthShift) / held.unit);
  const items: Value[] = [];
  const stop = Math.min(end, at + 8 + length);
  if (isWord(element)) {
    for (let from = at + 8; from + held.unit <= stop; from += held.unit) {
      items.push(decodeWord(element, bytes, from));
    }
  }
  return { value: { kind: 'list', items, total }, next };
}

type ObjectType = Extract<ValueType, { kind: 'object' }>;

/** Fields that could not be read count as left out. */
function decodeObject(
  { fields, left, name: typeName }: ObjectType,
  bytes: Buffer,
  at: number,
  end: number,
): Decoded {
  const length = bytes.readUInt32LE(at);
  const flags = bytes.readUInt32LE(at + 4);
  const next = Math.min(end, at + 8 + Math.ceil(length / 8) * 8);
  if ((flags & stringFlags.isNull) !== 0) return { value: { kind: 'null' }, next };
  if (length === 0) return { value: { kind: 'unreadable', address: typeName }, next };
  const stop = Math.min(end, at + 8 + length);
  const read: { name: string; value: Value }[] = [];
  for (const { name, offset, type } of fields) {
    const from = at + 8 + offset;
    const size = 'bytes' in type ? (type.bytes ?? 8) : 8;
    if (isWord(type) && from + size <= stop) {
      read.push({ name, value: decodeWord(type, bytes, from) });
    }
  }
  const object = { fields: read, left: left + fields.length - read.length };
  return { value: { kind: 'object', object }, next };
}

function isWord(type: ValueType): type is Word {
  return !['cstring', 'list', 'object', 'opaque'].includes(type.kind);
}

/** Exact decimal text of the low `size` bytes of a word. */
export function integerText(bytes: Buffer, at: number, size: number, signed: boolean): string {
  switch (size) {
    case 1:
      return String(signed ? bytes.readInt8(at) : bytes.readUInt8(at));
    case 2:
      return String(signed ? bytes.readInt16LE(at) : bytes.readUInt16LE(at));
    case 4:
      return String(signed ? bytes.readInt32LE(at) : bytes.readUInt32LE(at));
    default:
      return String(signed ? bytes.readBigInt64LE(at) : bytes.readBigUInt64LE(at));
  }
}

function hexadecimal(value: bigint): string {
  return `0x${value.toString(16)}`;
}

/** The arguments of a call: the captured ones in order, then what was not captured and why. */
export function decodeArguments(
  fn: TracedFunction,
  payload: Buffer,
): { readonly name: string; readonly value: Value }[] {
  const values: { name: string; value: Value }[] = [];
  let at = 0;
  for (const { name, type } of fn.captured) {
    const { value, next } = decodeValue(type, payload, at, payload.length);
    const last = values.at(-1);
    const joined = last && joinedTo(last, name, value);
    if (joined) values[values.length - 1] = joined;
    else values.push({ name, value });
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

interface Argument {
  readonly name: string;
  readonly value: Value;
}

/** A pointer with the object that was captured behind it, or with what that object holds; null when it is another argument. */
function joinedTo(pointer: Argument, name: string, value: Value): Argument | null {
  const prefix = contentsName(pointer.name, '');
  if (pointer.value.kind === 'unreadable') return name.startsWith(prefix) ? pointer : null;
  if (pointer.value.kind !== 'pointer') return null;
  const known: ObjectValue = pointer.value.object ?? { fields: [], left: 0 };
  if (name === objectName(pointer.name)) {
    const { address } = pointer.value;
    if (value.kind === 'unreadable') return { ...pointer, value: { kind: 'unreadable', address } };
    if (value.kind !== 'object') return pointer;
    return { ...pointer, value: { ...pointer.value, object: value.object } };
  }
  if (!name.startsWith(prefix)) return null;
  if (pointer.value.isNull) return pointer;
  const fields = [...known.fields, { name: name.slice(prefix.length), value }];
  return { ...pointer, value: { ...pointer.value, object: { ...known, fields } } };
}

/** What a call returned, as far as it is known. */
export function decodeReturn(fn: TracedFunction, end: CallEnd, payload: Buffer): Value {
  if (fn.returns.kind === 'void') return { kind: 'void' };
  switch (end) {
    case 'returned':
      if (fn.secretReturn !== undefined) return { kind: 'redacted', word: fn.secretReturn };
      if (payload.length > 0) return decodeValue(fn.returns, payload, 0, payload.length).value;
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
  }
}

function reasonFor(type: ValueType): string {
  if (type.kind === 'opaque') return `${type.name} is returned by value`;
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
      return value.isNull ? 'nullptr' : value.address;
    case 'string':
      return `"${value.text}"`;
    case 'unreadable':
      return value.address;
    case 'null':
      return 'nullptr';
    case 'void':
      return '';
    case 'object':
      return `{${value.object.fields.map((field) => `${field.name}=${plainText(field.value)}`).join(', ')}}`;
    case 'list':
      return listText(value.items.map(plainText), value.total);
    case 'notCaptured':
    case 'redacted':
      return '?';
  }
}

/** `[1, 2, 3, …(+7)]`. */
function listText(items: readonly string[], total: number): string {
  const left = total - items.length;
  return `[${[...items, ...(left > 0 ? [`…(+${left})`] : [])].join(', ')}]`;
}
