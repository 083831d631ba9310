import { readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { monotonicNs, wallMs } from '../../base/clock.ts';
import { isBelow, isFile, realPath } from '../../base/paths.ts';
import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import { isMeantFile, meantLine, nearestLines } from '../../model/functions/meantLine.ts';
import type { SourceStatement } from '../../model/functions/sourceStatement.ts';
import type { Pattern } from '../../model/names/pattern.ts';
import type { StatementMatch } from '../../model/functions/foundStatement.ts';
import type { ProbeReport } from '../../model/probes/probe.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { probeReport, type PlaceOutcome } from '../probeReport.ts';
import type { ProbeTracer, TracedNow, TracedSession } from '../tracer.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import type { CompiledWatch } from './sampledWatches.ts';
import { siteOf, type MeantStatement, type PlacedSite, type SourceSite } from './sourceSites.ts';

/** What became of a breakpoint in one process; `why`: it cannot be there, a whole sentence. */
export type SiteState =
  /** `isWritten`: by a call that was written into the code as it was loaded. */
  | {
      readonly isBound: true;
      readonly isWritten?: boolean;
      /** Why it is not: a whole sentence. */
      readonly note?: string;
    }
  | { readonly isBound: false; readonly why: string };

/** Finds functions of a language and their statements. */
export interface StatementFinder {
  /** Of a source file. Throws for one that cannot be read. */
  statements(file: string): Promise<readonly SourceStatement[]>;
  /** Functions of these files and of the package that a pattern names, and the names near to one that means none. */
  find(
    units: { readonly own: readonly string[]; readonly all: readonly string[] },
    pattern: Pattern,
    projectRoot: string,
  ): Promise<{
    readonly functions: readonly SourceFunction[];
    readonly nearest: readonly string[];
  }>;
}

/** A language in whose functions breakpoints can be. `C`: what an expression becomes. */
export interface ProbedLanguage<C> extends StatementFinder {
  readonly means: NonNullable<ProbeReport['means']>;
  /** What a hit costs: `0.1 ms a hit`. */
  readonly cost: string;
  /** The same of breakpoints that are written into code that is loaded after them. */
  readonly written?: Pick<ProbedLanguage<C>, 'means' | 'cost'>;
  readonly constants: readonly string[];
  compile(expression: Expression, meant: MeantStatement): CompiledWatch<C>;
}

/** The processes of the language in the session. */
export interface ProbedSources<C> {
  any(): boolean;
  /** Their source files, those of packages too, and with `/` at the end the folders of packages. */
  units(): readonly string[];
  /** Has these and no others; states by key. */
  set(sites: readonly SourceSite<C>[], only?: number): Promise<ReadonlyMap<string, SiteState>>;
}

/** What of a session breakpoints are looked for in. */
export type SourcesNow = Pick<TracedNow<SourceFunction>, 'own' | 'hooked' | 'functions'>;

/** A language by its files. */
interface SourceText {
  readonly name: string;
  isSource(name: string): boolean;
}

type ProbeMatch = Omit<StatementMatch, 'statements'>;

interface Resolved<C> {
  readonly match: ProbeMatch;
  readonly places: readonly PlacedSite<C>[];
  /** Why statements that were found cannot be; whole sentences. */
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
}

export interface Meant {
  readonly match: ProbeMatch;
  readonly statements: readonly MeantStatement[];
}

const mostFunctions = 16;
const wasChanged =
  'was changed after the program began: code that was loaded before has other lines. Restart it: debug_session {"action": "restart"}.';
const noThreads =
  'A breakpoint that records knows threads in machine code only: leave `thread` out, and filter the hits with debug_query {"threadName": …}.';

/** The breakpoints of one session in programs whose functions are source text. */
export class SourceProbes<C> implements ProbeTracer<SourceFunction> {
  readonly #session: TracedSession;
  readonly #language: ProbedLanguage<C>;
  readonly #text: SourceText;
  readonly #processes: ProbedSources<C>;
  #hasAny = false;
  /** What the processes said last. */
  #last: ReadonlyMap<WantedProbe, ProbeReport> = new Map();

  constructor(
    session: TracedSession,
    language: ProbedLanguage<C>,
    text: SourceText,
    processes: ProbedSources<C>,
  ) {
    this.#session = session;
    this.#language = language;
    this.#text = text;
    this.#processes = processes;
  }

  async apply(
    probes: readonly WantedProbe[],
    traced: SourcesNow,
    only?: number,
  ): Promise<readonly ProbeReport[]> {
    if (!this.#processes.any())
      return probes.flatMap((probe) => this.#last.get(probe) ?? this.#awaited(probe) ?? []);
    if (probes.length === 0 && !this.#hasAny) return [];
    this.#hasAny = probes.length > 0;
    const own = probes.filter((probe) => this.#concerns(probe));
    const resolved: Resolved<C>[] = [];
    for (const probe of own) resolved.push(await this.resolve(probe, traced));
    const sites = own.flatMap(({ request }, i) =>
      request.isEnabled ? (resolved[i]?.places ?? []).map(({ site }) => site) : [],
    );
    const states = await this.#processes.set(sites, only);
    this.#last = new Map(
      own.flatMap((probe, i) => {
        const one = resolved[i];
        return one ? [[probe, this.#reportOf(probe, one, states, traced.hooked)] as const] : [];
      }),
    );
    return [...this.#last.values()];
  }

  /** What a file of the language waits for; null: it may be of another. */
  #awaited(probe: WantedProbe): ProbeReport | null {
    const { where, isEnabled } = probe.request;
    const isInFile = where.kind === 'line' || where.kind === 'text';
    if (!isInFile || !this.#text.isSource(where.file)) return null;
    const { name } = this.#text;
    const why = `It waits for a process that runs ${name}: none is traced yet.`;
    const match = { moved: null, isStale: false, why, nearest: [] };
    const state = isEnabled ? 'pending' : 'off';
    return { ...probeReport(probe, match, [], []), state, numbers: [] };
  }

  #concerns({ request: { where } }: WantedProbe): boolean {
    if (where.kind === 'line' || where.kind === 'text') return this.#text.isSource(where.file);
    return where.kind !== 'address' && where.kind !== 'exception' && where.kind !== 'data';
  }

  #reportOf(
    probe: WantedProbe,
    { match, places, reasons, notes }: Resolved<C>,
    states: ReadonlyMap<string, SiteState>,
    hooked: ReadonlySet<string>,
  ): ProbeReport {
    const outcomes = places.map(({ at, site, missing }): PlaceOutcome => {
      const rest = { at, isReturn: site.returnOf !== null, missing };
      const state =
        site.returnOf === null ? states.get(site.key) : atReturns(site.returnOf, hooked);
      if (state === undefined) return { ...rest, state: 'pending', why: null };
      return state.isBound
        ? { ...rest, state: 'bound', why: null }
        : { ...rest, state: 'refused', why: state.why };
    });
    const waits = places
      .filter(({ site }) => site.returnOf === null && !states.has(site.key))
      .map(({ site }) => site.file);
    const [file] = waits;
    const waiting =
      file !== undefined && waits.length === places.length && probe.request.isEnabled
        ? [`It waits for ${file} to be loaded.`]
        : [];
    const isWritten = places.every(({ site }) => isWrittenState(states.get(site.key)));
    const { means, cost } = (isWritten ? this.#language.written : null) ?? this.#language;
    const report = probeReport(probe, match, [...reasons, ...waiting], outcomes);
    const isBound = report.state === 'bound' && probe.request.where.kind !== 'return';
    const said = places.flatMap(({ site }) => noteOf(states.get(site.key)) ?? []);
    return {
      ...report,
      notes: [...report.notes, ...notes, ...new Set(isBound ? said : [])],
      numbers: [],
      means: isBound ? means : null,
      ...(isBound ? { cost } : {}),
    };
  }

  /** Where it is, and why what it names is not there; nothing is set. */
  async resolve(probe: WantedProbe, traced: SourcesNow): Promise<Resolved<C>> {
    const { match, statements } = await this.meant(probe, traced);
    const { constants } = this.#language;
    const names = {
      constants,
      secretNames: this.#session.limits.secretNames,
      compile: (expression: Expression, meant: MeantStatement) =>
        this.#language.compile(expression, meant),
    };
    const places: PlacedSite<C>[] = [];
    const reasons = new Set<string>();
    if (probe.request.thread !== undefined) reasons.add(noThreads);
    for (const statement of reasons.size > 0 ? [] : statements) {
      const placed = siteOf(probe, statement, names);
      if ('why' in placed) reasons.add(placed.why);
      else places.push(placed);
    }
    const { startNs } = this.#session;
    const changed = new Set(
      statements.map(({ file }) => file).filter((file) => isNewer(file, startNs)),
    );
    const notes = [...changed].map((file) => `${basename(file)} ${wasChanged}`);
    return { match, places, reasons: [...reasons], notes };
  }

  /** The statements that it means. */
  async meant(probe: WantedProbe, traced: SourcesNow): Promise<Meant> {
    const { where } = probe.request;
    if (where.kind === 'line' || where.kind === 'text')
      return await this.#atLine(where, traced.own);
    if (where.kind === 'return')
      return await this.#returns(await traced.functions(probe.pattern, 0));
    if (where.kind === 'lines') return await this.#lines(await traced.functions(probe.pattern, 0));
    if (where.kind === 'function' && probe.pattern !== null)
      return await this.#inFunction(probe.pattern, where.pattern, traced.own);
    return noMatch('Functions of source text have no addresses.');
  }

  async #atLine(
    where: Extract<WantedProbe['request']['where'], { kind: 'line' | 'text' }>,
    own: readonly string[],
  ): Promise<Meant> {
    const files = this.#filesOf(where.file, own);
    const [file] = files;
    if (file === undefined)
      return noMatch(`${where.file} is no source file of the project or of the program.`);
    if (files.length > 1)
      return noMatch(
        `${where.file} means several files: ${files.join(', ')}. Write more of the path.`,
      );
    const read = await this.#read(file);
    if ('why' in read) return noMatch(read.why);
    const { lines, statements } = read;
    const known = [...new Set(statements.map(({ line }) => line))];
    const asked = meantLine(where, lines);
    if ('why' in asked)
      return noMatch(asked.why, nearestLines(known, where.kind === 'line' ? where.line : 1));
    const statement = statementAt(statements, asked.line, columnOf(where, lines[asked.line - 1]));
    if (statement === undefined)
      return noMatch(
        `${file} has no statement at or after line ${asked.line}.`,
        nearestLines(known, asked.line),
      );
    const { line } = statement;
    const moved =
      line === asked.line
        ? asked.moved
        : {
            from: asked.moved?.from ?? asked.line,
            to: line,
            why: `no statement begins in line ${asked.line}`,
          };
    return {
      match: { ...found, moved },
      statements: [meantStatement(file, statement, lines)],
    };
  }

  /** The project's come first, then those of packages, then one that its whole path names: the program may load it. */
  #filesOf(name: string, own: readonly string[]): readonly string[] {
    const files = own.filter((path) => isMeantFile(path, name));
    if (files.length > 0) return files;
    const units = this.#processes.units();
    const loaded = units.filter((unit) => !unit.endsWith('/') && isMeantFile(unit, name));
    if (loaded.length > 0) return loaded;
    if (isAbsolute(name)) return isFile(name) ? [realPath(name)] : [];
    const folders = units.filter((unit) => unit.endsWith('/'));
    const paths = [this.#session.projectRoot, ...folders].map((folder) => resolve(folder, name));
    const kept = paths.filter((path) => folders.some((folder) => isBelow(path, folder)));
    return [...new Set(kept.filter(isFile).map(realPath))];
  }

  async #lines(functions: readonly SourceFunction[]): Promise<Meant> {
    if (functions.length > mostFunctions)
      return noMatch(
        `It means ${functions.length} functions; lines are recorded in at most ${mostFunctions}.`,
      );
    const all: MeantStatement[] = [];
    for (const fn of functions) {
      const read = await this.#read(fn.file);
      if ('why' in read) return noMatch(read.why);
      const own = read.statements.filter(({ holder }) => holder?.offset === fn.offset);
      const first = own.filter(({ line }, i) => own.findIndex((one) => one.line === line) === i);
      for (const statement of first) all.push(meantStatement(fn.file, statement, read.lines));
    }
    return { match: found, statements: all };
  }

  async #returns(functions: readonly SourceFunction[]): Promise<Meant> {
    const all: MeantStatement[] = [];
    for (const fn of functions) {
      const read = await this.#read(fn.file);
      const globals = 'why' in read ? [] : (read.statements.at(-1)?.globals ?? []);
      all.push({
        file: fn.file,
        statement: endOf(fn, globals),
        functionName: fn.name,
        text: null,
        returnOf: fn,
      });
    }
    return { match: found, statements: all };
  }

  async #inFunction(pattern: Pattern, text: string, own: readonly string[]): Promise<Meant> {
    const units = { own, all: this.#processes.units() };
    const { projectRoot } = this.#session;
    const { functions, nearest } = await this.#language.find(units, pattern, projectRoot);
    if (functions.length === 0) {
      const near = nearest.length > 0 ? ` Nearest: ${nearest.join(', ')}.` : '';
      return noMatch(`${text} means no function of the program.${near}`);
    }
    if (functions.length > mostFunctions)
      return noMatch(
        `${text} means ${functions.length} functions; a breakpoint is in at most ${mostFunctions}.`,
      );
    const all: MeantStatement[] = [];
    for (const fn of functions) {
      const read = await this.#read(fn.file);
      if ('why' in read) return noMatch(read.why);
      const statement = read.statements.find(({ holder }) => holder?.offset === fn.offset);
      if (statement) all.push(meantStatement(fn.file, statement, read.lines));
    }
    return all.length > 0
      ? { match: found, statements: all }
      : noMatch(`${text} has no statement of its own.`);
  }

  async #read(
    file: string,
  ): Promise<
    | { readonly lines: readonly string[]; readonly statements: readonly SourceStatement[] }
    | { readonly why: string }
  > {
    try {
      const lines = readFileSync(file, 'utf8').split('\n');
      return { lines, statements: await this.#language.statements(file) };
    } catch (error) {
      return {
        why: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      };
    }
  }
}

/** Whether a file was written after the session began. */
function isNewer(file: string, startNs: bigint): boolean {
  const startMs = wallMs() - Number(monotonicNs() - startNs) / 1e6;
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > startMs;
}

/** Where the text that is meant begins in its line, from 1; null: none is. */
function columnOf(
  where: Extract<WantedProbe['request']['where'], { kind: 'line' | 'text' }>,
  line = '',
): number | null {
  const text = (where.kind === 'text' ? where.text : (where.expect ?? '')).trim();
  return text === '' ? null : line.indexOf(text) + 1;
}

/** The one that begins there, else the first of the line or behind it. */
function statementAt(
  statements: readonly SourceStatement[],
  line: number,
  column: number | null,
): SourceStatement | undefined {
  return (
    statements.find((one) => one.line === line && one.column === column) ??
    statements.find((one) => one.line >= line)
  );
}

const found: ProbeMatch = { moved: null, isStale: false, why: null, nearest: [] };

/** The returns of a function: what is named there are its arguments, its result and variables of the module. */
function endOf(fn: SourceFunction, globals: readonly string[]): SourceStatement {
  const { name, qualifiedName, firstLine, offset, line, column, parameters } = fn;
  return {
    offset,
    line,
    column,
    word: '',
    isResult: false,
    holder: { name, qualifiedName, firstLine, offset, parameters },
    locals: [...parameters, 'return'],
    globals,
  };
}

function noteOf(state: SiteState | undefined): string | undefined {
  return state?.isBound === true ? state.note : undefined;
}

function isWrittenState(state: SiteState | undefined): boolean {
  return state?.isBound === true && state.isWritten === true;
}

/** Undefined: it waits for the function to be hooked. */
function atReturns({ id }: SourceFunction, hooked: ReadonlySet<string>): SiteState | undefined {
  return hooked.has(id) ? { isBound: true } : undefined;
}

/** Nothing was found; `why`: a whole sentence. */
function noMatch(why: string, nearest: readonly number[] = []): Meant {
  return { match: { ...found, why, nearest }, statements: [] };
}

function meantStatement(
  file: string,
  statement: SourceStatement,
  lines: readonly string[],
): MeantStatement {
  const text = lines[statement.line - 1]?.trim() ?? null;
  const functionName = statement.holder?.name ?? basename(file);
  return { file, statement, functionName, text, returnOf: null };
}
