import { hasOwnLength, type ObjectTarget, type ValueType } from '../../model/valueType.ts';
import { attribute, form, tag } from './constants.ts';
import type { Entry } from './entry.ts';
import type { TypeReader, TypeReference } from './types.ts';

/** Fields that begin beyond it are not captured: offsets have 12 bits in the engine's plan. */
const FARTHEST = 4000;
/** An object's first bytes are captured, so many at most. */
const OBJECT_BYTES = 256;
const MOST_FIELDS = 32;
/** Structures inside structures. */
const MOST_NESTED = 4;

type ObjectType = Extract<ValueType, { kind: 'object' }>;
type Field = ObjectType['fields'][number];
type Contents = ObjectTarget['contents'][number];

/** What a pointer's object consists of; null when it leads to no structure that is described. */
export function objectBehind(types: TypeReader, pointer: TypeReference): ObjectTarget | null {
  const plain = types.plain(pointer);
  if (!plain) return null;
  const entry = types.info.read(plain.unit, plain.offset);
  const isPointer =
    entry.tag === tag.pointerType ||
    entry.tag === tag.referenceType ||
    entry.tag === tag.rvalueReferenceType;
  const target = isPointer
    ? types.plain(types.info.follow(plain.unit, entry, attribute.type))
    : null;
  if (!target) return null;
  const object = types.info.read(target.unit, target.offset);
  if (object.tag !== tag.structureType && object.tag !== tag.classType) return null;
  const bytes = object.value(attribute.byteSize);
  if (bytes === 0 || object.value(attribute.isDeclaration) === 1) return null;
  const reading = new ObjectReading(types);
  reading.add(target, 0, '', 0);
  const { contents, left } = reading;
  const fields = reading.fields.toSorted((a, b) => a.offset - b.offset);
  if (fields.length === 0 && contents.length === 0) return null;
  const name = types.info.text(target.unit, object, attribute.name) || 'struct';
  const end = fields.reduce((most, field) => Math.max(most, field.offset + sizeOf(field.type)), 0);
  return { type: { kind: 'object', name, bytes: end, fields, left }, contents };
}

function sizeOf(type: ValueType): number {
  return 'bytes' in type ? (type.bytes ?? 0) : 8;
}

/** Collects the fields of a structure; those of its bases and of structures inside it with a dotted name. */
class ObjectReading {
  readonly #types: TypeReader;
  readonly fields: Field[] = [];
  readonly contents: Contents[] = [];
  /** Fields that are not captured. */
  left = 0;

  constructor(types: TypeReader) {
    this.#types = types;
  }

  add({ unit, offset }: TypeReference, base: number, prefix: string, depth: number): void {
    const inner: { readonly at: number; readonly prefix: string; readonly type: TypeReference }[] =
      [];
    this.#types.children(unit, this.#types.info.read(unit, offset), (child) => {
      if (child.tag === tag.variantPart) this.left++;
      if (child.tag !== tag.member && child.tag !== tag.inheritance) return;
      if (child.value(attribute.isExternal) === 1) return;
      if (child.value(attribute.isDeclaration) === 1) return;
      const place = placeOf(child);
      const name = this.#types.info.text(unit, child, attribute.name);
      if (name.startsWith('_vptr')) return;
      const reference = this.#types.info.follow(unit, child, attribute.type);
      if (place === null || !reference || child.has(attribute.bitSize)) {
        this.left++;
        return;
      }
      const own = child.tag === tag.inheritance ? prefix : `${prefix}${name}`;
      if (!this.#take(reference, base + place, own)) {
        const type = this.#types.plain(reference);
        const next = child.tag === tag.inheritance || own === '' ? prefix : `${own}.`;
        if (type) inner.push({ at: base + place, prefix: next, type });
      }
    });
    for (const one of inner) this.#enter(one.type, one.at, one.prefix, depth);
  }

  #enter(type: TypeReference, at: number, prefix: string, depth: number): void {
    const { tag: kind } = this.#types.info.read(type.unit, type.offset);
    const isStructure = kind === tag.structureType || kind === tag.classType;
    if (isStructure && depth < MOST_NESTED) this.add(type, at, prefix, depth + 1);
    else this.left++;
  }

  /** False when the type is a structure to enter. */
  #take(reference: TypeReference, offset: number, name: string): boolean {
    const { value, layout } = this.#types.read(reference);
    const isScalar = layout.kind === 'integer' || layout.kind === 'float';
    if (isScalar) {
      if (value.kind === 'cstring' && !value.held && offset <= FARTHEST) {
        this.contents.push({ name, offset, type: value });
        return true;
      }
      // What another field points to is not followed.
      const type: ValueType = hasOwnLength(value)
        ? { kind: 'pointer', name: nameOf(value) }
        : value;
      if (value.kind === 'opaque' || value.kind === 'unknown' || value.kind === 'void') this.left++;
      else if (this.#isFull || offset + sizeOf(type) > OBJECT_BYTES) this.left++;
      else this.fields.push({ name, offset, type });
      return true;
    }
    if (hasOwnLength(value)) {
      if (offset <= FARTHEST) this.contents.push({ name, offset, type: value });
      else this.left++;
      return true;
    }
    return false;
  }

  get #isFull(): boolean {
    return this.fields.length >= MOST_FIELDS;
  }
}

function nameOf(value: ValueType): string {
  return 'name' in value ? value.name : '?';
}

/** Null when it is known at run time only (a virtual base). */
function placeOf(member: Entry): number | null {
  const code = member.formOf(attribute.memberLocation);
  if (code === form.exprloc || code === form.block1) return null;
  return member.value(attribute.memberLocation);
}
