import { attribute, languageNames } from '../constants.ts';
import type { DebugInfo } from '../debugInfo.ts';
import { Entry, afterChildren } from '../entry.ts';
import { mostBytes, tooMuch } from './hierarchy.ts';
import { bytesOf } from './members.ts';
import { readAddressesOf } from '../../elf/symbolTable.ts';
import { descriptor, descriptorsIn, kindBits } from './goTypeTable.ts';
import type { TypeReader, TypeReference } from './types.ts';
import type { Unit } from '../unitTable.ts';

/** A type that a value in an interface of Go may be of. */
export interface GoType {
  readonly name: string;
  /** What descriptors of it say (internal/abi Type.Hash). */
  readonly hash: number;
  /** Null: it is not described. */
  readonly type: TypeReference | null;
  /** Its value is a pointer, which lies in the interface itself. */
  readonly isDirect: boolean;
}

/** Of internal/abi.Kind, as DW_AT_go_kind has it. */
export const goKind = {
  chan: 18,
  func: 19,
  interface: 20,
  map: 21,
  slice: 23,
  string: 24,
  struct: 25,
} as const;

/** Types of one kind are laid out alike: those of Go's own by their kind, others have none here. */
const basic: ReadonlyMap<number, string> = new Map([
  ...'bool int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64'
    .split(' ')
    .map((name, at) => [at + 1, name] as const),
  [goKind.string, 'string'],
]);
const mostTypes = 2048;

interface Program {
  /** Those that are told apart by their hashes. */
  readonly types: readonly GoType[];
  /** By the name of an interface that they are put into. */
  readonly within: ReadonlyMap<string, readonly GoType[]>;
}

const known = new WeakMap<DebugInfo, Program>();

/** The types that values of an interface may be of, those that are likeliest first; `isAny`: it asks for no methods. */
export function goTypesWithin(types: TypeReader, name: string, isAny: boolean): readonly GoType[] {
  const { info } = types;
  // All its types are read once.
  if (info.size > mostBytes) {
    info.leftOut.add(`the type of what an interface holds is not shown: ${tooMuch(info)}`);
    return [];
  }
  let program = known.get(info);
  if (program === undefined) {
    program = readProgram(types);
    known.set(info, program);
  }
  const within = program.within.get(name) ?? [];
  return (isAny ? program.types : within).slice(0, mostTypes);
}

function readProgram(types: TypeReader): Program {
  const { info } = types;
  const all = info.units
    .filter((unit) => languageNames.get(unit.language) === 'Go')
    .flatMap((unit) => [...typesIn(types, unit, typesStart(info))]);
  const tables = tablesOf(info);
  const undescribed = undescribedIn(info, all);
  const byHash = new Map<number, GoType | null>();
  for (const one of [...all, ...undescribed, ...tables.map(({ type }) => type)]) {
    const other = byHash.get(one.hash);
    const isSame = other === undefined || other?.name === one.name;
    byHash.set(one.hash, isSame ? (other ?? one) : null);
  }
  const within = new Map<string, GoType[]>();
  for (const { type, of } of tables) {
    const told = byHash.get(type.hash);
    if (told) within.set(of, [...(within.get(of) ?? []), told]);
  }
  const errors = new Set(within.get('error'));
  const order = (one: GoType): number => (errors.has(one) ? 2 : likelihood(one));
  const told = [...byHash.values()].filter((one) => one !== null);
  return { types: told.toSorted((a, b) => order(a) - order(b)), within };
}

/** Those without debug information (until Go 1.22: of no variable), as the declared type of their kind. */
function undescribedIn(info: DebugInfo, all: readonly GoType[]): readonly GoType[] {
  const hashes = new Set(all.map(({ hash }) => hash));
  const byName = new Map(all.map((one) => [one.name, one.type]));
  const ends = readAddressesOf(info.elf, /^runtime\.e?types$/);
  const [from = -1, to = -1] = [ends.get('runtime.types'), ends.get('runtime.etypes')];
  return [...descriptorsIn(info.elf, from, to)].flatMap(({ name, hash, kind }) => {
    const type = byName.get(basic.get(kind) ?? '') ?? null;
    return hashes.has(hash) ? [] : [{ name, hash, type, isDirect: false }];
  });
}

/** Go's own types and the program's before those of libraries, of these the ones that others can name. */
function likelihood({ name }: GoType): number {
  if (/^(?:\[\]|map\[string\])?(?:u?int\d*|float\d+|string|bool|interface \{\})$/.test(name))
    return 0;
  if (/^\*?main\.\w+$/.test(name)) return 1;
  if (name === 'runtime.boundsError') return 2;
  if (!/[./]/.test(name)) return 3;
  const isPublic = /^\*?(?:[\w.-]+\/)*[\w-]+\.[A-Z]\w*$/.test(name);
  return isPublic && !/^\*?(?:.*\/)?(?:internal|vendor|runtime)[/.]/.test(name) ? 4 : 5;
}

function typesStart(info: DebugInfo): number {
  return readAddressesOf(info.elf, /^runtime\.types$/).get('runtime.types') ?? -1;
}

/** Tables of methods name a type and an interface: `go:itab.*errors.errorString,error`. */
function tablesOf(info: DebugInfo): { readonly type: GoType; readonly of: string }[] {
  return [...readAddressesOf(info.elf, /^go:itab\./)].flatMap(([symbol, address]) => {
    const [, name, of] = /^go:itab\.(.+),([^,]+)$/.exec(symbol) ?? [];
    const bytes = address < 0 ? null : info.elf.bytesAt(address + descriptor.hash, 4);
    if (name === undefined || of === undefined || bytes?.length !== 4) return [];
    const hash = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    return hash === 0 ? [] : [{ type: { name, hash, type: null, isDirect: false }, of }];
  });
}

/** They stand beside each other, behind the functions. */
function* typesIn(types: TypeReader, unit: Unit, start: number): Iterable<GoType> {
  const { info } = types;
  const { header, table } = unit;
  const cursor = info.cursor(unit);
  const entry = new Entry();
  if (start <= 0 || !entry.read(cursor, header.firstEntry, table, header)) return;
  for (let at = entry.after; at < cursor.bytes.length;) {
    if (!entry.read(cursor, at, table, header)) break;
    const from = entry.value(attribute.goRuntimeType);
    const type = { unit, offset: entry.offset };
    const kind = entry.value(attribute.goKind);
    const name = from > 0 ? info.text(unit, entry, attribute.name) : '';
    at = afterChildren(entry, cursor, table, header);
    const one = name === '' ? null : described(types, type, { name, kind, address: start + from });
    if (one) yield one;
  }
}

/** Null where the program's own description is not laid out as is known: it says the type's kind and size, too. */
function described(
  types: TypeReader,
  type: TypeReference,
  {
    name,
    kind,
    address,
  }: { readonly name: string; readonly kind: number; readonly address: number },
): GoType | null {
  const bytes = types.info.elf.bytesAt(address, descriptor.bytes);
  if (bytes?.length !== descriptor.bytes) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = Number(view.getBigUint64(descriptor.size, true));
  const pointers = Number(view.getBigUint64(descriptor.pointers, true));
  const hash = view.getUint32(descriptor.hash, true);
  const isSame =
    size === bytesOf(types, type) && (view.getUint8(descriptor.kind) & kindBits) === kind;
  return isSame && hash !== 0 ? { name, type, hash, isDirect: size === 8 && pointers === 8 } : null;
}
