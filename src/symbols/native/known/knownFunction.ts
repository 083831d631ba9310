import { basename } from 'node:path';
import type { Filled, Parameter, ValueType } from '../../../model/values/valueType.ts';
import type { FunctionDetails } from '../dwarf/functions/functionInterface.ts';
import { constants, knownLibraries, type KnownLibrary } from './catalogue.ts';

/** What is known of a function of a library by its name; null: it is not in the catalogue. */
export function knownFunction(path: string, linkageName: string): FunctionDetails | null {
  const file = basename(path);
  const ofFile = knownLibraries.filter(({ files }) => files.test(file));
  const libraries = ofFile.length > 0 ? ofFile : knownLibraries.filter((one) => one.isInPrograms);
  const name = linkageName.replace(/@.*$/, '');
  const functions = libraries.map((one) => functionsOf(one).get(name));
  return functions.find((known) => known !== undefined) ?? null;
}

const read = new Map<KnownLibrary, ReadonlyMap<string, FunctionDetails>>();

function functionsOf(library: KnownLibrary): ReadonlyMap<string, FunctionDetails> {
  let known = read.get(library);
  if (!known) {
    const lines = library.prototypes.split(';').map((line) => line.trim());
    known = new Map(lines.filter((line) => line !== '').map((line) => declared(line, library)));
    read.set(library, known);
  }
  return known;
}

interface Declared {
  readonly type: string;
  readonly name: string;
  /** In brackets. */
  readonly length: string | null;
}

function declaration(text: string): Declared {
  const [, type = '', name = '', length] =
    /^(.*?\W)(\w+)(?:\[(.+)\])?$/.exec(` ${text.trim()}`) ?? [];
  return { type: type.trim().replace(/ (?=\*)/g, ''), name, length: length ?? null };
}

function declared(line: string, library: KnownLibrary): readonly [string, FunctionDetails] {
  const [head = '', list = ''] = line.replace(/\)$/, '').split('(');
  const { type, name } = declaration(head);
  const all = list.split(',').map(declaration);
  const filled = all.findIndex(({ length }) => isFilled(length));
  const parameters = all.flatMap((one, register) => {
    if (one.name === '_' || register === filled) return [];
    return [parameterOf(one, register, all)];
  });
  const signature = `${name}(${all.map((one) => (one.name === '_' ? '…' : `${one.type} ${one.name}`)).join(', ')})`;
  return [
    name,
    {
      signature,
      linkageName: name,
      parameters,
      returns: filled < 0 ? returned(type, library) : filledType(all, filled, library),
      stackBytes: 0,
      variadic: false,
      opensStack: false,
    },
  ];
}

function isFilled(length: string | null): boolean {
  return length !== null && (length === 'return' || /^[*&]/.test(length));
}

function parameterOf(one: Declared, register: number, all: readonly Declared[]): Parameter {
  const { name, type, length } = one;
  const parts = partsOf(type);
  const second = length === 'message' ? 0 : all.findIndex((other) => other.name === length);
  if (second < 0) return { name, type: typeOf(type), place: { kind: 'integer', register } };
  const plain = { pointer: 0, length: 8, byEnd: false, unit: 1, inWords: true } as const;
  const held = parts === null ? plain : { ...plain, parts };
  const isAddress = type.includes('sockaddr');
  return {
    name,
    type: { kind: 'cstring', name: type, held, ...(isAddress ? { socketAddress: true } : {}) },
    place: { kind: 'pair', first: register, second },
  };
}

/** How a buffer is in parts, by its type. */
function partsOf(type: string): 'iovec' | 'msghdr' | null {
  return type.includes('iovec') ? 'iovec' : type.includes('msghdr') ? 'msghdr' : null;
}

/** Spelling, bytes, whether it has a sign. */
const integers: Readonly<Record<string, readonly [bytes: number, signed: boolean]>> = {
  int: [4, true],
  socklen_t: [4, false],
  size_t: [8, false],
  ssize_t: [8, true],
  off_t: [8, true],
  'unsigned long': [8, false],
};

function typeOf(name: string): ValueType {
  if (name === 'const char*' || name === 'char*') return { kind: 'cstring', name };
  if (name.endsWith('*')) return { kind: 'pointer', name };
  const members = constants[name.replace(/^enum /, '')];
  if (name.startsWith('enum ') && members)
    return { kind: 'enum', name: 'int', bytes: 4, signed: true, members };
  const [bytes, signed] = integers[name] ?? [8, false];
  return { kind: 'int', name, bytes, signed };
}

/** No call reads or writes 2 GB at once (read(2)): four bytes hold each count, and errno lies above them. */
function returned(name: string, { hasErrno }: KnownLibrary): ValueType {
  const type = typeOf(name);
  if (!hasErrno || type.kind !== 'int') return type;
  return { ...type, bytes: 4, errno: true };
}

function filledType(
  all: readonly Declared[],
  register: number,
  { hasErrno }: KnownLibrary,
): ValueType {
  const { type: name = '', length } = all[register] ?? {};
  const [, isBeside, second, orPeer] = /^([*&])(\w+)( or peer)?$/.exec(length ?? '') ?? [];
  const through = second === undefined ? null : all.findIndex((one) => one.name === second);
  const parts = partsOf(name);
  const filled = { register, through, hasErrno, ...(parts === null ? {} : { parts }) };
  if (isBeside !== '&') return { kind: 'cstring', name, filled };
  const beside: Filled = {
    ...filled,
    withResult: true,
    ...(orPeer ? { orPeer: true as const } : {}),
  };
  return name.includes('sockaddr')
    ? { kind: 'cstring', name, socketAddress: true, filled: beside }
    : { kind: 'cstring', name, filled: beside };
}
