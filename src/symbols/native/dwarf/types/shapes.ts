import {
  vtableLayout,
  type Depth,
  type DynamicOption,
  type PointerShape,
  type Shape,
  type ShapeOption,
} from '../../../../model/values/shape.ts';
import type { ValueType } from '../../../../model/values/valueType.ts';
import { alignmentOf } from '../../abi/layout.ts';
import { attribute, encoding, languageNames, tag } from '../constants.ts';
import { capturedName } from './closures.ts';
import { containerFields, mayHold } from './containerTypes.ts';
import { Entry } from '../entry.ts';
import { isFutureOver, isFutureState, stateName } from './futures.ts';
import { derivedFrom } from './hierarchy.ts';
import { memberPointer } from './memberPointers.ts';
import { bytesOf, type Member } from './members.ts';
import { goReference, goShape } from '../printers/goReferences.ts';
import { goContextNames } from '../printers/go.ts';
import { exceptions } from '../printers/texts.ts';
import { printers } from '../printers.ts';
import { FieldList, type Fields } from './shapeFields.ts';
import { TypeView, type ShapeBuilding } from './typeView.ts';
import type { TypeReader, TypeReference } from './types.ts';

const mostShapes = 400;
/** Of what lies deeper than what is captured whole: little of it has room in a record. */
const farShapes = 24;
/** Types of one file that are kept: most functions of a program share theirs. */
const mostKept = 1000;
const mostNested = 16;
const mostFields = 64;
const mostOptions = 256;
const mostDimensions = 4;

export type Tree = Extract<ValueType, { kind: 'tree' }>;

const keptTrees = new WeakMap<TypeReader, Map<string, Tree>>();

/** A value of this type as a tree of captured memory. Null for void. */
export function treeType(types: TypeReader, type: TypeReference, depth: Depth): Tree | null {
  if (!types.plain(type)) return null;
  return keptTree(types, typeKey(type), depth, () => buildTree(types, type, depth));
}

/** What a type is known by in its file. */
export function typeKey({ unit, offset }: TypeReference): string {
  return String(unit.header.start + offset);
}

/** The same tree for the same values: `key` tells which. */
export function keptTree(
  types: TypeReader,
  key: string,
  { levels, whole }: Depth,
  build: () => Tree,
): Tree {
  const kept = keptTrees.get(types) ?? new Map<string, Tree>();
  keptTrees.set(types, kept);
  if (kept.size >= mostKept) kept.clear();
  const full = `${key} ${levels} ${whole}`;
  const tree = kept.get(full) ?? build();
  kept.set(full, tree);
  return tree;
}

function buildTree(types: TypeReader, type: TypeReference, depth: Depth): Tree {
  const building = new ShapeBuilder(types, depth);
  const root = building.of(type, 0);
  building.finish();
  const { levels, whole } = depth;
  return {
    kind: 'tree',
    name: types.nameOf(type, 0),
    depth: levels,
    ...(whole < levels ? { whole } : {}),
    root,
    shapes: building.shapes,
  };
}

interface Awaited {
  readonly type: TypeReference;
  readonly level: number;
  readonly done: (shape: number) => void;
}

/**
 * Builds the shapes of one value. What pointers lead to is built level by level, so that a type is
 * first met where it is nearest.
 */
export class ShapeBuilder implements ShapeBuilding {
  readonly types: TypeReader;
  readonly shapes: Shape[] = [];
  readonly #depth: Depth;
  readonly #known = new Map<number, number>();
  readonly #awaited: Awaited[] = [];
  #nested = 0;

  constructor(types: TypeReader, depth: Depth) {
    this.types = types;
    this.#depth = depth;
  }

  add(shape: Shape): number {
    this.shapes.push(shape);
    return this.shapes.length - 1;
  }

  of(type: TypeReference, level: number): number {
    const plain = goReference(this.types, type) ?? this.types.plain(type);
    if (!plain) return this.#opaque('void', 0, 'it has no type');
    const key = plain.unit.header.start + plain.offset;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.shapes.length >= mostShapes || this.#nested >= mostNested)
      return this.#opaque(this.types.nameOf(plain, 0), this.bytesOf(plain), 'it nests deeper');
    this.#nested++;
    try {
      const shape = this.#build(plain, level);
      this.#known.set(key, shape);
      return shape;
    } finally {
      this.#nested--;
    }
  }

  behind(type: TypeReference | null, level: number, done: (shape: number) => void): void {
    if (type && level < this.#depth.levels) this.#awaited.push({ type, level: level + 1, done });
  }

  object(pointer: PointerShape, type: TypeReference, level: number): void {
    this.behind(type, level, (found) => {
      pointer.target = found;
      const shape = this.shapes[found];
      const plain = shape?.kind === 'record' && shape.vtable === 0 ? this.types.plain(type) : null;
      const derived = plain ? derivedFrom(this.types, plain) : [];
      if (derived.length === 0) return;
      const options = derived.map(({ name, type: own, apart }) => {
        const option: DynamicOption = { name, apart, skip: pointer.skip, shape: null };
        this.behind(own, level, (index) => (option.shape = index));
        return option;
      });
      pointer.dynamic = { table: 0, inside: true, word: -vtableLayout.typeInfo, options };
    });
  }

  /** Builds what pointers lead to, all that is captured whole before what is not. */
  finish(): void {
    const far: Awaited[] = [];
    for (let next = this.#awaited.shift(); next; next = this.#awaited.shift()) {
      if (next.level > this.#depth.whole) far.push(next);
      else if (this.shapes.length < mostShapes) next.done(this.of(next.type, next.level));
    }
    this.#awaited.push(...far);
    const most = Math.min(mostShapes, this.shapes.length + farShapes);
    for (let next = this.#awaited.shift(); next; next = this.#awaited.shift()) {
      if (this.shapes.length >= most) return;
      next.done(this.of(next.type, next.level));
    }
  }

  bytesOf(type: TypeReference): number {
    return bytesOf(this.types, type);
  }

  alignmentOf(type: TypeReference): number {
    return alignmentOf(this.types.read(type).layout);
  }

  isFree(shape: number): boolean {
    const kind = this.shapes[shape]?.kind;
    return kind === 'scalar' || kind === 'extended' || kind === 'integer128' || kind === 'complex';
  }

  isEmpty(index: number): boolean {
    const shape = this.shapes[index];
    return shape?.kind === 'record' && shape.fields.length === 0 && shape.left === 0;
  }

  #opaque(name: string, bytes: number, reason: string): number {
    return this.add({ kind: 'opaque', name, bytes, reason });
  }

  #build(plain: TypeReference, level: number): number {
    const entry = this.types.info.read(plain.unit, plain.offset, new Entry());
    switch (entry.tag) {
      case tag.pointerType:
      case tag.referenceType:
      case tag.rvalueReferenceType:
        return this.#pointer(plain, entry, level);
      case tag.pointerToMember:
        return this.#pointerToMember(plain);
      case tag.arrayType:
        return this.#array(plain, entry, level);
      case tag.typedef:
      case tag.subroutineType:
        return this.#declared(plain, entry, level);
      case tag.structureType:
      case tag.classType:
      case tag.unionType:
        return this.#aggregate(plain, entry, level);
      default:
        return this.#scalar(plain);
    }
  }

  #declared(type: TypeReference, entry: Entry, level: number): number {
    const name = this.types.info.text(type.unit, entry, attribute.name);
    const shape = goShape(new TypeView(this, { type, name, bytes: this.bytesOf(type), level }));
    return shape
      ? this.add(shape)
      : this.#opaque(name, this.bytesOf(type), 'its layout is not known');
  }

  #scalar(plain: TypeReference): number {
    const { value, layout } = this.types.read(plain);
    const name = 'name' in value ? value.name : '?';
    switch (layout.kind) {
      case 'extended':
        return this.add({ kind: 'extended', name, bytes: 16 });
      case 'integer128':
        return this.add({ kind: 'integer128', name, bytes: 16, signed: !/^u|unsigned/.test(name) });
      case 'complex':
        if (layout.bytes === 32 && this.types.longDouble === 'vector') break;
        return this.add({ kind: 'complex', name, bytes: layout.bytes });
      default:
        break;
    }
    switch (value.kind) {
      case 'int':
      case 'char':
      case 'bool':
      case 'float':
      case 'enum':
        return this.add({ kind: 'scalar', bytes: value.bytes, type: value });
      case 'pointer':
        return this.add({ kind: 'scalar', bytes: 8, type: value });
      default:
        return this.#opaque(name, this.bytesOf(plain), 'values of its type are not read');
    }
  }

  #pointer(plain: TypeReference, entry: Entry, level: number): number {
    const { value } = this.types.read(plain);
    const name = 'name' in value ? value.name : '?';
    if (value.kind === 'cstring' && !value.held)
      return this.add({ kind: 'text', name, bytes: 8, pointer: 0, length: null });
    if (value.kind === 'pointer' && value.code)
      return this.add({ kind: 'scalar', bytes: 8, type: value });
    const target = this.types.info.follow(plain.unit, entry, attribute.type);
    const unit = this.#wideUnit(target);
    if (unit) return this.add({ kind: 'text', name, bytes: 8, pointer: 0, length: null, unit });
    const isFree = target !== null && this.#depth.levels > 0 && this.#isLibrary(target);
    const shape: PointerShape = {
      kind: 'pointer',
      name,
      bytes: 8,
      at: 0,
      skip: 0,
      target: null,
      ...(isFree ? { isFree } : {}),
    };
    const index = this.add(shape);
    if (target && this.#isFollowed(target, this.#isToOne(plain, entry, name)))
      this.object(shape, target, isFree ? level - 1 : level);
    return index;
  }

  #pointerToMember(plain: TypeReference): number {
    const { value } = this.types.read(plain);
    return value.kind === 'opaque' ? memberPointer(this, plain, value.name) : this.#scalar(plain);
  }

  /** A container or wrapper of a standard library, by its name. */
  #isLibrary(target: TypeReference): boolean {
    const plain = this.types.plain(target);
    if (!plain) return false;
    const entry = this.types.info.read(plain.unit, plain.offset, new Entry());
    const name = this.types.info.text(plain.unit, entry, attribute.name);
    // In Go a pointer to others is one like any.
    if (languageNames.get(plain.unit.language) === 'Go') return goContextNames.test(name);
    return name !== '' && (mayHold(name) || printers.some(({ names }) => names.test(name)));
  }

  /** Of what points to text of wide characters. */
  #wideUnit(target: TypeReference | null): 2 | 4 | null {
    const plain = this.types.plain(target);
    if (!plain) return null;
    const entry = this.types.info.read(plain.unit, plain.offset, new Entry());
    if (entry.tag !== tag.baseType) return null;
    const name = this.types.info.text(plain.unit, entry, attribute.name);
    if (name === 'char16_t') return 2;
    return name === 'wchar_t' || name === 'char32_t' ? 4 : null;
  }

  /** Whether a pointer leads to one value: a reference, and what Rust does not call a raw pointer. */
  #isToOne({ unit }: TypeReference, entry: Entry, name: string): boolean {
    if (entry.tag !== tag.pointerType) return true;
    return languageNames.get(unit.language) === 'Rust' && !name.startsWith('*');
  }

  /** A single byte behind a pointer is most often the first of many, unless that leads to one alone. */
  #isFollowed(target: TypeReference, isOne: boolean): boolean {
    const plain = this.types.plain(target);
    if (!plain) return false;
    const found = this.types.info.read(plain.unit, plain.offset, new Entry());
    if (found.tag === tag.subroutineType || found.tag === tag.unspecifiedType) return false;
    if (found.tag !== tag.baseType || this.bytesOf(plain) > 1) return true;
    return isOne || found.value(attribute.encoding) === encoding.boolean;
  }

  #array(plain: TypeReference, entry: Entry, level: number): number {
    const { info } = this.types;
    const target = info.follow(plain.unit, entry, attribute.type);
    const counts = this.types.dimensions(plain);
    const name = this.types.nameOf(plain, 0);
    if (counts.includes(0) && languageNames.get(plain.unit.language) !== 'Rust') {
      const reason = 'its length is not known';
      const isRow = counts.length === 1 && target !== null && level < this.#depth.levels;
      if (!isRow) return this.#opaque(name, 0, reason);
      return this.add({ kind: 'opaque', name, bytes: 0, reason, element: this.of(target, level) });
    }
    if (!target || counts.length > mostDimensions)
      return this.#opaque(name, this.bytesOf(plain), 'an array of unknown elements');
    let element = this.of(target, level);
    let bytes = this.bytesOf(target);
    for (const count of counts.toReversed()) {
      bytes *= count;
      if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > 0x7fffffff)
        return this.#opaque(name, 0, 'an array of impossible size');
      element = this.add({ kind: 'array', name, bytes, element, count });
    }
    return element;
  }

  #aggregate(plain: TypeReference, entry: Entry, level: number): number {
    const { info } = this.types;
    const name = info.text(plain.unit, entry, attribute.name);
    const bytes = entry.value(attribute.byteSize);
    const view = new TypeView(this, { type: plain, name, bytes, level });
    if (entry.value(attribute.isDeclaration) === 1) {
      const known = exceptions.names.test(name) ? exceptions.shape(view) : null;
      return known ? this.add(known) : this.#opaque(name, 0, 'it is only declared');
    }
    const held = this.#held(view);
    if (held !== null) return held;
    for (const printer of printers) {
      const shape = printer.names.test(name) ? printer.shape(view) : null;
      if (shape) return this.add(shape);
    }
    const variants = this.#variants(plain, entry);
    if (variants) return this.#choice(view, variants);
    return this.add({ kind: 'record', name: name || 'struct', bytes, ...this.#fields(view) });
  }

  #held(view: TypeView): number | null {
    const fields = containerFields(this.types, view.type, view.name);
    if (!fields) return null;
    const { pointer, length, byEnd } = fields;
    const { name, bytes } = view;
    if (fields.holds === 'text')
      return this.add({
        kind: 'text',
        name,
        bytes,
        pointer: pointer.offset,
        length: length.offset,
      });
    const element = view.argument('T') ?? view.pointee(pointer.type);
    const unit = element ? this.bytesOf(element) : 0;
    if (!element || unit === 0) return null;
    const shape: Shape = {
      kind: 'sequence',
      name,
      bytes,
      pointer: pointer.offset,
      length: length.offset,
      byEnd,
      unit,
      element: null,
    };
    const index = this.add(shape);
    view.elements(element, (found) => (shape.element = found));
    return index;
  }

  #fields(view: TypeView): Fields {
    const list = new FieldList();
    const known = new Set<string>();
    for (const member of view.members().filter((one) => isFirst(one, known))) {
      const { name, offset, bits, isBase, before } = member;
      if (name.startsWith('_vptr')) {
        list.hasVtable(offset ?? 0);
        continue;
      }
      if ((offset === null && before === undefined) || list.count >= mostFields) {
        list.leave(1);
        continue;
      }
      const shape = this.of(member.type, view.level);
      const inner = this.shapes[shape];
      if (offset === null) list.addVirtual(inner, before ?? 0);
      else if (inner?.kind === 'record' && (isBase || name === ''))
        list.addInner(inner, offset, isBase);
      else if (!this.isEmpty(shape))
        list.add({ name: shownName(view, name), offset, shape, ...(bits ? { bits } : {}) });
    }
    return { ...list.whole(mostFields * 2), ...(view.isUnion ? { isUnion: true } : {}) };
  }

  #variants(plain: TypeReference, entry: Entry): Entry | null {
    let found: Entry | null = null;
    this.types.children(plain.unit, entry, (child) => {
      if (child.tag === tag.variantPart)
        found ??= this.types.info.read(plain.unit, child.offset, new Entry());
    });
    return found;
  }

  /** DWARF 5 §5.7.10: a discriminant, and a member per variant. */
  #choice({ type, name, bytes, level }: TypeView, part: Entry): number {
    const { info } = this.types;
    const { unit } = type;
    const discriminant = info.follow(unit, part, attribute.discriminant);
    const member = discriminant && info.read(unit, discriminant.offset, new Entry());
    const numberType = member && info.follow(unit, member, attribute.type);
    const size = numberType ? this.bytesOf(numberType) : 0;
    if (member && (size === 0 || size > 8))
      return this.#opaque(name, bytes, 'its discriminant is too wide');
    const options: ShapeOption[] = [];
    let otherwise: ShapeOption | null = null;
    this.types.children(unit, part, (child) => {
      if (child.tag !== tag.variant || options.length >= mostOptions) return;
      const variant = info.read(unit, child.offset, new Entry());
      const value = variant.has(attribute.discriminantValue)
        ? discriminantOf(this.types, type, variant, size)
        : null;
      this.types.children(unit, variant, (inner) => {
        if (inner.tag !== tag.member) return;
        const option = this.#option(type, info.read(unit, inner.offset, new Entry()), level);
        if (value === null) otherwise = option;
        else options.push({ ...option, low: value, high: value });
      });
    });
    const at = member?.value(attribute.memberLocation) ?? 0;
    return this.add({ kind: 'choice', name, bytes, at, size, options, otherwise });
  }

  #option({ unit }: TypeReference, member: Entry, level: number): ShapeOption {
    const { info } = this.types;
    const written = info.text(unit, member, attribute.name);
    const offset = member.value(attribute.memberLocation);
    const type = info.follow(unit, member, attribute.type);
    const option = { low: '0', high: '0', name: written, offset, shape: null };
    if (!type) return option;
    const inside = this.types.nameOf(type, 0);
    if (/^\d+$/.test(written) && isFutureState(inside))
      option.name = stateName(inside, member.value(attribute.declarationLine));
    if (isFutureOver(inside)) return option;
    const shape = this.of(type, level);
    const record = this.shapes[shape];
    if (record?.kind !== 'record') return { ...option, shape };
    const [only, ...others] = record.fields;
    if (!only) return option;
    if (only.name !== '__0' || others.length > 0) return { ...option, shape };
    // Of `Ok(())` there is nothing more to say.
    if (this.shapes[only.shape]?.bytes === 0) return option;
    return { ...option, offset: offset + only.offset, shape: only.shape };
  }
}

/** rustc lists a variable of a future once per scope that it is kept for. */
function isFirst({ name, offset }: Member, known: Set<string>): boolean {
  const place = `${name} ${offset}`;
  if (known.has(place)) return false;
  if (name !== '' && offset !== null) known.add(place);
  return true;
}

/** As people wrote what a closure captured; of a lambda, which has no name, gcc writes two underscores before it. */
function shownName(view: TypeView, name: string): string {
  if (view.name.startsWith('{closure_env#') || isFutureState(view.name)) return capturedName(name);
  const isCapture = view.name === '' && /^__[a-z]/i.test(name);
  if (isCapture && languageNames.get(view.type.unit.language) === 'C++') return name.slice(2);
  return name || 'base';
}

function discriminantOf(
  types: TypeReader,
  { unit }: TypeReference,
  variant: Entry,
  size: number,
): string {
  const value = types.info.constant(unit, variant, attribute.discriminantValue);
  return BigInt.asUintN(size * 8, value).toString();
}
