import { hasOwnLength, type Holding, type ValueType } from '../../../../model/values/valueType.ts';
import { sizeOf, type Layout } from '../../abi/layout.ts';
import { attribute, form, tag } from '../constants.ts';
import type { DebugInfo } from '../debugInfo.ts';
import type { Unit } from '../unitTable.ts';
import type { Entry } from '../entry.ts';

interface TypeReference {
  readonly unit: Unit;
  readonly offset: number;
}

/** What reading a container asks of the reader of types. */
interface TypeSource {
  readonly info: DebugInfo;
  read(
    reference: TypeReference,
    depth: number,
  ): { readonly value: ValueType; readonly layout: Layout };
  plain(reference: TypeReference | null): TypeReference | null;
  children(unit: Unit, parent: Entry, visit: (child: Entry) => void): void;
}

/** How a library's type keeps text or elements: by the names of its fields, however deep they lie. */
interface Shape {
  readonly name: RegExp;
  readonly holds: 'text' | 'list';
  readonly pointer: string;
  /** The number of elements, or the address of the end. */
  readonly length: string;
  readonly byEnd?: boolean;
  readonly inWords?: boolean;
  /** What `pointer` names is only declared: clang leaves out a structure whose one member is the address. */
  readonly isDeclared?: boolean;
}

/** A type that is not here is shown as its address. libstdc++, libc++ and Rust's standard library. */
const shapes: readonly Shape[] = [
  { name: /^basic_string<char,/, holds: 'text', pointer: '_M_p', length: '_M_string_length' },
  {
    name: /^basic_string<char,/,
    holds: 'text',
    pointer: '_M_dataplus',
    length: '_M_string_length',
    isDeclared: true,
  },
  {
    name: /^basic_string_view<char,/,
    holds: 'text',
    pointer: '_M_str',
    length: '_M_len',
    inWords: true,
  },
  {
    name: /^vector</,
    holds: 'list',
    pointer: '_M_start',
    length: '_M_finish',
    byEnd: true,
  },
  { name: /^vector</, holds: 'list', pointer: '__begin_', length: '__end_', byEnd: true },
  {
    name: /^basic_string_view<char,/,
    holds: 'text',
    pointer: '__data',
    length: '__size',
    inWords: true,
  },
  { name: /^span</, holds: 'list', pointer: '__data', length: '__size', inWords: true },
  { name: /^span</, holds: 'list', pointer: '_M_ptr', length: '_M_extent_value', inWords: true },
  { name: /^&(?:mut )?str$/, holds: 'text', pointer: 'data_ptr', length: 'length', inWords: true },
  {
    name: /^&(?:mut )?std::(?:path::Path|ffi::os_str::OsStr)$/,
    holds: 'text',
    pointer: 'data_ptr',
    length: 'length',
    inWords: true,
  },
  { name: /^(?:String|OsString|PathBuf)$/, holds: 'text', pointer: 'pointer', length: 'len' },
  { name: /^&(?:mut )?\[/, holds: 'list', pointer: 'data_ptr', length: 'length', inWords: true },
  { name: /^Vec</, holds: 'list', pointer: 'pointer', length: 'len' },
  {
    name: /^initializer_list</,
    holds: 'list',
    pointer: '_M_array',
    length: '_M_len',
    inWords: true,
  },
  {
    name: /^initializer_list</,
    holds: 'list',
    pointer: '__begin_',
    length: '__size_',
    inWords: true,
  },
  {
    name: /^(?:alloc::boxed::)?Box<(?:str|std::(?:path::Path|ffi::os_str::OsStr)),/,
    holds: 'text',
    pointer: 'data_ptr',
    length: 'length',
    inWords: true,
  },
  {
    name: /^(?:alloc::boxed::)?Box<\[/,
    holds: 'list',
    pointer: 'data_ptr',
    length: 'length',
    inWords: true,
  },
];

const MOST_NESTED = 12;
/** Offsets have 12 bits in the engine's plan, and its window this many bytes. */
const FARTHEST = 80;

/** Whether a type of this name may be a container; its fields decide. */
export function mayHold(name: string): boolean {
  return shapes.some((shape) => shape.name.test(name));
}

/** Where a class or structure keeps text or elements; null when it is none. Offsets from its start. */
export function containerFields(
  types: TypeSource,
  type: TypeReference,
  name: string,
): {
  readonly holds: 'text' | 'list';
  readonly pointer: Field;
  readonly length: Field;
  readonly byEnd: boolean;
} | null {
  const kept = keptIn(types, type, name, 0);
  if (!kept) return null;
  const { shape, pointer, length } = kept;
  return { holds: shape.holds, pointer, length, byEnd: shape.byEnd ?? false };
}

/** The first layout of that name whose fields are there. */
function keptIn(
  types: TypeSource,
  type: TypeReference,
  name: string,
  depth: number,
): { readonly shape: Shape; readonly pointer: Field; readonly length: Field } | null {
  for (const shape of shapes) {
    if (!shape.name.test(name)) continue;
    const pointer = findField(types, type, shape.pointer, 0, shape.isDeclared);
    const length = findField(types, type, shape.length, 0);
    if (!pointer || !length) continue;
    const holds = shape.isDeclared
      ? types.info.read(pointer.type.unit, pointer.type.offset).value(attribute.isDeclaration) === 1
      : isPointer(types, pointer.type, depth);
    if (holds) return { shape, pointer, length };
  }
  return null;
}

/** The captured form of a class or structure that holds text or elements; null when it is none. */
export function containerType(
  types: TypeSource,
  unit: Unit,
  entry: Entry,
  name: string,
  depth: number,
): Extract<ValueType, { kind: 'cstring' | 'list' }> | null {
  const kept = keptIn(types, { unit, offset: entry.offset }, name, depth);
  if (!kept) return null;
  const { shape, pointer, length } = kept;
  if (sizeOf(types.read(length.type, depth + 1).layout) !== 8) return null;
  if (Math.max(pointer.offset, length.offset) > FARTHEST) return null;
  const held = {
    pointer: pointer.offset,
    length: length.offset,
    byEnd: shape.byEnd ?? false,
    inWords: shape.inWords ?? false,
  };
  if (shape.holds === 'text') return { kind: 'cstring', name, held: { ...held, unit: 1 } };
  const element = elementOf(types, unit, entry, pointer.type, depth);
  return (
    element && { kind: 'list', name, element: element.value, held: elementHeld(held, element) }
  );
}

interface Element {
  readonly value: ValueType;
  readonly bytes: number;
}

/** Of elements that are no scalars only the number counts. */
function elementHeld(held: Omit<Holding, 'unit'>, { value, bytes }: Element): Holding {
  return { ...held, unit: held.byEnd || value.kind !== 'opaque' ? bytes : 1 };
}

/** Rust's Vec keeps a pointer to bytes and names its element as a parameter. */
function elementOf(
  types: TypeSource,
  unit: Unit,
  entry: Entry,
  pointer: TypeReference,
  depth: number,
): Element | null {
  const named: (TypeReference | null)[] = [];
  types.children(unit, entry, (child) => {
    if (child.tag !== tag.templateTypeParameter) return;
    if (types.info.text(unit, child, attribute.name) === 'T') {
      named.push(types.info.follow(unit, child, attribute.type));
    }
  });
  const target = named[0] ?? pointeeOf(types, pointer);
  if (!target) return null;
  const { value, layout } = types.read(target, depth + 1);
  const bytes = sizeOf(layout);
  if (bytes === 0 || value.kind === 'void') return null;
  const isScalar = (layout.kind === 'integer' || layout.kind === 'float') && bytes <= 8;
  const name = 'name' in value ? value.name : '?';
  if (!isScalar) return { value: { kind: 'opaque', name, bytes }, bytes };
  // What an element points to is not followed.
  return { value: hasOwnLength(value) ? { kind: 'pointer', name } : value, bytes };
}

export interface Field {
  readonly offset: number;
  readonly type: TypeReference;
}

/**
 * A field of this name in the type, its bases or the structures it consists of; `anyKind`: it may be
 * a structure itself.
 */
export function findField(
  types: TypeSource,
  type: TypeReference,
  wanted: string,
  depth = 0,
  anyKind = false,
): Field | null {
  if (depth > MOST_NESTED) return null;
  const fields = fieldsOf(types, type);
  const isStructure = ({ kind }: NamedField): boolean =>
    kind === tag.structureType || kind === tag.classType || (anyKind && kind === tag.unionType);
  // What it has itself counts before what its parts have.
  for (const field of fields) {
    if (field.name === wanted && (anyKind || !isStructure(field))) return field;
  }
  for (const field of fields) {
    const below = isStructure(field)
      ? findField(types, field.type, wanted, depth + 1, anyKind)
      : null;
    if (below) return { offset: field.offset + below.offset, type: below.type };
  }
  return null;
}

interface NamedField extends Field {
  readonly name: string;
  /** Tag of its type. */
  readonly kind: number;
}

/** A few types, such as Go's strings and slices, are in most others. */
const keptFields = new WeakMap<TypeSource, Map<number, readonly NamedField[]>>();
const mostKept = 2000;

function fieldsOf(types: TypeSource, { unit, offset }: TypeReference): readonly NamedField[] {
  const kept = keptFields.get(types) ?? new Map<number, readonly NamedField[]>();
  keptFields.set(types, kept);
  const key = unit.header.start + offset;
  const known = kept.get(key);
  if (known) return known;
  const fields: NamedField[] = [];
  types.children(unit, types.info.read(unit, offset), (child) => {
    if (child.tag !== tag.member && child.tag !== tag.inheritance) return;
    if (child.value(attribute.isExternal) === 1 || child.value(attribute.isDeclaration) === 1)
      return;
    const code = child.formOf(attribute.memberLocation);
    if (code === form.exprloc || code === form.block1) return;
    const type = types.plain(types.info.follow(unit, child, attribute.type));
    if (!type) return;
    const name = types.info.text(unit, child, attribute.name);
    const { tag: kind } = types.info.read(type.unit, type.offset);
    fields.push({ name, kind, offset: child.value(attribute.memberLocation), type });
  });
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, fields);
  return fields;
}

function isPointer(types: TypeSource, type: TypeReference, depth: number): boolean {
  const { value } = types.read(type, depth + 1);
  return value.kind === 'pointer' || value.kind === 'cstring' || value.kind === 'list';
}

function pointeeOf(types: TypeSource, pointer: TypeReference): TypeReference | null {
  const entry = types.info.read(pointer.unit, pointer.offset);
  return types.info.follow(pointer.unit, entry, attribute.type);
}
