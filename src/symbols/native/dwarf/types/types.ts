import { integerName } from '../../../../model/names/pattern.ts';
import type { Holding, ValueType } from '../../../../model/values/valueType.ts';
import type { Layout } from '../../abi/layout.ts';
import type { ProcessorRules } from '../../processorRules.ts';
import { rulesOfMachine } from '../../machineRules.ts';
import { aggregateLayout } from './aggregates.ts';
import { attribute, encoding, form, languageNames, tag } from '../constants.ts';
import { errnoType } from './goErrno.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { isLlvm, type Unit } from '../unitTable.ts';
import { containerType, mayHold } from './containerTypes.ts';
import { Entry, afterChildren } from '../entry.ts';
import { isConstant } from '../forms.ts';

/** A type as a captured value is shown, and as a calling convention sees it. */
export interface TypeDescription {
  readonly value: ValueType;
  readonly layout: Layout;
}

/** Where a type's entry lies. */
export interface TypeReference {
  readonly unit: Unit;
  readonly offset: number;
}

type Container = Extract<ValueType, { kind: 'cstring' | 'list' }> & { readonly held: Holding };

const maxDepth = 32;
const maxMembers = 1000;
const nothing: TypeDescription = { value: { kind: 'void' }, layout: { kind: 'none' } };

/** A pointer to a member function: an address and an adjustment (Itanium C++ ABI §2.3). */
const twoWords: Layout = {
  kind: 'array',
  bytes: 16,
  element: { kind: 'integer', bytes: 8 },
  count: 2,
};

/** Reads types on demand (DWARF 5 chapter 5) and remembers them. */
export class TypeReader {
  readonly info: DebugInfo;
  /** What `long double` is where the program runs; `vector`: a format that is not read. */
  readonly longDouble: ProcessorRules['longDouble'];
  readonly tellsVirtual: boolean;
  readonly #known = new Map<number, TypeDescription>();
  /** Entries that `children` may read into. */
  readonly #spare: Entry[] = [];

  constructor(info: DebugInfo) {
    this.info = info;
    const rules = rulesOfMachine(info.machine);
    this.longDouble = rules?.longDouble ?? 'vector';
    this.tellsVirtual = rules?.tellsVirtual ?? false;
  }

  /** The type an entry's DW_AT_type names; void when it has none. */
  ofEntry(unit: Unit, entry: Entry, depth = 0): TypeDescription {
    if (!entry.has(attribute.type)) return nothing;
    const target = this.info.follow(unit, entry, attribute.type);
    return target === null
      ? unknownType('', 'its type is described elsewhere')
      : this.read(target, depth);
  }

  read(reference: TypeReference, depth = 0): TypeDescription {
    const key = reference.unit.header.start + reference.offset;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (depth > maxDepth) return unknownType('', 'its type nests too deeply');
    const type = this.#build(reference, depth);
    this.#known.set(key, type);
    return type;
  }

  #build({ unit, offset }: TypeReference, depth: number): TypeDescription {
    const entry = this.info.read(unit, offset);
    const name = this.info.text(unit, entry, attribute.name);
    const bytes =
      entry.has(attribute.byteSize) && entry.formOf(attribute.byteSize) !== form.exprloc
        ? entry.value(attribute.byteSize)
        : null;
    switch (entry.tag) {
      case tag.baseType:
        return baseType(name, bytes ?? 0, entry.value(attribute.encoding), this.longDouble);
      case tag.typedef:
      case tag.constType:
      case tag.volatileType:
      case tag.restrictType:
      case tag.atomicType:
        return renamed(this.ofEntry(unit, entry, depth + 1), (inner) =>
          qualified(entry.tag, name, inner),
        );
      case tag.pointerType:
      case tag.referenceType:
      case tag.rvalueReferenceType:
        return this.#pointer(unit, entry, name, depth);
      case tag.pointerToMember: {
        const target = this.info.follow(unit, entry, attribute.type);
        const isFunction =
          target !== null && this.info.read(target.unit, target.offset).tag === tag.subroutineType;
        return isFunction
          ? {
              value: { kind: 'opaque', name: name || 'pointer to member', bytes: 16 },
              layout: twoWords,
            }
          : this.#memberPlace(unit, entry, name);
      }
      case tag.enumerationType:
        return this.#enumeration(unit, entry, name, bytes, depth);
      case tag.structureType:
      case tag.classType:
      case tag.unionType:
      case tag.interfaceType:
        return this.#aggregate(unit, entry, name || 'struct', bytes, depth);
      case tag.arrayType:
        return this.#array(unit, entry, depth);
      case tag.unspecifiedType:
        return name.includes('nullptr')
          ? { value: { kind: 'pointer', name }, layout: { kind: 'integer', bytes: 8 } }
          : {
              value: { kind: 'opaque', name, bytes: null },
              layout:
                name === '!'
                  ? { kind: 'none' }
                  : { kind: 'unknown', reason: 'a type without description' },
            };
      case tag.subroutineType:
        return unknownType('function', 'a function type');
      default:
        return unknownType(name, 'a type of a kind that is not read');
    }
  }

  /** A pointer to a data member: how far it lies from the beginning of its object, -1 for none (Itanium C++ ABI §2.3). */
  #memberPlace(unit: Unit, entry: Entry, ownName: string): TypeDescription {
    const members: (readonly [string, string])[] = [['-1', 'null']];
    const owner = this.plain(this.info.follow(unit, entry, attribute.containingType));
    const parent = owner && this.info.read(owner.unit, owner.offset, new Entry());
    const className = owner ? this.nameOf(owner, 0) : '?';
    if (owner && parent && parent.tag !== tag.unionType)
      this.children(owner.unit, parent, (child) => {
        if (child.tag !== tag.member || !child.has(attribute.memberLocation)) return;
        const member = this.info.text(owner.unit, child, attribute.name);
        const offset = String(child.value(attribute.memberLocation));
        if (member) members.push([offset, `&${className}::${member}`]);
      });
    const name = ownName || `${className}::*`;
    return {
      value: { kind: 'enum', name, bytes: 8, signed: true, members, isOne: true },
      layout: { kind: 'integer', bytes: 8 },
    };
  }

  #aggregate(
    unit: Unit,
    entry: Entry,
    name: string,
    bytes: number | null,
    depth: number,
  ): TypeDescription {
    const layout = aggregateLayout(this, unit, entry, depth);
    const held = mayHold(name) ? containerType(this, unit, entry, name, depth) : null;
    return held ? { value: held, layout } : aggregateType(name, bytes, entry, layout);
  }

  #pointer(unit: Unit, entry: Entry, ownName: string, depth: number): TypeDescription {
    const mark = entry.tag === tag.pointerType ? '*' : entry.tag === tag.referenceType ? '&' : '&&';
    const target = this.info.follow(unit, entry, attribute.type);
    const name =
      ownName ||
      `${target === null ? (entry.has(attribute.type) ? '?' : 'void') : this.nameOf(target, depth + 1)}${mark}`;
    const layout: Layout = { kind: 'integer', bytes: 8 };
    const held = this.#held(target, depth);
    if (held) return { value: { ...held, name, held: { ...held.held, inWords: false } }, layout };
    const isText = mark === '*' && target !== null && this.#isPlainChar(target);
    if (isText) return { value: { kind: 'cstring', name }, layout };
    const code = this.#isFunction(target) ? { code: true as const } : {};
    return { value: { kind: 'pointer', name: functionPointerName(name, mark), ...code }, layout };
  }

  /** What a pointer or reference leads to, when that is text or a list in a container. */
  #held(target: TypeReference | null, depth: number): Container | null {
    const plain = this.plain(target);
    if (!plain) return null;
    const entry = this.info.read(plain.unit, plain.offset);
    if (entry.tag !== tag.structureType && entry.tag !== tag.classType) return null;
    if (!mayHold(this.info.text(plain.unit, entry, attribute.name))) return null;
    const { value } = this.read(plain, depth + 1);
    return (value.kind === 'cstring' || value.kind === 'list') && value.held
      ? { ...value, held: value.held }
      : null;
  }

  #isFunction(target: TypeReference | null): boolean {
    const plain = this.plain(target);
    return plain !== null && this.info.read(plain.unit, plain.offset).tag === tag.subroutineType;
  }

  /** Without names and qualifiers. */
  plain(start: TypeReference | null): TypeReference | null {
    let reference = start;
    for (let step = 0; step < maxDepth && reference !== null; step++) {
      const { unit, offset } = reference;
      const entry: Entry = this.info.read(unit, offset);
      switch (entry.tag) {
        case tag.typedef:
        case tag.constType:
        case tag.volatileType:
        case tag.restrictType:
        case tag.atomicType:
          reference = this.info.follow(unit, entry, attribute.type);
          break;
        default:
          return reference;
      }
    }
    return null;
  }

  #isPlainChar(start: TypeReference): boolean {
    const plain = this.plain(start);
    if (!plain) return false;
    const entry = this.info.read(plain.unit, plain.offset);
    if (entry.tag !== tag.baseType) return false;
    const code = entry.value(attribute.encoding);
    const name = this.info.text(plain.unit, entry, attribute.name);
    if (code === encoding.utf) return name === 'char8_t';
    const isChar = code === encoding.signedChar || code === encoding.unsignedChar;
    return isChar && name === 'char';
  }

  /** The source's spelling, without reading what a pointer leads to. */
  nameOf({ unit, offset }: TypeReference, depth: number): string {
    if (depth > maxDepth) return '…';
    const entry = this.info.read(unit, offset);
    const name = this.info.text(unit, entry, attribute.name);
    if (entry.tag === tag.baseType) return spelled(name);
    if (name !== '') return name;
    const target = this.info.follow(unit, entry, attribute.type);
    const inner = target === null ? 'void' : this.nameOf(target, depth + 1);
    switch (entry.tag) {
      case tag.constType:
      case tag.volatileType:
      case tag.restrictType:
      case tag.atomicType:
        return qualified(entry.tag, '', inner);
      case tag.pointerType:
        return functionPointerName(`${inner}*`, '*');
      case tag.referenceType:
        return `${inner}&`;
      case tag.rvalueReferenceType:
        return `${inner}&&`;
      case tag.arrayType:
        return `${inner}[]`;
      case tag.subroutineType:
        return this.#signatureName(unit, entry, inner, depth);
      default:
        return 'struct';
    }
  }

  #signatureName(unit: Unit, entry: Entry, returns: string, depth: number): string {
    const parameters: string[] = [];
    this.children(unit, entry, (child) => {
      if (child.tag === tag.unspecifiedParameters) parameters.push('...');
      if (child.tag !== tag.formalParameter || parameters.length > 32) return;
      const target = this.info.follow(unit, child, attribute.type);
      parameters.push(target === null ? '?' : this.nameOf(target, depth + 1));
    });
    return `${returns} (${parameters.join(', ')})`;
  }

  #enumeration(
    unit: Unit,
    entry: Entry,
    name: string,
    bytes: number | null,
    depth: number,
  ): TypeDescription {
    const underlying = entry.has(attribute.type)
      ? this.ofEntry(unit, entry, depth + 1).value
      : null;
    const members: (readonly [string, string])[] = [];
    let sawNegative = false;
    this.children(unit, entry, (child) => {
      if (child.tag !== tag.enumerator || members.length >= maxMembers) return;
      const value = this.info.constant(unit, child, attribute.constValue);
      if (value < 0n) sawNegative = true;
      members.push([value.toString(), this.info.text(unit, child, attribute.name)]);
    });
    const signed =
      underlying?.kind === 'int' || underlying?.kind === 'char' ? underlying.signed : sawNegative;
    const size =
      bytes ?? (underlying !== null && 'bytes' in underlying ? (underlying.bytes ?? 4) : 4);
    if (size > 8) return unknownType(name, 'an enumeration above 64 bits');
    return {
      value: { kind: 'enum', name: name || 'enum', bytes: size, signed, members },
      layout: { kind: 'integer', bytes: size },
    };
  }

  #array(unit: Unit, entry: Entry, depth: number): TypeDescription {
    const element = this.ofEntry(unit, entry, depth + 1);
    const size =
      'bytes' in element.layout ? element.layout.bytes : element.layout.kind === 'unknown' ? 0 : 16;
    const count = this.#dimensions(unit, entry).reduce((all, one) => all * one, 1);
    const name = `${'name' in element.value ? element.value.name : '?'}[${count}]`;
    const bytes = count * size;
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      return unknownType(name, 'an array of impossible size');
    if (entry.value(attribute.gnuVector) === 1) {
      return { value: { kind: 'opaque', name, bytes }, layout: { kind: 'vector', bytes } };
    }
    const isFlexible = count === 0 && languageNames.get(unit.language) !== 'Rust';
    // GCC passes a structure that ends in one as if it did not, clang in memory.
    const layout: Layout =
      isFlexible && isLlvm(unit)
        ? { kind: 'unknown', reason: 'a flexible array' }
        : { kind: 'array', bytes, element: element.layout, count };
    return { value: { kind: 'opaque', name, bytes }, layout };
  }

  /** How many elements an array type has in each of its dimensions, the outermost first; 0 where that is not known. */
  dimensions({ unit, offset }: TypeReference): number[] {
    return this.#dimensions(unit, this.info.read(unit, offset, new Entry()));
  }

  #dimensions(unit: Unit, entry: Entry): number[] {
    const counts: number[] = [];
    this.children(unit, entry, (child) => {
      if (child.tag !== tag.subrange) return;
      const { count, upperBound } = attribute;
      // Only the program knows how long a flexible array is, and one of C whose length is computed.
      if (isConstant(child.formOf(count))) counts.push(child.value(count));
      else counts.push(isConstant(child.formOf(upperBound)) ? child.value(upperBound) + 1 : 0);
    });
    return counts;
  }

  /** Visits the direct children of an entry; the entry passed in must not be read into meanwhile. */
  children(unit: Unit, parent: Entry, visit: (child: Entry) => void): void {
    if (!parent.hasChildren) return;
    const cursor = this.info.cursor(unit);
    const child = this.#spare.pop() ?? new Entry();
    for (let at = parent.after; child.read(cursor, at, unit.table, unit.header);) {
      // The visitor reads other entries, but never this one's attributes.
      at = afterChildren(child, cursor, unit.table, unit.header);
      visit(child);
    }
    this.#spare.push(child);
  }
}

export function unknownType(name: string, reason: string): TypeDescription {
  return {
    value: name === '' ? { kind: 'unknown' } : { kind: 'opaque', name, bytes: null },
    layout: { kind: 'unknown', reason },
  };
}

function aggregateType(
  name: string,
  bytes: number | null,
  entry: Entry,
  layout: Layout,
): TypeDescription {
  return {
    value: {
      kind: 'opaque',
      name,
      bytes: entry.value(attribute.isDeclaration) === 1 ? null : bytes,
    },
    layout,
  };
}

function baseType(
  rawName: string,
  bytes: number,
  code: number,
  longDouble: TypeReader['longDouble'],
): TypeDescription {
  const name = spelled(rawName);
  const word: Layout = { kind: 'integer', bytes };
  if (bytes === 0) return { value: { kind: 'opaque', name, bytes }, layout: { kind: 'none' } };
  switch (code) {
    case encoding.boolean:
      return { value: { kind: 'bool', name, bytes }, layout: word };
    case encoding.address:
      return { value: { kind: 'pointer', name }, layout: word };
    case encoding.utf:
      return { value: { kind: 'char', name, bytes, signed: false }, layout: word };
    case encoding.signed:
    case encoding.unsigned:
    case encoding.signedChar:
    case encoding.unsignedChar: {
      const signed = code === encoding.signed || code === encoding.signedChar;
      const errno = errnoType(name, bytes);
      if (errno) return { value: errno, layout: word };
      if (bytes > 8)
        return {
          value: { kind: 'opaque', name, bytes },
          layout:
            bytes === 16 ? { kind: 'integer128' } : { kind: 'unknown', reason: 'a wide integer' },
        };
      return {
        value: {
          kind: name === 'char' || name === 'wchar_t' ? 'char' : 'int',
          name,
          bytes,
          signed,
        },
        layout: word,
      };
    }
    case encoding.float:
      return floatType(name, bytes, longDouble);
    case encoding.complexFloat:
      return { value: { kind: 'opaque', name, bytes }, layout: { kind: 'complex', bytes } };
    default:
      return {
        value: { kind: 'opaque', name, bytes },
        layout: { kind: 'unknown', reason: 'a number of a kind that is not read' },
      };
  }
}

function floatType(
  name: string,
  bytes: number,
  longDouble: TypeReader['longDouble'],
): TypeDescription {
  if (bytes === 4 || bytes === 8)
    return { value: { kind: 'float', name, bytes }, layout: { kind: 'float', bytes } };
  const opaque: ValueType = { kind: 'opaque', name, bytes };
  if (bytes === 2) return { value: opaque, layout: { kind: 'vector', bytes: 2 } };
  if (bytes === 16)
    return {
      value: opaque,
      layout:
        name === 'long double' && longDouble === 'extended'
          ? { kind: 'extended' }
          : { kind: 'vector', bytes },
    };
  return { value: opaque, layout: { kind: 'unknown', reason: 'a float of unusual size' } };
}

const integerWords = /^(?:(?:long|short|unsigned|signed|int|char) ?)+$/;

/** `long unsigned int` is written `unsigned long` by people. */
function spelled(name: string): string {
  return integerWords.test(name) ? integerName(name.split(' ')) : name;
}

function renamed(type: TypeDescription, rename: (name: string) => string): TypeDescription {
  if (type.value.kind === 'unknown' || type.value.kind === 'dynamic') return type;
  if (type.value.kind === 'void') return nothing;
  return { ...type, value: { ...type.value, name: rename(type.value.name) } };
}

function qualified(entryTag: number, name: string, inner: string): string {
  switch (entryTag) {
    case tag.constType:
      // A constant pointer is told by its star; at the top level the word says nothing to a reader.
      return /[*&]$/.test(inner) ? inner : `const ${inner}`;
    case tag.volatileType:
      return `volatile ${inner}`;
    case tag.restrictType:
    case tag.atomicType:
      return inner;
    default:
      return name;
  }
}

/** `void (int)*` → `void (*)(int)`. */
function functionPointerName(name: string, mark: string): string {
  const match = mark === '*' ? /^(.*?) \((.*)\)\*$/.exec(name) : null;
  return match === null ? name : `${match[1] ?? ''} (*)(${match[2] ?? ''})`;
}
