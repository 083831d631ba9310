import type { Engine } from './engine.ts';
import { isAnyAwaited } from './awaited.ts';
import { importWords } from './importWords.ts';
import { baseOf } from './modules.ts';

/** They take who calls them for who asks. */
const looking = ['dlsym', 'dlvsym', 'dlopen', 'dlmopen'] as const;
/** They look at who called the function that calls them. */
const lookingFurther = ['mcount', '_mcount', '__fentry__'] as const;

/** In the order of native/engine/callers.c. */
const names: readonly string[] = [...looking, ...lookingFurther];
const wordBytes = 8;
const rowBytes = 2 * wordBytes;

interface Row {
  /** Of the function, or of the word through which a module calls it before the loader has found it. */
  readonly address: NativePointer;
  readonly looksFurther: boolean;
}

/** By module, the words through which it calls these functions. */
const words = new Map<string, readonly Row[]>();
/** The functions themselves. Frida's list of modules cannot be asked while a library waits in dlopen(). */
let functions: readonly Row[] = [];

/** Tells the engine where functions are, and by which words these modules call them, that look at their caller. */
export function noteCallers(engine: Engine, paths: readonly string[]): void {
  for (const path of paths) words.set(path, wordsOf(path));
  if (!isAnyAwaited()) functions = functionsNow();
  const rows = [...functions, ...[...words.values()].flat()];
  const table = Memory.alloc(Math.max(rowBytes, rows.length * rowBytes));
  for (const [index, { address, looksFurther }] of rows.entries()) {
    table.add(index * rowBytes).writePointer(address);
    table.add(index * rowBytes + wordBytes).writeU64(looksFurther ? 1 : 0);
  }
  const set = new NativeFunction(engine.entry('engine_set_callers'), 'void', ['pointer', 'uint32']);
  set(table, rows.length);
}

function functionsNow(): Row[] {
  return names.flatMap((name) => {
    const address = Module.findGlobalExportByName(name);
    return address === null ? [] : [rowOf(name, address)];
  });
}

function wordsOf(path: string): Row[] {
  const base = baseOf(path);
  if (base === null) return [];
  return importWords(path, names).map(({ name, distance }) => rowOf(name, base.add(distance)));
}

function rowOf(name: string, address: NativePointer): Row {
  return { address, looksFurther: lookingFurther.some((one) => one === name) };
}
