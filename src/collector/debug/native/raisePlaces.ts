import { basename } from 'node:path';
import { memoryOf } from '../../../base/proc.ts';
import { matchesName, parsePattern, type Pattern } from '../../../model/names/pattern.ts';
import type { ExceptionKind } from '../../../model/probes/probe.ts';
import { typeNames } from '../../exceptions/nativeExceptions.ts';
import { exceptionLibraries } from '../../native/exceptionFunctions.ts';
import type { NativeCode } from '../../native/nativeParts.ts';
import type { PlaceInModule, ProcessMaps } from './processMaps.ts';

/** A function that raises exceptions, where that is loaded. */
export interface RaisePlace extends PlaceInModule {
  readonly name: string;
}

/** What every exception of a language comes through, before its stack is unwound. */
const raisers = {
  cpp: ['__cxa_throw'],
  panic: ['rust_panic', '__rustc::rust_panic'],
  python: [],
  js: [],
} as const satisfies Record<ExceptionKind, readonly string[]>;

/** Where exceptions are raised: by the program itself, or by a library of the language. */
export async function raisePlaces(
  code: NativeCode,
  maps: ProcessMaps,
  exception: ExceptionKind,
  own: readonly string[],
): Promise<RaisePlace[]> {
  const mapped = new Set(maps.mappings.map(({ path }) => path));
  const libraries = [...mapped].filter((path) => exceptionLibraries.test(basename(path)));
  const modules = [...new Set([...own, ...libraries])].filter((path) => mapped.has(path));
  const found = await Promise.all(
    raisers[exception].map(async (name) => {
      const options = { projectRoot: '/', isOnlyWhether: true };
      const { value } = await code.find(modules, parsePattern(name), options);
      return value.functions.map(({ unit, offset }) => ({ module: unit, offset, name }));
    }),
  );
  const places = new Map(found.flat().map((one) => [`${one.module} ${one.offset}`, one] as const));
  return [...places.values()];
}

/** Whether a type that is thrown, or one that it is derived from, is meant. */
export async function isTypeMeant(
  code: NativeCode,
  pid: number,
  type: bigint,
  pattern: Pattern,
): Promise<boolean> {
  const names = await typeNames(code, namesOf(pid, type, 0));
  return names.some((name) => matchesName(pattern, name));
}

const mostNameBytes = 256;
const deepest = 8;
const mostBases = 8;

/**
 * The names of a `type_info` and of its bases. Behind its name it has nothing, one base, or flags, the number of bases,
 * and each base with an offset (Itanium C++ ABI §2.9.5).
 */
function namesOf(pid: number, type: bigint, depth: number): string[] {
  const words = wordsOf(pid, type, 4);
  const name = words[1] === undefined ? '' : nameAt(pid, words[1]);
  if (name === '' || depth > deepest) return [];
  const [, , third = 0n] = words;
  const single = namesOf(pid, third, depth + 1);
  if (single.length > 0) return [name, ...single];
  const count = Number((third >> 32n) & 0xffff_ffffn);
  const bases = count > mostBases ? [] : wordsOf(pid, type + 24n, 2 * count);
  const of = bases.filter((_word, i) => i % 2 === 0);
  return [name, ...of.flatMap((base) => namesOf(pid, base, depth + 1))];
}

function wordsOf(pid: number, address: bigint, count: number): bigint[] {
  if (address < 4096n || address >= 1n << 47n) return [];
  const bytes = memoryOf(pid, address, 8 * count);
  return Array.from({ length: bytes.length >> 3 }, (_, i) => bytes.readBigUInt64LE(8 * i));
}

/** Empty: there is no name of a type. A star in front means that it is compared by its address. */
function nameAt(pid: number, address: bigint): string {
  if (address < 4096n || address >= 1n << 47n) return '';
  const text = memoryOf(pid, address, mostNameBytes).toString('latin1');
  const end = text.indexOf('\0');
  const name = (end < 0 ? '' : text.slice(0, end)).replace(/^\*/, '');
  return /^[\w$.]+$/.test(name) ? name : '';
}
