import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Mapping } from '../../../model/endings/snapshot.ts';
import { ElfFile } from '../../native/elf/elfFile.ts';
import { readAddressesOf } from '../../native/elf/symbolTable.ts';
import type { ForeignMemory } from '../../stackReader.ts';
import { Unreadable } from './unreadable.ts';
import { layouts, type Layout } from './layouts.ts';
import { Objects } from './objects.ts';

/** An interpreter in a process. */
export interface FoundInterpreter {
  readonly objects: Objects;
  /** `_PyRuntime`. */
  readonly runtime: number;
}

/** Why stacks of an interpreter cannot be read; a whole sentence. */
export class UnknownInterpreter extends Error {}

const FIRST_WITH_SECTION = 13;
const cookie = 'xdebugpy';
/** A version: 3.12 in `python3.12`, `libpython3.12.so.1.0`. */
const fileName = /^(?:lib)?python3\.(\d+)/;

/** Where `_PyRuntime` lies in files, by path and time of change; null: it does not. */
const places = new Map<string, number | null>();
const MOST_PLACES = 200;

/** The interpreter of a process; null: it has none. Throws `UnknownInterpreter`. */
export function findInterpreter(
  mappings: readonly Mapping[],
  image: string,
  memory: ForeignMemory,
): FoundInterpreter | null {
  for (const { path, start, offset } of mappings) {
    if (offset !== 0n || (path !== image && !basename(path).includes('python'))) continue;
    const place = placeIn(path);
    if (place === null) continue;
    const runtime = Number(start) + place;
    const minor = minorOf(memory, runtime, path);
    const layout = layouts.find((row) => row.minor === minor);
    if (layout === undefined)
      throw new UnknownInterpreter(
        `Python stacks are not shown: version ${minor ?? 'unknown'} of ${path} is not known here.`,
      );
    return { objects: new Objects(memory, layout), runtime };
  }
  return null;
}

/** From 3.13 on an interpreter says it itself. */
function minorOf(memory: ForeignMemory, runtime: number, path: string): number | null {
  const head = memory.read(runtime, 24);
  if (head.length === 24 && head.toString('latin1', 0, 8) === cookie) {
    if (head.readUInt32LE(16) !== 0)
      throw new UnknownInterpreter('Python stacks are not shown: it is a free-threaded build.');
    return head.readUInt8(10);
  }
  const minor = Number(fileName.exec(basename(path))?.[1] ?? Number.NaN);
  return Number.isNaN(minor) || minor >= FIRST_WITH_SECTION ? null : minor;
}

function placeIn(path: string): number | null {
  try {
    const { mtimeMs, size } = statSync(path);
    const key = `${path}\0${mtimeMs}\0${size}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    if (places.size >= MOST_PLACES) places.clear();
    using elf = ElfFile.open(path);
    const base = elf.segments.find(({ type }) => type === 1)?.address ?? 0;
    const address =
      readAddressesOf(elf, /^_PyRuntime$/).get('_PyRuntime') ?? elf.section('.PyRuntime')?.address;
    const place = address === undefined || address < 0 ? null : address - base;
    places.set(key, place);
    return place;
  } catch {
    return null; // It is gone, or no such file.
  }
}

/** Thread states of all its interpreters. Throws `Unreadable`. */
export function threadStates({
  objects,
  runtime,
}: FoundInterpreter): { interpreter: number; threads: number[] }[] {
  const { runtimeInterpreters, interpreterNext, interpreterThreads, threadNext } = objects.layout;
  return chain(objects, runtime + runtimeInterpreters, interpreterNext).map((interpreter) => ({
    interpreter,
    threads: chain(objects, interpreter + interpreterThreads, threadNext),
  }));
}

const MOST_THREADS = 256;

/** What a list leads to, from the place of its first on. */
function chain(objects: Objects, first: number, next: Layout[keyof Layout]): number[] {
  const found: number[] = [];
  for (
    let at = objects.pointer(first);
    at !== 0 && found.length < MOST_THREADS;
    at = objects.pointer(at + next)
  ) {
    if (found.includes(at)) throw new Unreadable();
    found.push(at);
  }
  return found;
}
