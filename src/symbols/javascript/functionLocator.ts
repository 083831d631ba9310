import { readFileSync, statSync } from 'node:fs';
import { nowhere, type ScriptFunction } from '../../model/rewriting/rewrittenModule.ts';
import { originalPosition, type Position } from '../../model/rewriting/sourceMap.ts';
import { definedIn } from './functionsOfFile.ts';
import type { LocatedMap } from './originalSources.ts';

const MOST_FILES = 2000;

/** What is known of a file that others were made of. */
interface OriginalFile {
  readonly stamp: number;
  /** Where each line begins. */
  readonly lines: readonly number[];
  readonly functions: readonly ScriptFunction[];
}

/** Where in a file a function was written. */
interface Place {
  readonly file: string;
  readonly functions: readonly ScriptFunction[];
  readonly offset: number;
}

/** Finds the source of functions whose text a compiler or a bundler made. */
export class FunctionLocator {
  readonly #files = new Map<string, OriginalFile>();

  /**
   * The same functions, in the same order, at their places in the files that a text was made of. Those that have no
   * place of their own there, as a compiler added them, are refused and begin at `nowhere`. `located`: the map of the text.
   */
  locate(
    functions: readonly ScriptFunction[],
    text: string,
    path: string,
    located: LocatedMap | null,
  ): readonly ScriptFunction[] {
    const read = once((file: string) => this.#read(file));
    const isMapped = located?.files.some((file) => file !== null && read(file) !== null);
    return located && isMapped
      ? byMap(functions, text, located, read)
      : byName(functions, read(path)?.functions ?? []);
  }

  #read(path: string): OriginalFile | null {
    try {
      const stamp = statSync(path).mtimeMs;
      const known = this.#files.get(path);
      if (known?.stamp === stamp) return known;
      const text = readFileSync(path, 'utf8');
      const read = { stamp, lines: lineStarts(text), functions: definedIn(text, path) };
      if (this.#files.size >= MOST_FILES) this.#files.clear();
      this.#files.set(path, read);
      return read;
    } catch {
      return null;
    }
  }
}

type Read = (file: string) => OriginalFile | null;

/** Asked of each function of a text, and mostly of one file: whether that has changed is looked up once. */
function once(read: Read): Read {
  const known = new Map<string, OriginalFile | null>();
  return (file) => {
    let found = known.get(file);
    if (found === undefined) known.set(file, (found = read(file)));
    return found;
  };
}

function byMap(
  functions: readonly ScriptFunction[],
  text: string,
  { map, files }: LocatedMap,
  read: Read,
): readonly ScriptFunction[] {
  const placeOf = (generated: Position): Place | null => {
    const position = originalPosition(map, generated);
    const file = position && files[position.source];
    const known = file ? read(file) : null;
    const start = known?.lines[position?.line ?? 0];
    if (!position || !file || !known || start === undefined) return null;
    return { file, functions: known.functions, offset: start + position.column };
  };
  const taken = new Set<ScriptFunction>();
  const take = (fn: ScriptFunction, place: Place | null, of: typeof originalOf) => {
    const original = place && of(place.functions, place.offset, fn);
    if (!place || !original || taken.has(original)) return null;
    taken.add(original);
    return { ...merged(fn, original), file: place.file };
  };
  const atStart = functions.map((fn) =>
    take(fn, placeOf({ line: fn.line - 1, column: fn.column - 1 }), originalOf),
  );
  const lines = lineStarts(text);
  // Some compilers give the beginning of an arrow function no place, but its parameters or its code.
  return functions.map(
    (fn, i) => atStart[i] ?? take(fn, placeOf(positionOf(lines, fn.body)), ofCode) ?? notThere(fn),
  );
}

/**
 * At their places in the file, where a test runner changed its text and no map leads back to what is there: those of
 * one name are in the same order.
 */
function byName(
  functions: readonly ScriptFunction[],
  inFile: readonly ScriptFunction[],
): readonly ScriptFunction[] {
  if (inFile.length === 0 || functions.every((fn, i) => fn.offset === inFile[i]?.offset))
    return functions;
  const named = new Map<string, ScriptFunction[]>();
  for (const fn of inFile)
    named.set(fn.qualifiedName, [...(named.get(fn.qualifiedName) ?? []), fn]);
  return functions.map((fn) => {
    const original = named.get(fn.qualifiedName)?.shift();
    return original ? merged(fn, original) : notThere(fn);
  });
}

function merged(fn: ScriptFunction, original: ScriptFunction): ScriptFunction {
  const hasAll = original.parameters.length === fn.parameters.length;
  const parameters = hasAll ? original.parameters : fn.parameters;
  return { ...original, parameters, refusal: fn.refusal };
}

/** Its offset in the text that a compiler made would be that of another function of the source. */
function notThere(fn: ScriptFunction): ScriptFunction {
  return { ...fn, offset: nowhere, refusal: fn.refusal ?? 'its source does not have it' };
}

/** The function whose definition begins there, or whose head, up to its code, holds the place; the innermost. */
function originalOf(
  functions: readonly ScriptFunction[],
  offset: number,
  { qualifiedName }: ScriptFunction,
): ScriptFunction | null {
  const exact = functions.find((fn) => fn.offset === offset);
  if (exact) return exact;
  const around = functions.findLast((fn) => fn.offset <= offset && offset < fn.body);
  if (around) return around;
  // `export` and `async` come before the definition for some compilers.
  const name = lastName(qualifiedName);
  return (
    functions.find(
      (fn) =>
        fn.offset > offset &&
        fn.offset - offset < MOST_BETWEEN &&
        lastName(fn.qualifiedName) === name,
    ) ?? null
  );
}

/** The innermost function whose head holds the place, or whose code begins there, where it takes as much. */
function ofCode(
  functions: readonly ScriptFunction[],
  offset: number,
  { parameters }: ScriptFunction,
): ScriptFunction | null {
  const found = functions.findLast((fn) => fn.offset <= offset && offset <= fn.body);
  return found?.parameters.length === parameters.length ? found : null;
}

const MOST_BETWEEN = 40;

function lastName(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
}

/** Of a place in a text, by where its lines begin. */
function positionOf(lines: readonly number[], offset: number): Position {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return { line: low - 1, column: offset - (lines[low - 1] ?? 0) };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
