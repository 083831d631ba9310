import { memoryOf, readOf } from '../../../base/proc.ts';
import type { PlaceSurroundings } from './writePlace.ts';
import { parseMapping } from '../../../model/endings/snapshot.ts';

/** One process, and what it has loaded. */
export interface ProcessPlaces extends PlaceSurroundings {
  readonly pid: number;
  holds(module: string): boolean;
}

/**
 * Of the first process that has all these modules now, or of the first of all where none has; nothing of
 * them is stopped.
 */
export function placesWith(
  modules: readonly string[],
  pids: readonly number[],
): ProcessPlaces | null {
  const all = pids.map((pid) => processPlaces(pid));
  return all.find((one) => modules.every((module) => one.holds(module))) ?? all[0] ?? null;
}

/** The file whose code is at an address of a process, and where in it from where it begins in memory; null: none is. */
export function codePlace(
  pid: number,
  address: bigint,
): { readonly module: string; readonly offset: number } | null {
  const mappings = (readOf(pid, 'maps') ?? '')
    .split('\n')
    .flatMap((line) => parseMapping(line) ?? []);
  const holder = mappings.find(({ start, end }) => address >= start && address < end);
  const first = holder && mappings.find(({ path }) => path === holder.path);
  if (!first?.path.startsWith('/')) return null;
  return { module: first.path, offset: Number(address - (first.start - first.offset)) };
}

function processPlaces(pid: number): ProcessPlaces {
  const mappings = (readOf(pid, 'maps') ?? '')
    .split('\n')
    .flatMap((line) => parseMapping(line) ?? []);
  return {
    pid,
    holds: (module) => mappings.some(({ path }) => path === module),
    addressIn(module, offset) {
      const first = mappings.find(({ path }) => path === module);
      return first === undefined ? null : first.start - first.offset + BigInt(offset);
    },
    read(address, bytes) {
      const read = memoryOf(pid, address, bytes);
      if (read.length < bytes) return null;
      return Buffer.concat([read, Buffer.alloc(8)]).readBigUInt64LE(0);
    },
  };
}
