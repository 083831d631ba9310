import { sizeOf } from '../../abi/layout.ts';
import { bitsOf } from './bitPlace.ts';
import { attribute, form, tag } from '../constants.ts';
import { Cursor } from '../cursor.ts';
import { Entry } from '../entry.ts';
import type { TypeReader, TypeReference } from './types.ts';

/** A data member or base; `offset` null where only the object knows it (a virtual base). */
export interface Member {
  readonly name: string;
  readonly offset: number | null;
  readonly type: TypeReference;
  readonly isBase: boolean;
  readonly bits?: { readonly from: number; readonly count: number };
  /** Of a virtual base: bytes before the vtable where its offset is written. */
  readonly before?: number;
}

const mostNested = 6;

/** Bytes of a value of this type; 0 when unknown. */
export function bytesOf(types: TypeReader, type: TypeReference): number {
  const plain = types.plain(type);
  if (!plain) return 0;
  const entry = types.info.read(plain.unit, plain.offset, new Entry());
  if (entry.has(attribute.byteSize) && entry.formOf(attribute.byteSize) !== form.exprloc)
    return entry.value(attribute.byteSize);
  return sizeOf(types.read(plain).layout);
}

/** What a pointer or reference leads to; null for other types and `void*`. */
export function pointee(types: TypeReader, type: TypeReference): TypeReference | null {
  const plain = types.plain(type);
  if (!plain) return null;
  const entry = types.info.read(plain.unit, plain.offset, new Entry());
  const { tag: kind } = entry;
  const isPointer =
    kind === tag.pointerType || kind === tag.referenceType || kind === tag.rvalueReferenceType;
  return isPointer ? types.info.follow(plain.unit, entry, attribute.type) : null;
}

/** Data members, those of base classes as one member each; empty for other types. */
export function membersOf(types: TypeReader, type: TypeReference): Member[] {
  const plain = types.plain(type);
  if (!plain) return [];
  const { unit } = plain;
  const members: Member[] = [];
  const parent = types.info.read(unit, plain.offset, new Entry());
  types.children(unit, parent, (child) => {
    if (child.tag !== tag.member && child.tag !== tag.inheritance) return;
    if (child.value(attribute.isExternal) === 1 || child.value(attribute.isDeclaration) === 1)
      return;
    const name = types.info.text(unit, child, attribute.name);
    const target = types.info.follow(unit, child, attribute.type);
    if (!target) return;
    const isBase = child.tag === tag.inheritance;
    if (child.has(attribute.bitSize)) {
      const bitOffset = types.info.constant(unit, child, attribute.bitOffset);
      const place = bitsOf({ child, bitOffset }, bytesOf(types, target));
      members.push({ name, type: target, isBase, ...place });
      return;
    }
    const code = child.formOf(attribute.memberLocation);
    const isKnown = code !== form.exprloc && code !== form.block1;
    const offset = isKnown ? child.value(attribute.memberLocation) : null;
    const at = attribute.memberLocation;
    const expression = isKnown ? null : types.info.expression(unit, child, at, 0);
    const before = expression && virtualBase(expression);
    members.push({ name, type: target, isBase, offset, ...(before ? { before } : {}) });
  });
  return members;
}

/** The member, in a dotted path, that holds the byte at `offset` of a type; null when none does. */
export function memberPath(
  types: TypeReader,
  type: TypeReference,
  offset: number,
  depth = 0,
): string | null {
  if (depth > mostNested) return null;
  for (const member of membersOf(types, type)) {
    const from = member.offset ?? Infinity;
    if (offset < from || offset >= from + Math.max(bytesOf(types, member.type), 1)) continue;
    const inner = memberPath(types, member.type, offset - from, depth + 1);
    if (member.isBase) return inner;
    return inner === null ? member.name : `${member.name}.${inner}`;
  }
  return null;
}

const operation = {
  deref: 6,
  const1: 8,
  constu: 0x10,
  dup: 0x12,
  minus: 0x1c,
  plus: 0x22,
} as const;
const firstLiteral = 0x30;
const lastLiteral = 0x4f;

/** DWARF 5 §5.7.3: as compilers write it, the object's vtable less a number, which leads to the offset. */
function virtualBase(expression: Uint8Array): number | null {
  const { deref, const1, constu, dup, minus, plus } = operation;
  const cursor = new Cursor(expression, 0);
  const isNext = (...codes: readonly number[]): boolean =>
    codes.every((code) => cursor.at < expression.length && cursor.u8() === code);
  if (!isNext(dup, deref) || cursor.at >= expression.length) return null;
  const code = cursor.u8();
  let number: number;
  if (code >= firstLiteral && code <= lastLiteral) number = code - firstLiteral;
  else if (code === const1) number = cursor.u8();
  else if (code === constu) number = cursor.uleb();
  else return null;
  return isNext(minus, deref, plus) && number >= 8 ? number : null;
}
