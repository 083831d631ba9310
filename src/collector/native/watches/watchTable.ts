import { loadDirect, watchEntry } from '../../../protocol/record.ts';
import type { WatchType } from '../../../model/watches/watch.ts';
import type { WatchProgram } from './compileWatch.ts';

type Tree = Extract<WatchType, { kind: 'tree' }>;

/** A watch in some functions. */
export interface NumberedWatch {
  readonly number: number;
  readonly program: WatchProgram;
}

/** What is sampled, by `id`. */
export type FunctionWatches = ReadonlyMap<string, readonly NumberedWatch[]>;

/** What the table depends on in a process. */
export interface WatchSurroundings {
  /** The ELF file it runs. */
  readonly image: string;
  /** First step of the walk that copies a value; null: there are too many. */
  walkOf(type: Tree): number | null;
  /** Run-time address of an offset in a module; null: the module is not loaded. */
  addressIn(module: string, offset: number): bigint | null;
}

/** A call into the target carries some bytes, or none at all arrive. */
export const noWatches = Buffer.alloc(8);

/** The binary table of the engine's watch call (protocol/record `watchEntry`), and its counts. */
export function encodeWatchTable(
  wanted: FunctionWatches,
  numbers: ReadonlyMap<string, number>,
  around: WatchSurroundings,
): {
  readonly bytes: Buffer;
  readonly watches: number;
  readonly sets: number;
  readonly functions: number;
} {
  const rows: Buffer[] = [];
  const indexes = new Map<NumberedWatch, number | null>();
  const sets = new Map<string, number>();
  const setRows: Buffer[] = [];
  const functions: number[] = [];
  const indexOf = (watch: NumberedWatch): number | null => {
    const known = indexes.get(watch);
    if (known !== undefined) return known;
    const row = rows.length < watchEntry.mostWatches ? encodeWatch(watch, around) : null;
    const index = row ? rows.push(row) - 1 : null;
    indexes.set(watch, index);
    return index;
  };
  for (const [key, watches] of wanted) {
    const fn = numbers.get(key);
    const own = watches.flatMap((watch) => {
      const index = fn === undefined ? null : indexOf(watch);
      return index === null ? [] : [{ index, at: watch.program.at }];
    });
    if (fn === undefined || own.length === 0) continue;
    const name = own.map(({ index }) => index).join();
    let set = sets.get(name);
    if (set === undefined) {
      set = setRows.push(encodeSet(own)) - 1;
      sets.set(name, set);
    }
    functions.push(fn, set);
  }
  const list = Buffer.from(Uint32Array.from(functions).buffer);
  return {
    bytes: rows.length > 0 ? Buffer.concat([...rows, ...setRows, list]) : noWatches,
    watches: rows.length,
    sets: setRows.length,
    functions: functions.length / 2,
  };
}

/** Words of an expression in a process; null: a variable of it is not there. */
export function placedWords(
  program: Pick<WatchProgram, 'words' | 'fixups'>,
  around: Pick<WatchSurroundings, 'image' | 'addressIn'>,
): bigint[] | null {
  const words = [...program.words];
  for (const { at, variable, load } of program.fixups) {
    const isOwn = variable.module === around.image;
    if (variable.place.kind === 'thread') {
      if (!isOwn) return null;
    } else if (variable.place.kind === 'static') {
      const address = around.addressIn(variable.module, variable.place.offset);
      if (address === null || at === null) return null;
      words[at] = address;
    }
    // Only what is there from the program's start to its end is read without asking the kernel.
    if (isOwn && load !== null) words[load] = (words[load] ?? 0n) | BigInt(loadDirect);
  }
  return words;
}

/** Null: a variable of it is not in this process, or there is no room. */
export function encodeWatch(
  { number, program }: NumberedWatch,
  around: WatchSurroundings,
): Buffer | null {
  const words = placedWords(program, around);
  if (words === null) return null;
  const { type } = program;
  const where = type.kind === 'tree' ? around.walkOf(type) : program.where;
  if (where === null) return null;
  const row = Buffer.alloc(watchEntry.bytes);
  row.writeUInt16LE(number, watchEntry.number);
  row.writeUInt8(program.at, watchEntry.at);
  row.writeUInt8(program.form, watchEntry.form);
  row.writeUInt32LE(words.length, watchEntry.words);
  row.writeUInt32LE(where, watchEntry.where);
  row.writeUInt32LE(program.limit, watchEntry.limit);
  for (const [i, word] of words.entries())
    row.writeBigUInt64LE(BigInt.asUintN(64, word), watchEntry.code + i * 8);
  return row;
}

function encodeSet(own: readonly { readonly index: number; readonly at: number }[]): Buffer {
  const row = Buffer.alloc(watchEntry.setBytes);
  row.writeUInt32LE(own.length, 0);
  for (const [i, { index }] of own.entries()) row.writeUInt16LE(index, 4 + i * 2);
  row.writeUInt32LE(
    own.reduce((all, one) => all | one.at, 0),
    watchEntry.setBytes - 4,
  );
  return row;
}
