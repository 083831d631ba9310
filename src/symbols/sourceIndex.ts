import { readFile, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { SourceFunction } from '../model/functions/sourceFunction.ts';
import { usualDepth } from '../model/values/shape.ts';
import type { SourceLanguage } from './sourceLanguage.ts';

/** Larger files are machine-made. */
const MOST_BYTES = 4 << 20;
const MOST_FILES = 20_000;

interface KnownSource {
  readonly stamp: string;
  /** Null: it was not needed yet. */
  functions: readonly SourceFunction[] | null;
  /** Words that are not in it. */
  readonly without: Set<string>;
}

/** The functions of source files, read once for each content. */
export class SourceIndex {
  readonly #language: SourceLanguage;
  readonly #known = new Map<string, KnownSource>();

  constructor(language: SourceLanguage) {
    this.#language = language;
  }

  /**
   * Of a file that does not hold a word none: it is not parsed for that. Throws the error of the system for a file that
   * cannot be read.
   */
  async functions(path: string, word = ''): Promise<readonly SourceFunction[]> {
    const source = await this.#source(path);
    if (source.functions !== null) return source.functions;
    if (source.without.has(word)) return [];
    const text = await readFile(path, 'utf8');
    if (!text.includes(word)) {
      source.without.add(word);
      return [];
    }
    // Parsing takes long for many files: others get their turn between them.
    await setImmediate();
    const functions = await this.#describe(path, text);
    source.functions = functions;
    return functions;
  }

  /** How many there are, as far as that is known. */
  async count(path: string): Promise<number> {
    return (await this.#source(path)).functions?.length ?? 0;
  }

  async #source(path: string): Promise<KnownSource> {
    const { mtimeMs, size, ino } = await stat(path);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known;
    const source = { stamp, functions: size > MOST_BYTES ? [] : null, without: new Set<string>() };
    if (this.#known.size >= MOST_FILES) this.#known.clear();
    this.#known.set(path, source);
    return source;
  }

  async #describe(path: string, text: string): Promise<SourceFunction[]> {
    const { runtime } = this.#language;
    const module = this.#language.moduleName(path);
    const defined = await this.#language.functionsIn(text, path);
    return defined.map((fn) => {
      const name = `${module}.${fn.qualifiedName}`;
      return {
        ...fn,
        runtime,
        id: `${path}\0${fn.offset}`,
        unit: path,
        file: path,
        name,
        signature: `${name}(${fn.parameters.join(', ')})`,
        depth: usualDepth,
      };
    });
  }
}
