import type { DeepValue } from '../../model/crash.ts';
import type { Value } from '../../model/query.ts';
import type { Holding, ValueType } from '../../model/valueType.ts';
import { attribute, form, tag } from '../dwarf/constants.ts';
import { Entry } from '../dwarf/entry.ts';
import type { TypeReader, TypeReference } from '../dwarf/types.ts';
import type { KnownMemory } from './memory.ts';
import { littleEndian } from './memory.ts';

/** Where the bytes of a value are. */
export type Source =
  | { readonly kind: 'memory'; readonly address: bigint }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

export interface Member {
  readonly name: string;
  readonly offset: number;
  readonly type: TypeReference;
  readonly isBase: boolean;
  readonly isBits: boolean;
}

const maxDepth = 3;
const maxMembers = 12;
const maxElements = 8;
const maxText = 200;
const maxChain = 32;
const wrappers: ReadonlySet<number> = new Set([
  tag.typedef,
  tag.constType,
  tag.volatileType,
  tag.restrictType,
  tag.atomicType,
]);

/** The type behind its names and qualifiers; null for void or damage. */
export function bareType(types: TypeReader, start: TypeReference): TypeReference | null {
  let at: TypeReference | null = start;
  for (let step = 0; step < maxChain && at !== null; step++) {
    const entry = types.info.read(at.unit, at.offset, new Entry());
    if (!wrappers.has(entry.tag)) return at;
    at = types.info.follow(at.unit, entry, attribute.type);
  }
  return null;
}

export function typeName(types: TypeReader, type: TypeReference): string {
  return types.nameOf(type, 0);
}

/** Bytes of a value of this type; 0 when unknown. */
export function byteSize(types: TypeReader, type: TypeReference): number {
  const bare = bareType(types, type);
  if (bare === null) return 0;
  const entry = types.info.read(bare.unit, bare.offset, new Entry());
  if (isPointer(entry.tag)) return 8;
  if (entry.has(attribute.byteSize) && entry.formOf(attribute.byteSize) !== form.exprloc)
    return entry.value(attribute.byteSize);
  const { layout } = types.read(bare);
  return 'bytes' in layout ? layout.bytes : 0;
}

function isPointer(entryTag: number): boolean {
  return (
    entryTag === tag.pointerType ||
    entryTag === tag.referenceType ||
    entryTag === tag.rvalueReferenceType
  );
}

/** What a pointer type leads to; null for other types and `void*`. */
export function pointee(types: TypeReader, type: TypeReference): TypeReference | null {
  const bare = bareType(types, type);
  if (bare === null) return null;
  const entry = types.info.read(bare.unit, bare.offset, new Entry());
  return isPointer(entry.tag) ? types.info.follow(bare.unit, entry, attribute.type) : null;
}

/** Data members, those of base classes as one member each; empty for other types. */
export function membersOf(types: TypeReader, type: TypeReference): Member[] {
  const bare = bareType(types, type);
  if (bare === null) return [];
  const entry = types.info.read(bare.unit, bare.offset, new Entry());
  const members: Member[] = [];
  types.children(bare.unit, entry, (child) => {
    if (child.tag !== tag.member && child.tag !== tag.inheritance) return;
    if (child.value(attribute.isDeclaration) === 1 || child.value(attribute.isExternal) === 1)
      return;
    // A virtual base lies where only the object knows.
    if (child.formOf(attribute.memberLocation) === form.exprloc) return;
    const name = types.info.text(bare.unit, child, attribute.name);
    const target = types.info.follow(bare.unit, child, attribute.type);
    if (target === null) return;
    members.push({
      name,
      offset: child.value(attribute.memberLocation),
      type: target,
      isBase: child.tag === tag.inheritance,
      isBits: child.has(attribute.bitSize),
    });
  });
  return members;
}

/** The value of a type at its place, with members, elements and what pointers lead to. Throws at damage. */
export function readDeep(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
  depth: number,
): DeepValue {
  const bare = bareType(types, type);
  if (bare === null) return { kind: 'void' };
  const entry = types.info.read(bare.unit, bare.offset, new Entry());
  switch (entry.tag) {
    case tag.structureType:
    case tag.classType:
    case tag.unionType:
      return readStruct(types, memory, bare, source, depth);
    case tag.arrayType:
      return readArray(types, memory, bare, source, depth);
    case tag.pointerType:
    case tag.referenceType:
    case tag.rvalueReferenceType:
      return readPointer(types, memory, bare, source, depth);
    default:
      return readScalar(types, memory, bare, source);
  }
}

function bytesOf(memory: KnownMemory, source: Source, length: number): Uint8Array | null {
  if (source.kind === 'memory') return memory.read(source.address, length);
  return source.bytes.length >= length ? source.bytes.subarray(0, length) : null;
}

function part(source: Source, offset: number): Source {
  return source.kind === 'memory'
    ? { kind: 'memory', address: source.address + BigInt(offset) }
    : { kind: 'bytes', bytes: source.bytes.subarray(offset) };
}

function notKept(type?: string): Value {
  const reason = 'its memory was not kept';
  return type === undefined
    ? { kind: 'notCaptured', reason }
    : { kind: 'notCaptured', reason, type };
}

function readScalar(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
): DeepValue {
  const { value } = types.read(type);
  const size = 'bytes' in value ? (value.bytes ?? 0) : 8;
  const bytes = size >= 1 && size <= 8 ? bytesOf(memory, source, size) : null;
  if (value.kind === 'opaque' || value.kind === 'unknown')
    return { kind: 'notCaptured', reason: 'values of its type are not read' };
  return bytes === null ? notKept() : scalar(value, bytes);
}

/** A scalar of 1 to 8 bytes. */
export function scalar(type: ValueType, bytes: Uint8Array): Value {
  const raw = littleEndian(bytes);
  const bits = bytes.length * 8;
  const text = (isSigned: boolean): string => String(isSigned ? BigInt.asIntN(bits, raw) : raw);
  switch (type.kind) {
    case 'int':
      return { kind: 'int', text: text(type.signed) };
    case 'char':
      return { kind: 'char', code: Number(text(type.signed)), bytes: type.bytes };
    case 'bool':
      return { kind: 'bool', value: raw !== 0n };
    case 'float': {
      const view = new DataView(new Uint8Array(bytes).buffer);
      return type.bytes === 4
        ? { kind: 'float', value: view.getFloat32(0, true), bytes: 4 }
        : { kind: 'float', value: view.getFloat64(0, true) };
    }
    case 'enum': {
      const number = text(type.signed);
      const member = type.members.find(([value]) => value === number);
      return { kind: 'enum', name: member?.[1] ?? null, text: number, type: type.name };
    }
    case 'void':
      return { kind: 'void' };
    case 'pointer':
    case 'cstring':
      return { kind: 'pointer', address: `0x${raw.toString(16)}`, isNull: raw === 0n };
    case 'list':
    case 'tree':
    case 'opaque':
    case 'unknown':
      return { kind: 'notCaptured', reason: 'values of its type are not read' };
  }
}

function readPointer(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
  depth: number,
): DeepValue {
  const bytes = bytesOf(memory, source, 8);
  if (bytes === null) return notKept();
  const address = littleEndian(bytes);
  const plain: Value = {
    kind: 'pointer',
    address: `0x${address.toString(16)}`,
    isNull: address === 0n,
  };
  if (address === 0n) return plain;
  const shape = types.read(type).value;
  if (shape.kind === 'cstring' && shape.held === undefined)
    return readText(memory, address) ?? plain;
  const target = pointee(types, type);
  const bare = target === null ? null : bareType(types, target);
  if (bare === null || depth >= maxDepth - 1) return plain;
  const entry = types.info.read(bare.unit, bare.offset, new Entry());
  const isShown =
    entry.tag === tag.structureType || entry.tag === tag.classType || entry.tag === tag.baseType;
  if (!isShown || memory.readUpTo(address, 1).length === 0) return plain;
  const value = readDeep(types, memory, bare, { kind: 'memory', address }, depth + 1);
  return value.kind === 'notCaptured' || value.kind === 'void'
    ? plain
    : { kind: 'pointee', address: `0x${address.toString(16)}`, value };
}

function readText(memory: KnownMemory, address: bigint, length = -1): Value | null {
  const wanted = length < 0 ? maxText + 1 : Math.min(length, maxText);
  const bytes = memory.readUpTo(address, wanted);
  if (length === 0) return { kind: 'string', text: '', truncated: false };
  if (bytes.length === 0) return null;
  const end = length < 0 ? bytes.indexOf(0) : bytes.length;
  const text = Buffer.from(bytes.subarray(0, end < 0 ? maxText : end)).toString('utf8');
  const truncated = length < 0 ? end < 0 : bytes.length < length;
  return { kind: 'string', text, truncated };
}

function readArray(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
  depth: number,
): DeepValue {
  const entry = types.info.read(type.unit, type.offset, new Entry());
  const element = types.info.follow(type.unit, entry, attribute.type);
  if (element === null) return notKept();
  const size = byteSize(types, element);
  const total = byteSize(types, type);
  const count = size > 0 ? Math.floor(total / size) : 0;
  if (types.read(element).value.kind === 'char' && size === 1 && count > 0) {
    const bytes = bytesOf(memory, source, Math.min(count, maxText));
    if (bytes === null) return notKept();
    const end = bytes.indexOf(0);
    const text = Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
    return { kind: 'string', text, truncated: end < 0 && count > maxText };
  }
  return elements(types, memory, { element, size, count, source, depth });
}

function elements(
  types: TypeReader,
  memory: KnownMemory,
  list: { element: TypeReference; size: number; count: number; source: Source; depth: number },
): DeepValue {
  const { element, size, count, source, depth } = list;
  if (depth >= maxDepth) return { kind: 'words', text: `[${count} elements]` };
  const shown = Math.min(count, maxElements);
  return {
    kind: 'array',
    elements: Array.from({ length: shown }, (_unused, i) =>
      readDeep(types, memory, element, part(source, i * size), depth + 1),
    ),
    more: count - shown,
  };
}

function readStruct(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
  depth: number,
): DeepValue {
  const entry = types.info.read(type.unit, type.offset, new Entry());
  const name = types.info.text(type.unit, entry, attribute.name);
  const known = readKnown(types, memory, type, name, source, depth);
  if (known !== null) return known;
  let hasVariants = false;
  types.children(type.unit, entry, (child) => {
    if (child.tag === tag.variantPart) hasVariants = true;
  });
  if (hasVariants) return { kind: 'notCaptured', reason: 'an enumeration with values', type: name };
  if (depth >= maxDepth) return { kind: 'notCaptured', reason: 'it nests deeper', type: name };
  const members: { name: string; value: DeepValue }[] = [];
  let more = 0;
  for (const member of membersOf(types, type)) {
    if (member.isBits || member.name.startsWith('_vptr')) continue;
    if (members.length >= maxMembers) {
      more++;
      continue;
    }
    const at = part(source, member.offset);
    const value = readDeep(types, memory, member.type, at, member.isBase ? depth : depth + 1);
    if (member.isBase && value.kind === 'struct') members.push(...value.members);
    else members.push({ name: member.isBase ? 'base' : member.name, value });
  }
  return { kind: 'struct', members, more };
}

/** Strings and sequences of the standard libraries, told by their members. */
function readKnown(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  name: string,
  source: Source,
  depth: number,
): DeepValue | null {
  const word = (path: readonly string[]): bigint | null => {
    const at = memberAt(types, type, path);
    const bytes = at === null ? null : bytesOf(memory, part(source, at.offset), 8);
    return bytes === null ? null : littleEndian(bytes);
  };
  const { value } = types.read(type);
  const isHeld = value.kind === 'cstring' || (value.kind === 'list' && 'bytes' in value.element);
  if (isHeld && value.held !== undefined && !isOpaque(value)) {
    const found = readHeld(memory, value, value.held, source);
    if (found !== null) return found;
  }
  if (name.startsWith('basic_string<char')) {
    const [data, length] = [word(['_M_dataplus', '_M_p']), word(['_M_string_length'])];
    return data === null || length === null ? null : readText(memory, data, clampedCount(length));
  }
  if (name === '&str') {
    const [data, length] = [word(['data_ptr']), word(['length'])];
    return data === null || length === null ? null : readText(memory, data, clampedCount(length));
  }
  return name.startsWith('vector<') ? readVector(types, memory, type, source, depth, word) : null;
}

/** libstdc++'s vector; its elements may be objects. */
function readVector(
  types: TypeReader,
  memory: KnownMemory,
  type: TypeReference,
  source: Source,
  depth: number,
  word: (path: readonly string[]) => bigint | null,
): DeepValue | null {
  const start = memberAt(types, type, ['_M_impl', '_M_start']);
  const element = start === null ? null : pointee(types, start.type);
  const [from, to] = [word(['_M_impl', '_M_start']), word(['_M_impl', '_M_finish'])];
  const size = element === null ? 0 : byteSize(types, element);
  if (element === null || from === null || to === null || size === 0 || to < from) return null;
  const count = clampedCount((to - from) / BigInt(size));
  return elements(types, memory, {
    element,
    size,
    count,
    source: { kind: 'memory', address: from },
    depth,
  });
}

/** Elements that are no scalars are read by their own types. */
function isOpaque(type: ValueType): boolean {
  return type.kind === 'list' && type.element.kind === 'opaque';
}

/** A text or sequence of scalars that knows its length. */
function readHeld(
  memory: KnownMemory,
  type: Extract<ValueType, { kind: 'cstring' | 'list' }>,
  held: Holding,
  source: Source,
): DeepValue | null {
  const pointer = bytesOf(memory, part(source, held.pointer), 8);
  const length = bytesOf(memory, part(source, held.length), 8);
  if (pointer === null || length === null || held.unit === 0) return null;
  const address = littleEndian(pointer);
  const end = littleEndian(length);
  if (held.byEnd && end < address) return null;
  const count = clampedCount(held.byEnd ? (end - address) / BigInt(held.unit) : end);
  if (type.kind === 'cstring') return readText(memory, address, count);
  const shown = Math.min(count, maxElements);
  const bytes = memory.readUpTo(address, shown * held.unit);
  const items = Array.from({ length: Math.floor(bytes.length / held.unit) }, (_unused, i) =>
    scalar(type.element, bytes.subarray(i * held.unit, (i + 1) * held.unit)),
  );
  return { kind: 'list', items, total: count };
}

/** A length from damaged memory may be anything. */
function clampedCount(value: bigint): number {
  return value > 0xffff_ffffn ? 0xffff_ffff : Number(value);
}

/** A member by its path, looked for in base classes too. */
function memberAt(
  types: TypeReader,
  type: TypeReference,
  path: readonly string[],
  depth = 0,
): { offset: number; type: TypeReference } | null {
  const [first, ...rest] = path;
  if (first === undefined) return { offset: 0, type };
  if (depth > 8) return null;
  for (const member of membersOf(types, type)) {
    const found = member.isBase
      ? memberAt(types, member.type, path, depth + 1)
      : member.name === first
        ? memberAt(types, member.type, rest, depth + 1)
        : null;
    if (found !== null) return { offset: member.offset + found.offset, type: found.type };
  }
  return null;
}

/** The member, in a dotted path, that holds the byte at `offset` of a type; null when none does. */
export function memberPath(
  types: TypeReader,
  type: TypeReference,
  offset: number,
  depth = 0,
): string | null {
  if (depth > 6) return null;
  for (const member of membersOf(types, type)) {
    const size = byteSize(types, member.type);
    if (offset < member.offset || offset >= member.offset + Math.max(size, 1)) continue;
    const inner = memberPath(types, member.type, offset - member.offset, depth + 1);
    if (member.isBase) return inner;
    return inner === null ? member.name : `${member.name}.${inner}`;
  }
  return null;
}
