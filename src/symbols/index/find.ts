import type { FoundFunction, InlinedFunction, PatternMatch } from '../../model/foundFunction.ts';
import { parseFunctionName } from '../../model/functionName.ts';
import {
  fileMatcher,
  isUserCode,
  matchesModule,
  matchesParameters,
  parsePattern,
} from '../../model/pattern.ts';
import type { Pattern } from '../../model/pattern.ts';
import type { Outcome, Problem } from '../../model/problem.ts';
import type { Demangler } from '../names/demangler.ts';
import type { IndexedModule, Library } from './library.ts';
import { matchingNames, matchingTexts } from './matching.ts';
import { textAt, textCount, textHolding } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';
import { nearestNames } from './nearest.ts';

export interface FindOptions {
  /** Absolute; what `@usercode` and `@file:` count from. */
  readonly projectRoot: string;
  /** Most functions to give; the rest is told as a problem. */
  readonly limit?: number;
  /** How many pointers are followed in the values of parameters and results. */
  readonly depth?: number;
}

/** What the engine can hook in a process. */
const defaultLimit = 65_520;
const maxCallers = 20;
const maxNearest = 5;
const systemFolders =
  /^\/(?:usr\/)?(?:lib|lib32|lib64|libx32|libexec)\/|^\/usr\/local\/lib\/|^\/nix\/store\/|^\/snap\//;

/**
 * Whether a library belongs to the system rather than to a project: patterns without a library name do
 * not look into it.
 */
export function isSystemLibrary(path: string, projectRoot: string): boolean {
  return systemFolders.test(path) && !path.startsWith(`${projectRoot}/`);
}

/**
 * Searches the modules a pattern means: those it names, else the first one (the program) and all that
 * are not system libraries. Throws `StrobeError` BAD_PATTERN; a module that cannot be read is a problem.
 */
export function find(
  library: Library,
  demangler: Demangler,
  modulePaths: readonly string[],
  text: string,
  options: FindOptions,
): Outcome<PatternMatch> {
  const pattern = parsePattern(text);
  const problems: Problem[] = [];
  const search = new Search(pattern, options, demangler, problems);
  const paths = modulesFor(pattern, modulePaths, options.projectRoot);
  if (paths.length === 0) {
    problems.push({
      code: 'NOTHING_MATCHED',
      subject: text,
      detail:
        pattern.module === null
          ? 'None of the files it could be in is loaded.'
          : `No loaded library is named ${pattern.module}.`,
    });
  }
  const modules: IndexedModule[] = [];
  for (const path of paths) {
    try {
      const module = library.get(path);
      modules.push(module);
      search.addModule(module);
    } catch (error) {
      problems.push({
        code: 'BAD_BINARY',
        subject: path,
        detail: error instanceof Error ? error.message : String(error),
      });
    }
  }
  const value = search.result();
  if (value.functions.length > 0 || value.inlined.length > 0) return { value, problems };
  return {
    value: {
      ...value,
      nearest: nearestNames(
        pattern,
        modules.map((module) => module.index),
        maxNearest,
      ),
    },
    problems,
  };
}

function modulesFor(
  pattern: Pattern,
  paths: readonly string[],
  projectRoot: string,
): readonly string[] {
  const { module } = pattern;
  if (module !== null) return paths.filter((path) => matchesModule(module, path));
  return paths.filter((path, i) => i === 0 || !isSystemLibrary(path, projectRoot));
}

class Search {
  readonly #pattern: Pattern;
  readonly #options: FindOptions;
  readonly #demangler: Demangler;
  readonly #problems: Problem[];
  readonly #functions: FoundFunction[] = [];
  readonly #inlined: InlinedFunction[] = [];
  #left: number;
  #cut = 0;

  constructor(pattern: Pattern, options: FindOptions, demangler: Demangler, problems: Problem[]) {
    this.#pattern = pattern;
    this.#options = options;
    this.#demangler = demangler;
    this.#problems = problems;
    this.#left = options.limit ?? defaultLimit;
  }

  addModule(module: IndexedModule): void {
    const { index } = module;
    const { selection } = this.#pattern;
    if (selection.kind === 'name') {
      const names = matchingNames(index, selection.native);
      this.#collect(
        module,
        (row) => names[index.names[row] ?? 0] === 1,
        selection.native.parameters,
      );
      this.#collectInlined(module, (name) => names[name] === 1);
      return;
    }
    const { projectRoot } = this.#options;
    const test =
      selection.kind === 'file'
        ? fileMatcher(selection.glob, projectRoot)
        : (path: string) => isUserCode(path, projectRoot);
    const files = matchingTexts(index.files, test);
    this.#collect(module, (row) => files[(index.fileNumbers[row] ?? 0) - 1] === 1, null);
    this.#collectInlined(module, (name) => files[(index.nameFiles[name] ?? 0) - 1] === 1);
  }

  #collect(
    module: IndexedModule,
    isWanted: (row: number) => boolean,
    parameters: readonly string[] | null,
  ): void {
    const { addresses } = module.index;
    const reasons = new Set<string>();
    let before = -1;
    for (let row = 0; row < addresses.length; row++) {
      const address = addresses[row] ?? 0;
      if (address === before || !isWanted(row)) continue;
      if (this.#left <= 0) {
        this.#cut++;
        continue;
      }
      const fn = module.describe(row, this.#options.depth ?? 0, (reason) => reasons.add(reason));
      if (parameters !== null && !this.#hasParameters(fn, parameters)) continue;
      before = address;
      this.#functions.push(fn);
      this.#left--;
    }
    for (const reason of reasons) {
      this.#problems.push({
        code: 'BAD_BINARY',
        subject: module.path,
        detail: `Parameters of some functions are unknown: ${reason}.`,
      });
    }
  }

  /** As the debug information spells them, or as the linkage name does. */
  #hasParameters(fn: FoundFunction, wanted: readonly string[]): boolean {
    return (
      matchesParameters(wanted, parseFunctionName(fn.signature).parameters) ||
      matchesParameters(
        wanted,
        parseFunctionName(this.#demangler.demangle(fn.linkageName)).parameters,
      )
    );
  }

  #collectInlined(module: IndexedModule, isWanted: (name: number) => boolean): void {
    const { index } = module;
    const hasCode = new Uint8Array(textCount(index.nameTexts));
    for (const name of index.names) hasCode[name] = 1;
    for (let at = 0; at < index.inlinedNames.length;) {
      const name = index.inlinedNames[at] ?? 0;
      let end = at;
      while (end < index.inlinedNames.length && index.inlinedNames[end] === name) end++;
      if (hasCode[name] !== 1 && isWanted(name))
        this.#inlined.push(inlinedFunction(module, name, at, end));
      at = end;
    }
  }

  result(): PatternMatch {
    if (this.#cut > 0) {
      const detail = `${this.#cut} more functions match; ${this.#functions.length} are taken.`;
      this.#problems.push({ code: 'TOO_MANY_MATCHES', subject: this.#pattern.text, detail });
    }
    return { functions: this.#functions, inlined: this.#inlined, nearest: [] };
  }
}

function inlinedFunction(
  module: IndexedModule,
  name: number,
  start: number,
  end: number,
): InlinedFunction {
  const { index } = module;
  const sitesOf = new Map<string, number>();
  let sites = 0;
  for (let i = start; i < end; i++) {
    const count = index.inlinedSites[i] ?? 0;
    const caller = module.nameOf(index.inlinedCallers[i] ?? 0);
    sites += count;
    sitesOf.set(caller, (sitesOf.get(caller) ?? 0) + count);
  }
  const callers = [...sitesOf].toSorted((a, b) => b[1] - a[1]).slice(0, maxCallers);
  return { name: textAt(index.nameTexts, name), callers: callers.map(([caller]) => caller), sites };
}

/** Names that begin with `prefix`, or whose unqualified part does; shortest first. */
export function complete(
  library: Library,
  modulePaths: readonly string[],
  prefix: string,
  limit: number,
): string[] {
  const found = new Set<string>();
  for (const path of modulePaths) {
    const { index } = library.get(path);
    for (const text of textsHolding(index, prefix)) {
      if (text.startsWith(prefix) || text.includes(`::${prefix}`)) found.add(text);
      if (found.size >= maxCompletions) break;
    }
  }
  const rank = (text: string): number => (text.startsWith(prefix) ? 0 : 1);
  return [...found]
    .toSorted((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, limit);
}

const maxCompletions = 5000;

function* textsHolding(index: ModuleIndex, part: string): Generator<string> {
  const table = index.nameTexts;
  const bytes = Buffer.from(table.bytes.buffer, table.bytes.byteOffset, table.bytes.length);
  for (let at = bytes.indexOf(part); at >= 0 && at < bytes.length;) {
    const number = textHolding(table, at);
    const text = textAt(table, number);
    if (text !== '') yield text;
    at = bytes.indexOf(part, table.starts[number + 1] ?? bytes.length);
  }
}
