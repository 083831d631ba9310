import type { PointerShape, Shape } from '../../../../model/values/shape.ts';
import { attribute, tag } from '../constants.ts';
import { findField, type Field } from './containerTypes.ts';
import { Entry } from '../entry.ts';
import { membersOf, type Member } from './members.ts';
import type { TypeReader, TypeReference } from './types.ts';

/** What building a shape asks of whoever collects the shapes of a value. */
export interface ShapeBuilding {
  readonly types: TypeReader;
  add(shape: Shape): number;
  /** The shape of what lies in the value itself. */
  of(type: TypeReference, level: number): number;
  /** Builds the shape of what lies elsewhere, unless that is deeper than asked for. */
  behind(type: TypeReference | null, level: number, done: (shape: number) => void): void;
  /** The same of what a pointer of C++ leads to, which may be of a derived class. */
  object(pointer: PointerShape, type: TypeReference, level: number): void;
  bytesOf(type: TypeReference): number;
  alignmentOf(type: TypeReference): number;
  /** Whether elements of this shape are captured at any depth. */
  isFree(shape: number): boolean;
  /** Whether it has no fields that could be shown. */
  isEmpty(shape: number): boolean;
}

/** A class or structure as a printer sees it. */
export class TypeView {
  readonly type: TypeReference;
  readonly name: string;
  readonly bytes: number;
  readonly level: number;
  readonly building: ShapeBuilding;

  constructor(
    building: ShapeBuilding,
    { type, name, bytes, level }: Pick<TypeView, 'type' | 'name' | 'bytes' | 'level'>,
  ) {
    this.building = building;
    this.type = type;
    this.name = name;
    this.bytes = bytes;
    this.level = level;
  }

  get isUnion(): boolean {
    return this.#entry().tag === tag.unionType;
  }

  /** Which kind of type Go's compiler says it is; 0 in other languages. */
  get goKind(): number {
    return this.#entry().value(attribute.goKind);
  }

  /** A field of this name, however deep it lies; structures too. */
  field(name: string): Field | null {
    return findField(this.building.types, this.type, name, 0, true);
  }

  /** Where a field of a word lies; null when there is none. */
  word(name: string): number | null {
    return findField(this.building.types, this.type, name)?.offset ?? null;
  }

  /** The same inside a field. */
  wordIn(outer: Field | null, name: string): number | null {
    const found = outer && findField(this.building.types, outer.type, name);
    return outer && found ? outer.offset + found.offset : null;
  }

  /** Another type, seen from here. */
  at(type: TypeReference): TypeView {
    const { building, level } = this;
    const { info } = building.types;
    const entry = info.read(type.unit, type.offset, new Entry());
    const name = info.text(type.unit, entry, attribute.name);
    return new TypeView(building, { type, name, bytes: building.bytesOf(type), level });
  }

  /** The place and type of a variant of an enumeration with values. */
  variant(name: string): Field | null {
    const { types } = this.building;
    const { unit } = this.type;
    let found: Field | null = null;
    const visit = (child: Entry): void => {
      if (child.tag === tag.variantPart || child.tag === tag.variant)
        types.children(unit, types.info.read(unit, child.offset, new Entry()), visit);
      if (child.tag !== tag.member || types.info.text(unit, child, attribute.name) !== name) return;
      const type = types.plain(types.info.follow(unit, child, attribute.type));
      if (type) found = { offset: child.value(attribute.memberLocation), type };
    };
    types.children(unit, this.#entry(), visit);
    return found;
  }

  /** A template's type argument by its name. */
  argument(name: string): TypeReference | null {
    return this.#arguments().find((one) => one.name === name)?.type ?? null;
  }

  /** All type arguments, those of a pack too. */
  arguments(): TypeReference[] {
    return this.#arguments().map(({ type }) => type);
  }

  pointee(pointer: TypeReference): TypeReference | null {
    const { info } = this.building.types;
    const entry = info.read(pointer.unit, pointer.offset, new Entry());
    return info.follow(pointer.unit, entry, attribute.type);
  }

  /** The shape of what lies in the value itself. */
  inner(type: TypeReference): number {
    return this.building.of(type, this.level);
  }

  /** The shape of what an address in it leads to, when that is asked for. */
  behind(type: TypeReference | null, done: (shape: number) => void): void {
    this.building.behind(type, this.level, done);
  }

  /** What a pointer in it leads to, which may be of a derived class. */
  object(pointer: PointerShape, type: TypeReference): void {
    this.building.object(pointer, type, this.level);
  }

  /** The shape of elements that lie elsewhere: scalars at any depth. */
  elements(type: TypeReference, done: (shape: number) => void): void {
    const { types } = this.building;
    const { layout } = types.read(type);
    const isScalar = layout.kind === 'integer' || layout.kind === 'float';
    const shape = isScalar ? this.inner(type) : -1;
    if (isScalar && this.building.isFree(shape)) done(shape);
    else this.behind(type, done);
  }

  /** A pair of a key and a value as the standard library lays it out. */
  pair(key: TypeReference, value: TypeReference, level: number): number {
    const { building } = this;
    const align = building.alignmentOf(value);
    const offset = Math.ceil(building.bytesOf(key) / align) * align;
    const fields = [
      { name: 'first', offset: 0, shape: building.of(key, level) },
      { name: 'second', offset, shape: building.of(value, level) },
    ];
    const whole = Math.max(align, building.alignmentOf(key));
    const bytes = Math.ceil((offset + building.bytesOf(value)) / whole) * whole;
    return building.add({ kind: 'record', name: 'pair', bytes, fields, left: 0 });
  }

  members(): Member[] {
    return membersOf(this.building.types, this.type);
  }

  #entry(): Entry {
    return this.building.types.info.read(this.type.unit, this.type.offset, new Entry());
  }

  #arguments(): { readonly name: string; readonly type: TypeReference }[] {
    const { types } = this.building;
    const { unit } = this.type;
    const found: { name: string; type: TypeReference }[] = [];
    const visit = (child: Entry): void => {
      if (child.tag === tag.gnuTemplateParameterPack) {
        types.children(unit, types.info.read(unit, child.offset, new Entry()), visit);
        return;
      }
      if (child.tag !== tag.templateTypeParameter) return;
      const type = types.info.follow(unit, child, attribute.type);
      if (type) found.push({ name: types.info.text(unit, child, attribute.name), type });
    };
    types.children(unit, this.#entry(), visit);
    return found;
  }
}
