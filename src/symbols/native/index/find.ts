import { isBelow } from '../../../base/paths.ts';
import { isSystemLibrary } from '../../../base/systemPaths.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { InlinedFunction, PatternMatch } from '../../../model/functions/traceable.ts';
import { parseFunctionName } from '../../../model/names/functionName.ts';
import { depthOf } from '../../../model/values/shape.ts';
import {
  fileMatcher,
  isUserCode,
  matchesModule,
  matchesParameters,
} from '../../../model/names/pattern.ts';
import type { Pattern } from '../../../model/names/pattern.ts';
import type { Outcome, Problem } from '../../../model/problem.ts';
import { pathsBelow } from '../../projectPaths.ts';
import type { FindOptions } from '../../resolver.ts';
import type { Demangler } from '../names/demangler.ts';
import type { IndexedModule, Library } from './library.ts';
import { mayBeOwnGo } from '../elf/goModules.ts';
import { matchingNames, matchingTexts } from './matching.ts';
import { nameAt, namesInside } from '../names/nameTree.ts';
import { namesOfFunctions, namesWithCode } from './moduleIndex.ts';
import type { ModuleIndex } from './moduleIndex.ts';
import { nearestNames } from './nearestFunctions.ts';
import { takesImplicit } from './implicitMembers.ts';
import { MatchNotes } from './matchNotes.ts';
import { noMatchNotes } from './noMatchNotes.ts';

/** What the engine can hook in a process. */
const defaultLimit = 65_520;
const maxCallers = 20;
/** No answer shows as many. */
const mostInlined = 400;
const libraries: ReadonlySet<string> = new Set(['std', '__gnu_cxx', 'core', 'alloc']);
const maxNearest = 5;

/**
 * Searches the modules a pattern means: those it names, else the first one (the program) and all that
 * are not system libraries. A module that cannot be read is a problem.
 */
export function find(
  library: Library,
  demangler: Demangler,
  modulePaths: readonly string[],
  pattern: Pattern,
  options: FindOptions,
): Outcome<PatternMatch<FoundFunction>> {
  const problems: Problem[] = [];
  const search = new Search(pattern, options, demangler, problems);
  const paths = modulesFor(pattern, modulePaths, options.projectRoot);
  if (paths.length === 0) {
    problems.push({
      code: 'NOTHING_MATCHED',
      subject: pattern.text,
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
  const isFound = value.functions.length + value.inlined.length + value.leftOut.length > 0;
  if (isFound || options.isOnlyWhether === true) return { value, problems };
  const indexes = modules.map((module) => module.index);
  return {
    value: {
      ...value,
      nearest: nearestNames(pattern, indexes, maxNearest),
      notes: [...value.notes, ...noMatchNotes(pattern, indexes, options.projectRoot)],
    },
    problems,
  };
}

function modulesFor(
  pattern: Pattern,
  paths: readonly string[],
  projectRoot: string,
): readonly string[] {
  const { module, selection } = pattern;
  if (module !== null) {
    const isInProgram = selection.kind === 'known' && selection.inProgram.size > 0;
    const isMeant = (path: string): boolean => isInProgram && !isSystemLibrary(path);
    return paths.filter((path) => matchesModule(module, path) || isMeant(path));
  }
  const below = pathsBelow(projectRoot);
  const isOwn = (path: string): boolean => isBelow(below(path), projectRoot);
  return paths.filter((path, i) => i === 0 || !isSystemLibrary(path) || isOwn(path));
}

class Search {
  readonly #pattern: Pattern;
  readonly #options: FindOptions;
  readonly #demangler: Demangler;
  readonly #problems: Problem[];
  readonly #functions: FoundFunction[] = [];
  readonly #inlined: InlinedFunction[] = [];
  #moreInlined = 0;
  #left: number;
  readonly #notes = new MatchNotes();
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
      const names = matchingNames(index.nameTree, selection.native);
      const chosen = this.#notes.indirect(index, selection.native);
      this.#collect(
        module,
        (row) => names[index.names[row] ?? 0] === 1 || chosen.has(index.addresses[row] ?? 0),
        selection.native.parameters,
      );
      this.#collectInlined(module, (name) => names[name] === 1);
      return;
    }
    if (selection.kind === 'known') {
      const isLibrary = matchesModule(selection.module, module.path);
      const names = isLibrary ? selection.names : selection.inProgram;
      const isWanted = (row: number): boolean => names.has(module.nameOf(row));
      this.#collect(module, (row) => isWanted(row) && module.isKnown(row), null);
      return;
    }
    const { projectRoot } = this.#options;
    const below = pathsBelow(projectRoot);
    const isMeantFile = selection.kind === 'file' ? fileMatcher(selection.glob, projectRoot) : null;
    const files = matchingTexts(index.files, (path) =>
      isMeantFile === null
        ? mayBeOwnGo(path, index.facts.goPrefixes) && isUserCode(below(path), projectRoot)
        : isMeantFile(path) || isMeantFile(below(path)),
    );
    this.#collect(module, (row) => files[(index.fileNumbers[row] ?? 0) - 1] === 1, null);
    this.#collectInlined(module, (name) => files[(index.nameFiles[name] ?? 0) - 1] === 1);
  }

  #collect(
    module: IndexedModule,
    isWanted: (row: number) => boolean,
    parameters: readonly string[] | null,
  ): void {
    const { addresses } = module.index;
    module.takeLeftOut();
    const reasons = new Set<string>();
    let before = -1;
    for (let row = 0; row < addresses.length; row++) {
      const address = addresses[row] ?? 0;
      if (address === before || !isWanted(row)) continue;
      if (this.#left <= 0) {
        this.#cut++;
        continue;
      }
      const fn = module.describe(
        row,
        this.#options.depth ?? depthOf(0),
        (reason) => reasons.add(reason),
        this.#pattern.selection.kind === 'known',
      );
      if (parameters !== null && !this.#hasParameters(fn, parameters)) continue;
      if (fn.isImplicit && !this.#options.isForReading && !takesImplicit(this.#pattern)) {
        this.#notes.implicit(fn.id, fn.name);
        continue;
      }
      before = address;
      this.#notes.matched(module.index, row);
      this.#functions.push(fn);
      this.#left--;
    }
    this.#notes.leftOut(module.takeLeftOut());
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
    const { inlinedNames } = index;
    const called = namesWithCode(index);
    /** Where the calls of each begin. */
    const found: number[] = [];
    for (let row = 0, before = -1; row < inlinedNames.length; row++) {
      const name = inlinedNames[row] ?? 0;
      if (name !== before && called[name] !== 1 && isWanted(name)) found.push(row);
      before = name;
    }
    const texts = new Map<number, string>();
    const told = this.#told(index, found);
    this.#moreInlined += found.length - told.length;
    for (const start of told) this.#inlined.push(inlinedFunction(index, texts, start));
  }

  /** Those of the standard libraries come last where they are too many. */
  #told({ nameTree, inlinedNames }: ModuleIndex, found: readonly number[]): readonly number[] {
    const left = Math.max(0, mostInlined - this.#inlined.length);
    if (found.length <= left) return found;
    const inLibraries = namesInside(nameTree, libraries);
    const isOther = (row: number): boolean => inLibraries[inlinedNames[row] ?? 0] !== 1;
    const others = found.filter(isOther);
    if (others.length >= left) return others.slice(0, left);
    return [...others, ...found.filter((row) => !isOther(row))].slice(0, left);
  }

  result(): PatternMatch<FoundFunction> {
    if (this.#cut > 0) {
      const detail = `${this.#cut} more functions match; ${this.#functions.length} are taken.`;
      this.#problems.push({ code: 'TOO_MANY_MATCHES', subject: this.#pattern.text, detail });
    }
    return {
      functions: this.#functions,
      inlined: this.#inlined,
      moreInlined: this.#moreInlined,
      leftOut: this.#notes.untraced(),
      nearest: [],
      notes: this.#notes.sentences(),
    };
  }
}

/** Of the inlined calls from row `start` on, which are of one name; `texts` keeps the names of callers. */
function inlinedFunction(
  index: ModuleIndex,
  texts: Map<number, string>,
  start: number,
): InlinedFunction {
  const { inlinedNames } = index;
  const number = inlinedNames[start] ?? 0;
  const sitesOf = new Map<number, number>();
  let sites = 0;
  for (let i = start; i < inlinedNames.length && inlinedNames[i] === number; i++) {
    const count = index.inlinedSites[i] ?? 0;
    const caller = index.names[index.inlinedCallers[i] ?? 0] ?? 0;
    sites += count;
    sitesOf.set(caller, (sitesOf.get(caller) ?? 0) + count);
  }
  const callers = [...sitesOf].toSorted((a, b) => b[1] - a[1]).slice(0, maxCallers);
  const textOf = (name: number): string => {
    let text = texts.get(name);
    if (text === undefined) {
      text = nameAt(index.nameTree, name);
      texts.set(name, text);
    }
    return text;
  };
  const name = nameAt(index.nameTree, number);
  return { name, callers: callers.map(([caller]) => textOf(caller)), sites };
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
    for (const text of namesUnder(index, prefix)) {
      found.add(text);
      if (found.size >= maxCompletions) break;
    }
  }
  const rank = (text: string): number => (text.startsWith(prefix) ? 0 : 1);
  return [...found]
    .toSorted((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))
    .slice(0, limit);
}

const maxCompletions = 5000;

/** The names in which the prefix begins a segment at any depth. */
function* namesUnder(index: ModuleIndex, prefix: string): Generator<string> {
  const { parents, segments, texts } = index.nameTree;
  const last = prefix.slice(prefix.lastIndexOf('::') < 0 ? 0 : prefix.lastIndexOf('::') + 2);
  const begins = matchingTexts(texts, (text) => text.startsWith(last) || text.includes(prefix));
  const isFunction = namesOfFunctions(index);
  const marks = new Uint8Array(parents.length);
  for (let number = 1; number < parents.length; number++) {
    const parent = parents[number] ?? 0;
    if (marks[parent] !== 1) {
      if (begins[segments[number] ?? 0] !== 1) continue;
      const text = nameAt(index.nameTree, number);
      if (!text.startsWith(prefix) && !text.includes(`::${prefix}`)) continue;
    }
    marks[number] = 1;
    if (isFunction[number] === 1) yield nameAt(index.nameTree, number);
  }
}
