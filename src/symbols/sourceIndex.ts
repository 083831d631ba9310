import { readFileSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import type { SourceFunction } from '../model/functions/sourceFunction.ts';
import { usualDepth } from '../model/values/shape.ts';
import type { SourceLanguage } from './sourceLanguage.ts';

/** Larger files are machine-made. */
const MOST_BYTES = 4 << 20;
const MOST_FILES = 20_000;
/** Others get their turn after so much looking at files. */
const TURN_MS = 5;

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
  #turnAt = monotonicMs();

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
    const text = readFileSync(path, 'utf8');
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
    if (monotonicMs() - this.#turnAt > TURN_MS) {
      await setImmediate();
      this.#turnAt = monotonicMs();
    }
    // In this thread: handing it to another one takes several times as long, for each file of a project.
    const found = statSync(path);
    const { mtimeMs, size, ino } = found;
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known;
    // A pipe of such a name would keep who reads it waiting.
    const isRead = found.isFile() && size <= MOST_BYTES;
    const source = { stamp, functions: isRead ? null : [], without: new Set<string>() };
    if (this.#known.size >= MOST_FILES) this.#known.clear();
    this.#known.set(path, source);
    return source;
  }

  async #describe(path: string, text: string): Promise<SourceFunction[]> {
    const { runtime } = this.#language;
    const module = this.#language.moduleName(path);
    const defined = await this.#language.functionsIn(text, path);
    // Field by field: a spread of what came as JSON takes ten times as long, for each function of a project.
    return defined.map(({ qualifiedName, firstLine, line, column, offset, kind, parameters }) => {
      const name = `${module}.${qualifiedName}`;
      return {
        qualifiedName,
        firstLine,
        line,
        column,
        offset,
        kind,
        parameters,
        runtime,
        id: `${path}\0${offset}`,
        unit: path,
        file: path,
        name,
        signature: `${name}(${parameters.join(', ')})`,
        depth: usualDepth,
      };
    });
  }
}
