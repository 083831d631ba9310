import { className } from '../../../../model/names/className.ts';
import { readAddressesOf } from '../../elf/symbolTable.ts';
import { attribute, form, languageNames, tag } from '../constants.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { Entry, afterChildren } from '../entry.ts';
import type { TypeReader, TypeReference } from './types.ts';
import type { Unit } from '../unitTable.ts';

/** A class that objects of a base may be of, told by its vtable. */
export interface Derived {
  readonly name: string;
  readonly type: TypeReference;
  /** Where its objects point to in its vtable, in the file, and how far behind its type info that is. */
  readonly vtable: number;
  readonly apart: number;
}

interface Class {
  /** As the name in its type info is read. */
  name: string;
  readonly type: TypeReference;
  readonly bytes: number;
  /** Offsets of its bases' entries, and of those that lie at its beginning. */
  readonly bases: number[];
  readonly first: number[];
  hasVirtualBase: boolean;
}

/** Of .debug_info, which is read once for its classes: where there is more, none is known. */
export const mostBytes = 32 << 20;
const mostDerived = 8;
const mostLevels = 16;
/** Where objects point to in a vtable: behind the offset to the whole and the type info (Itanium C++ ABI §2.5.2). */
const addressPoint = 16;

const known = new WeakMap<DebugInfo, Hierarchy>();

/**
 * Classes that begin with an object of class `base`, most of all those that nothing derives from, in the order of `apart`,
 * of which several may have the same. Not those with virtual bases, whose
 * vtables begin otherwise, nor those whose vtable or type info is not of this file.
 */
export function derivedFrom(
  types: TypeReader,
  base: TypeReference,
  most = mostDerived,
): readonly Derived[] {
  const { info } = types;
  if (info.size > mostBytes) {
    info.leftOut.add(
      `an object behind a pointer to its base shows its class, but only the fields of the base: ${tooMuch(info)}`,
    );
    return [];
  }
  let hierarchy = known.get(info);
  if (hierarchy === undefined) {
    hierarchy = new Hierarchy(info);
    known.set(info, hierarchy);
  }
  return hierarchy.below(base, most);
}

/** Why its types are not known. */
export function tooMuch({ size }: DebugInfo): string {
  return `its debug information (${Math.round(size / 2 ** 20)} MB) is more than the ${mostBytes >> 20} MB that are gone through for that`;
}

/** The classes of one program's C++, by their names: each unit describes those it uses. */
class Hierarchy {
  readonly #names = new Map<number, string>();
  readonly #byBase = new Map<string, Class[]>();
  readonly #classes = new Map<string, Class>();
  readonly #unclear = new Set<string>();
  readonly #places = new Map<string, Pick<Derived, 'vtable' | 'apart'>>();

  constructor(info: DebugInfo) {
    const found = info.units.flatMap((unit) =>
      unit.isTypes || languageNames.get(unit.language) !== 'C++' ? [] : classesIn(info, unit),
    );
    for (const one of found) this.#names.set(keyOf(one.type), one.name);
    for (const one of found) this.#add(one);
    const symbols = readAddressesOf(info.elf, /^_ZT[VI]/);
    for (const [symbol, address] of symbols) {
      const typeInfo = symbol.startsWith('_ZTV')
        ? symbols.get(`_ZTI${symbol.slice(4)}`)
        : undefined;
      if (typeInfo === undefined || typeInfo < 0 || address < 0) continue;
      const vtable = address + addressPoint;
      this.#places.set(className(symbol.slice(4)), { vtable, apart: vtable - typeInfo });
    }
  }

  #add(one: Class): void {
    const same = this.#classes.get(one.name);
    if (same) {
      // Two of one name that differ: which of them a vtable is of is not known.
      const isHidden = hidden.test(one.name);
      if (isHidden || same.bytes !== one.bytes) this.#unclear.add(one.name);
      return;
    }
    this.#classes.set(one.name, one);
    for (const key of one.first) {
      const base = this.#names.get(key);
      if (base === undefined) continue;
      const list = this.#byBase.get(base);
      if (list) list.push(one);
      else this.#byBase.set(base, [one]);
    }
  }

  below(base: TypeReference, most: number): readonly Derived[] {
    const name = this.#names.get(keyOf(base));
    const found = new Map<string, Class>();
    if (name !== undefined) this.#collect(name, found, 0);
    const told = [...found.values()].flatMap((one): Derived[] => {
      const place = this.#unclear.has(one.name) ? undefined : this.#places.get(one.name);
      return place && !this.#isVirtual(one, 0)
        ? [{ name: one.name, type: one.type, ...place }]
        : [];
    });
    const isLeaf = ({ name: own }: Derived): boolean => !this.#byBase.has(own);
    return [...told.filter(isLeaf), ...told.filter((one) => !isLeaf(one))]
      .slice(0, most)
      .toSorted((a, b) => a.apart - b.apart);
  }

  #collect(base: string, found: Map<string, Class>, level: number): void {
    for (const one of this.#byBase.get(base) ?? []) {
      if (found.has(one.name) || level > mostLevels) continue;
      found.set(one.name, one);
      this.#collect(one.name, found, level + 1);
    }
  }

  /** Whether it or a base has a virtual base, or that is not known. */
  #isVirtual({ hasVirtualBase, bases }: Class, level: number): boolean {
    if (hasVirtualBase || level > mostLevels) return true;
    return bases.some((key) => {
      const base = this.#classes.get(this.#names.get(key) ?? '');
      return base === undefined || this.#isVirtual(base, level + 1);
    });
  }
}

function keyOf({ unit, offset }: TypeReference): number {
  return unit.header.start + offset;
}

const scopeTags = new Set<number>([
  tag.compileUnit,
  tag.partialUnit,
  tag.namespace,
  tag.structureType,
  tag.classType,
]);

const anonymous = '(anonymous namespace)';
/** Other units may have another of this name: also of lambdas of functions that only one unit has. */
const hidden = /\(anonymous namespace\)|_GLOBAL__N_|\$_\d/;

interface Scope {
  readonly name: string;
  /** Null for what is no class. */
  readonly described: Class | null;
}

/** The classes that a unit describes. */
function classesIn(info: DebugInfo, unit: Unit): Class[] {
  const { header, table } = unit;
  const cursor = info.cursor(unit);
  const entry = new Entry();
  const open: Scope[] = [];
  const found: Class[] = [];
  for (let at = header.firstEntry; at < cursor.bytes.length;) {
    if (!entry.read(cursor, at, table, header)) {
      at = entry.after;
      open.pop();
      if (open.length === 0) break;
      continue;
    }
    const outer = open.at(-1);
    if (entry.tag === tag.inheritance && outer?.described)
      noteBase(info, unit, entry, outer.described);
    if (entry.tag === tag.subprogram && outer?.described)
      noteMethod(info, unit, entry, outer.described);
    const isScope = entry.hasChildren && scopeTags.has(entry.tag);
    if (!isScope && !outer) break;
    if (!isScope) {
      at = afterChildren(entry, cursor, table, header);
      continue;
    }
    const scope = scopeOf(info, unit, entry, outer ?? null);
    open.push(scope);
    if (scope.described) found.push(scope.described);
    at = entry.after;
  }
  return found;
}

function scopeOf(info: DebugInfo, unit: Unit, entry: Entry, outer: Scope | null): Scope {
  if (!outer) return { name: '', described: null };
  const own = info.text(unit, entry, attribute.name);
  const isNamespace = entry.tag === tag.namespace;
  const last = own || (isNamespace ? anonymous : '');
  const name = outer.name === '' ? last : `${outer.name}::${last}`;
  const isClass = !isNamespace && own !== '' && entry.value(attribute.isDeclaration) !== 1;
  const type = { unit, offset: entry.offset };
  const bytes = entry.value(attribute.byteSize);
  const described = { name, type, bytes, bases: [], first: [], hasVirtualBase: false };
  return { name, described: isClass ? described : null };
}

/** A lambda in a class's name is described by where it was written: how that is really called its methods say. */
function noteMethod(info: DebugInfo, unit: Unit, entry: Entry, into: Class): void {
  if (!into.name.includes('(lambda at ')) return;
  const own = info.text(unit, entry, attribute.name);
  const linkage = info.text(unit, entry, attribute.linkageName);
  const end = linkage.lastIndexOf(`${own.length}${own}E`);
  const [prefix = ''] = /^_ZNK?/.exec(linkage) ?? [];
  if (prefix !== '' && end > prefix.length)
    into.name = className(`N${linkage.slice(prefix.length, end)}E`);
}

function noteBase(info: DebugInfo, unit: Unit, entry: Entry, into: Class): void {
  const target = info.follow(unit, entry, attribute.type);
  if (!target || entry.value(attribute.virtuality) > 0) {
    into.hasVirtualBase = true;
    return;
  }
  into.bases.push(keyOf(target));
  const isPlain = entry.formOf(attribute.memberLocation) !== form.exprloc;
  if (isPlain && entry.value(attribute.memberLocation) === 0) into.first.push(keyOf(target));
}
