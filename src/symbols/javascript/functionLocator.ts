import { readFileSync, statSync } from 'node:fs';
import type { ScriptFunction } from '../../model/rewriting/rewrittenModule.ts';
import { originalPosition } from '../../model/rewriting/sourceMap.ts';
import { definedIn } from './functionsOfFile.ts';
import { sourceMapOf, type LocatedMap } from './originalSources.ts';

const MOST_FILES = 2000;

/** What is known of a file that others were made of. */
interface OriginalFile {
  readonly stamp: number;
  /** Where each line begins. */
  readonly lines: readonly number[];
  readonly functions: readonly ScriptFunction[];
}

/** Finds the source of functions whose text a compiler or a bundler made. */
export class FunctionLocator {
  readonly #files = new Map<string, OriginalFile>();

  /**
   * The same functions, in the same order, at their places in the files that a text was made of. Those that have no
   * place of their own there, as a compiler added them, are refused.
   */
  locate(
    functions: readonly ScriptFunction[],
    text: string,
    path: string,
  ): readonly ScriptFunction[] {
    const located = sourceMapOf(text, path);
    const isMapped = located?.files.some((file) => file !== null && this.#read(file) !== null);
    return located && isMapped
      ? this.#byMap(functions, located)
      : byName(functions, this.#read(path)?.functions ?? []);
  }

  #byMap(functions: readonly ScriptFunction[], located: LocatedMap): readonly ScriptFunction[] {
    const taken = new Set<ScriptFunction>();
    return functions.map((fn) => {
      const place = this.#placeOf(fn, located);
      const original = place && originalOf(place.functions, place.offset, fn);
      if (!place || !original || taken.has(original)) return notThere(fn);
      taken.add(original);
      return { ...merged(fn, original), file: place.file };
    });
  }

  /** The file in which a function was written, and where in it its definition begins. */
  #placeOf({ line, column }: ScriptFunction, { map, files }: LocatedMap) {
    const position = originalPosition(map, { line: line - 1, column: column - 1 });
    const file = position && files[position.source];
    const known = file ? this.#read(file) : null;
    const start = known?.lines[position?.line ?? 0];
    if (!position || !file || !known || start === undefined) return null;
    return { file, functions: known.functions, offset: start + position.column };
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

function notThere(fn: ScriptFunction): ScriptFunction {
  return { ...fn, refusal: fn.refusal ?? 'its source does not have it' };
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

const MOST_BETWEEN = 40;

function lastName(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
