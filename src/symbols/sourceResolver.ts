import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { monotonicMs } from '../base/clock.ts';
import { filesBelow } from '../base/paths.ts';
import { nearest } from '../base/nearest.ts';
import type { SourceFunction } from '../model/functions/sourceFunction.ts';
import type { SourceStatement } from '../model/functions/sourceStatement.ts';
import type { PatternMatch, RuntimeName, UnitSummary } from '../model/functions/traceable.ts';
import {
  fileMatcher,
  isUserCode,
  matchesDottedName,
  type Pattern,
} from '../model/names/pattern.ts';
import type { Outcome, Problem } from '../model/problem.ts';
import { usualDepth } from '../model/values/shape.ts';
import { firstWord, leadingWords, packageUnits } from './packageUnits.ts';
import { pathsBelow } from './projectPaths.ts';
import type { FindOptions, Scope, SymbolResolver } from './resolver.ts';
import { SourceIndex } from './sourceIndex.ts';
import type { SourceLanguage } from './sourceLanguage.ts';

const MOST_NEAREST = 5;
/** Names near to what was not found are looked for so long. */
const NEAREST_MS = 500;

/** Functions of a language whose programs are source files. Runs nothing of a project. */
export class SourceResolver implements SymbolResolver<SourceFunction> {
  readonly runtime: RuntimeName;
  readonly nameStyle = 'dotted';
  readonly #language: SourceLanguage;
  readonly #index: SourceIndex;
  /** Projects in which files of the language were seen. */
  readonly #projects = new Set<string>();

  constructor(language: SourceLanguage) {
    this.runtime = language.runtime;
    this.#language = language;
    this.#index = new SourceIndex(language);
  }

  async open(unit: string): Promise<UnitSummary> {
    const told = this.#toldIn(unit).length;
    const outcome =
      told > 0
        ? { value: told, problems: [] }
        : await tried(unit, 0, () => this.#index.count(unit));
    return {
      runtime: this.runtime,
      path: unit,
      buildId: null,
      functions: outcome.value,
      debugInfo: 'source',
      dwarfVersion: null,
      languages: [this.#language.name],
      indexMs: 0,
      fromCache: false,
      problems: outcome.problems,
    };
  }

  async find(
    units: readonly string[],
    pattern: Pattern,
    { projectRoot, limit = Infinity, depth = usualDepth }: FindOptions,
  ): Promise<Outcome<PatternMatch<SourceFunction>>> {
    const unread: Problem[] = [];
    const functions: SourceFunction[] = [];
    for (const fn of units.flatMap((unit) => this.#toldIn(unit)))
      if (isKnown(pattern, fn)) functions.push({ ...fn, depth });
    const word = this.#wordOf(pattern);
    const meant = units.filter(this.#unitTest(pattern, projectRoot));
    const { filesAtOnce } = this.#language;
    for (let at = 0; at < meant.length; at += filesAtOnce) {
      const some = meant.slice(at, at + filesAtOnce);
      const outcomes = await Promise.all(
        some.map((unit) => tried(unit, none, () => this.#index.functions(unit, word))),
      );
      for (const outcome of outcomes) {
        unread.push(...outcome.problems);
        for (const fn of outcome.value)
          if (isMeant(pattern, fn)) functions.push(fn.depth === depth ? fn : { ...fn, depth });
      }
    }
    const isFound = functions.length > 0;
    const problems: Problem[] = [];
    if (functions.length > limit) {
      const detail = `${functions.length} functions match; ${limit} are given.`;
      problems.push({ code: 'TOO_MANY_MATCHES', subject: pattern.text, detail });
    }
    return {
      value: {
        functions: functions.slice(0, limit),
        inlined: [],
        moreInlined: 0,
        leftOut: [],
        nearest: isFound ? [] : nearestTo(pattern, await this.#names(units)),
        notes: [
          ...leftAlone(unread),
          ...(isFound ? [] : this.#whyNone(pattern, units, projectRoot)),
        ],
      },
      problems,
    };
  }

  /** Every statement of a source file, with the names of functions as `find` has them. Throws for one that cannot be read. */
  async statements(path: string): Promise<readonly SourceStatement[]> {
    const text = await readFile(path, 'utf8');
    const module = this.#language.moduleName(path);
    const statements = this.#language.statementsIn?.(text, path) ?? [];
    return statements.map((one) => {
      const { holder } = one;
      return holder ? { ...one, holder: { ...holder, name: `${module}.${holder.name}` } } : one;
    });
  }

  /** Each is its own source. */
  sources(units: readonly string[]): Promise<readonly string[]> {
    return Promise.resolve(units.filter((unit) => this.#language.isSource(unit)));
  }

  /** Also of a file that is not loaded yet. */
  async statementLines(_units: readonly string[], file: string): Promise<readonly number[]> {
    if (!this.#language.isSource(file)) return [];
    const statements = await this.statements(file);
    return [...new Set(statements.map(({ line }) => line))].toSorted((a, b) => a - b);
  }

  #whyNone(pattern: Pattern, units: readonly string[], projectRoot: string): string[] {
    const [word = ''] = /^[\w$-]+/.exec(pattern.text) ?? [];
    if (pattern.selection.kind !== 'name' || pattern.module !== null || word === '') return [];
    if (this.#language.namesBeginWithPackage)
      return units.length > 0 && firstWord(this.#language, pattern) === null ? [OF_PACKAGES] : [];
    return this.isPackage(word, projectRoot)
      ? [`${word} is a package: "${word}!*" means its functions.`]
      : [];
  }

  /** Of the functions of these files, as many as can be read in a moment. */
  async #names(units: readonly string[]): Promise<string[]> {
    const names: string[] = [];
    const until = monotonicMs() + NEAREST_MS;
    for (const unit of units) {
      if (monotonicMs() > until) break;
      const { value } = await tried(unit, none, () => this.#index.functions(unit));
      names.push(...value.map(({ name }) => name));
    }
    return names;
  }

  /** Files of the project; of others those that are not installed. */
  own(units: readonly string[], { projectRoot }: Scope): string[] {
    const below = pathsBelow(projectRoot);
    return units.filter(
      (unit) =>
        this.#toldIn(unit).length === 0 &&
        (isUserCode(below(unit), projectRoot) || this.#language.packageOf(unit) === null),
    );
  }

  isPackage(name: string, projectRoot: string): boolean {
    return this.#language.isPackage?.(name, projectRoot) ?? false;
  }

  ofLibrary(pattern: Pattern, units: readonly string[]): string[] {
    const told = units.filter((unit) => this.#toldIn(unit).some((fn) => isKnown(pattern, fn)));
    return [...packageUnits(this.#language, pattern, units), ...told];
  }

  /** Of a unit that is no file. */
  #toldIn(unit: string): readonly Omit<SourceFunction, 'depth'>[] {
    return this.#language.toldFunctions?.filter((fn) => fn.unit === unit) ?? [];
  }

  concerns(
    _program: string,
    patterns: readonly Pattern[],
    { projectRoot }: Scope,
  ): Promise<'yes' | 'no'> {
    const isConcerned =
      patterns.some((pattern) => this.#maybeOfPackage(pattern)) ||
      (patterns.length > 0 && this.#isIn(projectRoot));
    return Promise.resolve(isConcerned ? 'yes' : 'no');
  }

  /** Which modules a program imports is known when it has. */
  mayLoad(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** As this language writes it: other languages have `::` in their names. */
  #maybeOfPackage(pattern: Pattern): boolean {
    return firstWord(this.#language, pattern) !== null && !pattern.text.includes('::');
  }

  /** A word that stands in each file that has a function the pattern means; may be empty. */
  #wordOf({ selection }: Pattern): string {
    if (selection.kind !== 'name') return '';
    const word = selection.dotted.lastWord;
    return this.#language.isWritten(word) ? word : '';
  }

  /** A package may be large: of its files only those are read whose name the pattern allows. */
  #unitTest(pattern: Pattern, projectRoot: string): (unit: string) => boolean {
    const below = pathsBelow(projectRoot);
    switch (pattern.selection.kind) {
      case 'usercode':
        return (unit) => isUserCode(below(unit), projectRoot);
      case 'file': {
        const fits = fileMatcher(pattern.selection.glob, projectRoot);
        return (unit) => fits(unit) || fits(below(unit));
      }
      case 'name': {
        if (firstWord(this.#language, pattern) === null) return () => true;
        const lead = leadingWords(pattern.text).join('.');
        return (unit) =>
          this.#language.packageOf(unit) === null ||
          areOnOnePath(lead, this.#language.moduleName(unit));
      }
      case 'known':
        return () => false;
    }
  }

  /** Whether a project has files of the language, or had some. */
  #isIn(projectRoot: string): boolean {
    if (this.#projects.has(projectRoot)) return true;
    const files = filesBelow(projectRoot, {
      isWanted: (name) => this.#language.isSource(name),
      isOpen: (name, folder) =>
        !name.startsWith('.') && isUserCode(join(folder, name, 'x'), projectRoot),
      mostFiles: 1,
      mostFolders: 1000,
    });
    if (files.length > 0) this.#projects.add(projectRoot);
    return files.length > 0;
  }
}

/** Files that are named. */
const MOST_LEFT = 3;
const OF_PACKAGES =
  'A function of a package or of the standard library is meant with its package before it: json.dumps, requests.**.';

const none: readonly SourceFunction[] = [];

function isKnown({ selection }: Pattern, { name }: { readonly name: string }): boolean {
  return selection.kind === 'known' && selection.names.has(name);
}

/** What cannot be read has nothing, and is a problem. */
async function tried<T>(unit: string, nothing: T, read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await read(), problems: [] };
  } catch (error) {
    const detail = `${basename(unit)} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { value: nothing, problems: [{ code: 'NOTHING_MATCHED', subject: unit, detail }] };
  }
}

/** Files that cannot be read. */
function leftAlone(unread: readonly Problem[]): string[] {
  const told = unread.slice(0, MOST_LEFT).map(({ detail }) => `left alone: ${detail}`);
  const rest = unread.length - told.length;
  const more = `left alone: ${rest} more ${rest === 1 ? 'file' : 'files'} that cannot be read`;
  return rest > 0 ? [...told, more] : told;
}

/** Whether one dotted name is the other or begins with it. */
function areOnOnePath(a: string, b: string): boolean {
  return `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`);
}

function isMeant(pattern: Pattern, fn: SourceFunction): boolean {
  return pattern.selection.kind !== 'name' || matchesDottedName(pattern, fn.signature);
}

function nearestTo(pattern: Pattern, names: readonly string[]): string[] {
  if (pattern.selection.kind !== 'name') return [];
  const word = pattern.text.replaceAll('::', '.');
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  const close = nearest(last(word), [...new Set(names.map(last))], MOST_NEAREST);
  const whole = nearest(word, names, MOST_NEAREST);
  const byLast = names.filter((name) => close.includes(last(name)));
  return [...new Set([...whole, ...byLast])].slice(0, MOST_NEAREST);
}
