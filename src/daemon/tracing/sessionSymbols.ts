import { basename } from 'node:path';
import type { RuntimeName, UnitSummary } from '../../model/functions/traceable.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import { depthOf, usualDepth } from '../../model/values/shape.ts';
import type { Scope } from '../../symbols/resolver.ts';
import type { SessionContext } from '../session/sessionContext.ts';
import type { PatternRequest } from './patternRequest.ts';
import type { Runtime } from './runtimeList.ts';
import type { FoundFunctions } from './traceState.ts';

/** Loaded units of one runtime. */
export interface LoadedUnits {
  readonly runtime: Runtime;
  readonly units: readonly string[];
}

/** What is known of the code of a session's programs, in all runtimes. */
export class SessionSymbols {
  readonly #context: SessionContext;
  /** By runtime and path. */
  readonly #summaries = new Map<string, UnitSummary>();
  /** What the main process runs and ran. */
  readonly programs: Set<string>;
  /** What any process of it runs that tracing entered. */
  readonly #entered = new Set<string>();

  constructor(context: SessionContext) {
    this.#context = context;
    this.programs = new Set([context.facts.image]);
  }

  get summaries(): readonly UnitSummary[] {
    return [...this.#summaries.values()];
  }

  note(summary: UnitSummary): void {
    this.#summaries.set(keyOf(summary.runtime, summary.path), summary);
  }

  /** Tracing entered a process that runs this file. */
  entered(image: string): void {
    this.#entered.add(image);
  }

  /** Why functions of the engine that its program is are not traced, and what to do; null: they are, or it is none. */
  get engineRefusal(): string | null {
    return this.#context.services.runtimes.refusalOf(this.#context.facts.image);
  }

  /**
   * Its runtimes, or the engines that have names of their own, each with its languages as far as they are known:
   * `native (C++, C)`, `Deno (JavaScript)`; of an engine that is not traced its name.
   */
  get runtime(): string {
    const { summaries } = this;
    const { runtimes } = this.#context.services;
    const untraced = runtimes.untracedEngine(this.#context.facts.image);
    if (untraced !== null) return `${untraced}, not traced`;
    const names = new Set(summaries.map(({ runtime }) => runtime));
    const [first] = runtimes.all;
    if (names.size === 0 && first) names.add(first.tracers.runtime);
    const texts = [...names].map((name) => {
      const own = summaries.filter(({ runtime }) => runtime === name);
      const languages = new Set(own.flatMap((unit) => unit.languages));
      const shown = runtimes.engineNames(name, [...this.programs, ...this.#entered]).join(', ');
      return languages.size > 0 ? `${shown} (${[...languages].join(', ')})` : shown;
    });
    return texts.join(', ');
  }

  /** Whether an ELF file is a program of the project. */
  isOwn(image: string): boolean {
    const { all } = this.#context.services.runtimes;
    return all.some(({ resolver }) => resolver.own([image], this.#scope).length > 0);
  }

  /** Whether a pattern that names this library means no machine code. */
  isPackage(name: string): boolean {
    const { all } = this.#context.services.runtimes;
    return all.some(({ resolver }) => resolver.isPackage?.(name, this.#scope.projectRoot));
  }

  /** Of these units the project's own. */
  own(name: RuntimeName, units: readonly string[]): string[] {
    return this.#context.services.runtimes.named(name).resolver.own(units, this.#scope);
  }

  /**
   * Whether some pattern may match in a program or in what it loads. `outside`: it is neither the project's
   * nor the system's.
   */
  async wants(image: string, patterns: readonly Pattern[]): Promise<'yes' | 'no' | 'outside'> {
    let wanted: 'no' | 'outside' = 'no';
    for (const { runtime } of await this.#context.services.runtimes.claimsOf(image)) {
      const { resolver } = runtime;
      const concerned = await resolver.concerns(image, patterns, this.#scope);
      if (concerned === 'outside') wanted = 'outside';
      if (concerned !== 'yes') continue;
      if (await resolver.mayLoad(image, patterns)) return 'yes';
      if (await this.#holds(runtime, image, patterns)) return 'yes';
    }
    return wanted;
  }

  /** The source files of the program and of what it loaded, of the project's own units. */
  async sources(loaded: readonly LoadedUnits[]): Promise<readonly string[]> {
    const files = await Promise.all(
      this.#ownOf(loaded).map(async ({ resolver, units }) => resolver.sources(units)),
    );
    return [...new Set(files.flat())].toSorted();
  }

  /** The lines of a source file where statements begin, in order. */
  async statementLines(loaded: readonly LoadedUnits[], file: string): Promise<readonly number[]> {
    const lines = await Promise.all(
      this.#ownOf(loaded).map(async ({ resolver, units }) => resolver.statementLines(units, file)),
    );
    return [...new Set(lines.flat())].toSorted((a, b) => a - b);
  }

  /** The functions that a pattern means in what is loaded. */
  async find(request: PatternRequest, loaded: readonly LoadedUnits[]): Promise<FoundFunctions> {
    const found = await Promise.all(loaded.map(async (one) => this.#findIn(one, request)));
    return await this.#withEngine(found.reduce(joined), request.pattern);
  }

  /**
   * A pattern that names no file does not mean the machine code of an engine. Where it means nothing else, the answer
   * says so, and why functions of the engine's own language are not traced.
   */
  async #withEngine(
    found: FoundFunctions,
    { text, module, selection }: Pattern,
  ): Promise<FoundFunctions> {
    const { runtimes } = this.#context.services;
    const engine = [...this.programs].find((image) => runtimes.isEngine(image));
    if (engine === undefined || module !== null || isFound(found)) return found;
    const refused = await runtimes.refusedEngine(engine);
    const isName = selection.kind === 'name';
    const { nearest, notes } = found.match;
    if (refused === null && (!isName || nearest.length + notes.length > 0)) return found;
    const name = basename(engine);
    const isFile = isName && /\.[cm]?[jt]sx?$/.test(text);
    const detail = [
      refused ?? 'No function of the program has this name.',
      ...(isFile
        ? [`The functions of a file are meant by "@file:${text.replace(/^file:/, '')}".`]
        : []),
      ...(isName && !isFile ? [`The machine code of ${name} is meant by "${name}!${text}".`] : []),
    ].join(' ');
    // What is said of patterns in other languages does not help here.
    const match = refused === null ? found.match : { ...found.match, notes: [] };
    return { match, problem: { code: 'NOTHING_MATCHED', subject: text, detail } };
  }

  async #findIn(
    { runtime, units: loaded }: LoadedUnits,
    { asked, pattern }: PatternRequest,
  ): Promise<FoundFunctions> {
    const { module, selection } = pattern;
    const own = runtime.resolver.own(loaded, this.#scope);
    const isInProgram = selection.kind === 'known' && selection.inProgram.size > 0;
    const named = runtime.resolver.ofLibrary(pattern, loaded);
    const units = [...new Set(module === null || isInProgram ? [...own, ...named] : named)];
    await Promise.all(units.map((unit) => this.#open(runtime, unit)));
    const { value, problems } = await runtime.resolver.find(units, pattern, {
      projectRoot: this.#context.facts.projectRoot,
      depth: asked.depth === undefined ? usualDepth : depthOf(asked.depth),
    });
    return { match: value, problem: problems[0] ?? null };
  }

  /** Also of a program that no tracer has entered. */
  #ownOf(loaded: readonly LoadedUnits[]) {
    return loaded.map(({ runtime: { resolver }, units }) => {
      const all = [...new Set([...this.programs, ...units])];
      return { resolver, units: resolver.own(all, this.#scope) };
    });
  }

  /** Whether some pattern means a function of a unit. */
  async #holds(runtime: Runtime, unit: string, patterns: readonly Pattern[]): Promise<boolean> {
    const { projectRoot } = this.#context.facts;
    await this.#open(runtime, unit);
    for (const pattern of patterns) {
      const { value } = await runtime.resolver.find([unit], pattern, {
        projectRoot,
        isOnlyWhether: true,
      });
      if (value.functions.length + value.inlined.length > 0) return true;
    }
    return false;
  }

  async #open({ resolver }: Runtime, unit: string): Promise<void> {
    if (!this.#summaries.has(keyOf(resolver.runtime, unit))) this.note(await resolver.open(unit));
  }

  get #scope(): Scope {
    const { runtimes } = this.#context.services;
    const programs = [...this.programs].filter((image) => !runtimes.isEngine(image));
    return { programs, projectRoot: this.#context.facts.projectRoot };
  }
}

function keyOf(runtime: RuntimeName, path: string): string {
  return `${runtime}\0${path}`;
}

function isFound({ match }: FoundFunctions): boolean {
  return match.functions.length + match.inlined.length + match.leftOut.length > 0;
}

/** What two runtimes found for one pattern; a problem counts only where neither found anything. */
function joined(a: FoundFunctions, b: FoundFunctions): FoundFunctions {
  const notes = [...a.match.notes, ...b.match.notes];
  if (!isFound(a) && !isFound(b)) {
    const nearer = b.match.nearest.length > 0 ? b : a;
    return { ...nearer, match: { ...nearer.match, notes } };
  }
  if (!isFound(b)) return a;
  if (!isFound(a)) return b;
  return {
    match: {
      functions: [...a.match.functions, ...b.match.functions],
      inlined: [...a.match.inlined, ...b.match.inlined],
      moreInlined: a.match.moreInlined + b.match.moreInlined,
      leftOut: [...a.match.leftOut, ...b.match.leftOut],
      nearest: [],
      notes,
    },
    problem: a.problem ?? b.problem,
  };
}
