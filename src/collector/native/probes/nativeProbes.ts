import type { TracedFunction } from '../../../model/eventColumns.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { FoundStatement, StatementMatch } from '../../../model/functions/foundStatement.ts';
import type { Verdict } from '../../../model/functions/traceable.ts';
import {
  probeLabel,
  threadFilter,
  type ProbePlace,
  type ProbeReport,
} from '../../../model/probes/probe.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import type { ProbeTracer, TracedNow, TracedSession } from '../../tracer.ts';
import type { WantedProbe } from '../../wantedProbe.ts';
import type { FunctionNumbers } from '../functionNumbers.ts';
import type { NativeParts } from '../nativeParts.ts';
import { compileProbe, type CompiledProbe, type ProbeNames } from './compileProbe.ts';
import type { FunctionWatches } from '../watches/watchTable.ts';
import { probeReport, type PlaceOutcome } from '../../probeReport.ts';
import { noFunction, noMatch, ProbeStatements } from './probeStatements.ts';
import type { PlacedProbe } from './processProbes.ts';
import { checkWatches, returnChecks } from './returnChecks.ts';

interface Outcome {
  readonly verdicts: ReadonlyMap<number, Verdict>;
  /** Numbers of those that are in a process by traps. */
  readonly trapped: ReadonlySet<number>;
  readonly traced: Pick<TracedNow, 'hooked' | 'whyRefused'>;
}

/** What the processes of the session do for its breakpoints. */
export interface ProbedProcesses {
  /** In all, or in one; of the verdicts the best of all. `main`: the one whose threads stop. */
  set(
    probes: readonly PlacedProbe[],
    among: { readonly main: number | null; readonly only: number | undefined },
  ): Promise<Pick<Outcome, 'verdicts' | 'trapped'>>;
  /** What is asked where functions return. */
  check(checks: FunctionWatches, only?: number): Promise<void>;
}

/** A place of a breakpoint that can be. */
interface Place {
  readonly at: Pick<ProbePlace, 'function' | 'inlinedIn' | 'file' | 'line' | 'text'>;
  readonly placed: PlacedProbe;
  readonly missing: readonly string[];
  /** Where it is asked at the returns of a function. */
  readonly fn: FoundFunction | null;
}

interface Resolved {
  readonly match: Omit<StatementMatch, 'statements'>;
  readonly places: readonly Place[];
  /** Why statements that were found cannot be; whole sentences. */
  readonly reasons: readonly string[];
}

const mostFunctions = 16;
const goroutineName = 'A goroutine has no name: "thread" means one by its number.';
/** See bench/results. */
const TRAP_COST = '15 to 45 µs a hit';

/** The breakpoints of one session in programs of machine code. */
export class NativeProbes implements ProbeTracer<FoundFunction> {
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #statements: ProbeStatements;
  readonly #numbers: FunctionNumbers;
  readonly #processes: ProbedProcesses;
  /** By what a statement's hits hold. */
  readonly #known = new Map<string, Promise<number>>();
  #hasAny = false;
  /** By number. */
  readonly #knownLines = new Map<number, TracedFunction>();
  /** By breakpoint and invariant: the number of what its places share. */
  readonly #checks = new Map<string, number>();
  #hasReturns = false;

  constructor(
    session: TracedSession,
    parts: NativeParts,
    numbers: FunctionNumbers,
    processes: ProbedProcesses,
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#statements = new ProbeStatements(session, parts.code);
    this.#numbers = numbers;
    this.#processes = processes;
  }

  async apply(
    probes: readonly WantedProbe[],
    traced: TracedNow<FoundFunction>,
    only?: number,
  ): Promise<readonly ProbeReport[]> {
    if (probes.length === 0 && !this.#hasAny) return [];
    this.#hasAny = probes.length > 0;
    const resolved: Resolved[] = [];
    for (const probe of probes) resolved.push(await this.#resolve(probe, traced));
    const wanted = probes.flatMap(({ request }, i) =>
      request.isEnabled ? (resolved[i]?.places ?? []).map(({ placed }) => placed) : [],
    );
    const among = { main: traced.pid, only };
    const { verdicts, trapped } = await this.#processes.set(wanted, among);
    await this.#tellUnseen(resolved, verdicts);
    await this.#checkReturns(resolved, only);
    return probes.map((probe, i) => reportOf(probe, resolved[i], { verdicts, trapped, traced }));
  }

  async #checkReturns(resolved: readonly Resolved[], only?: number): Promise<void> {
    const checks = resolved
      .flatMap(({ places }) => places)
      .flatMap(({ fn, placed: { number } }) => (fn === null ? [] : [{ fn, number }]));
    if (checks.length === 0 && !this.#hasReturns) return;
    this.#hasReturns = checks.length > 0;
    await this.#processes.check(checkWatches(checks), only);
  }

  async #returns(
    probe: WantedProbe,
    invariant: Expression,
    traced: TracedNow<FoundFunction>,
  ): Promise<Resolved> {
    const units = [...new Set([...traced.own, ...traced.wanted.map(({ unit }) => unit)])];
    const { checks, notes, why } = await returnChecks(probe, invariant, {
      secretNames: this.#session.limits.secretNames,
      pid: traced.pid,
      functions: (pattern, depth) => traced.functions(pattern, depth),
      variables: (name, depth) => this.#parts.code.variables(units, name, depth),
    });
    const places: Place[] = [];
    for (const { fn, compiled } of checks) {
      places.push(
        await this.#place(
          probe,
          {
            at: { function: fn.name, file: fn.file, line: fn.line, text: null },
            statement: null,
            fn,
          },
          compiled,
        ),
      );
    }
    return { match: noMatch(why), places, reasons: notes };
  }

  async #resolve(probe: WantedProbe, traced: TracedNow<FoundFunction>): Promise<Resolved> {
    if (probe.request.where.kind === 'return' && probe.invariant !== null)
      return await this.#returns(probe, probe.invariant, traced);
    const { secretNames } = this.#session.limits;
    const match =
      probe.request.where.kind === 'lines'
        ? await this.#lines(probe, traced)
        : await this.#statements.match(probe, traced.own, traced.pid);
    const globals = await this.#statements.globals(probe, match.statements, traced.own);
    const places: Place[] = [];
    const reasons = new Set<string>();
    for (const statement of match.statements) {
      if (statement.isOfGo && threadFilter(probe.request.thread).name !== '') {
        reasons.add(goroutineName);
        continue;
      }
      const names: ProbeNames = { statement, globals, secretNames };
      const compiled = compileProbe(probe, names);
      if ('why' in compiled) reasons.add(`${sentence(compiled.why)}.`);
      else
        places.push(
          await this.#place(probe, { at: placeOf(statement), statement, fn: null }, compiled),
        );
    }
    return { match, places, reasons: [...reasons] };
  }

  async #lines(probe: WantedProbe, traced: TracedNow<FoundFunction>): Promise<StatementMatch> {
    const functions = await traced.functions(probe.pattern, 0);
    if (functions.length === 0) return noMatch(noFunction);
    if (functions.length > mostFunctions)
      return noMatch(
        `It means ${functions.length} functions; lines are recorded in at most ${mostFunctions}.`,
      );
    const { projectRoot } = this.#session;
    const all: StatementMatch[] = [];
    for (const { unit: module, address } of functions) {
      const where = { kind: 'lines', module, address } as const;
      all.push(
        await this.#parts.code.statements([module], where, { names: null, depth: 1, projectRoot }),
      );
    }
    const statements = all.flatMap((one) => one.statements);
    const why = all.find((one) => one.why !== null)?.why ?? null;
    const isStale = all.some((one) => one.isStale);
    return { statements, moved: null, isStale, why, nearest: [] };
  }

  async #place(
    probe: WantedProbe,
    { at, statement, fn }: Pick<Place, 'at' | 'fn'> & { readonly statement: FoundStatement | null },
    compiled: CompiledProbe,
  ): Promise<Place> {
    const { captured, uncaptured, condition, values, hasVectors, gathered } = compiled;
    const { log = null, invariant } = probe.request;
    const isLine = probe.request.where.kind === 'lines';
    const label = isLine ? `${at.function}:${at.line ?? '?'}` : probeLabel(probe.request);
    const own = await this.#number(probe, {
      name: label,
      signature: label,
      linkageName: label,
      module: statement?.module ?? fn?.unit ?? '',
      address: statement?.address ?? fn?.address ?? null,
      file: at.file,
      line: at.line,
      captured,
      uncaptured,
      returns: { kind: 'void' },
      endsUnseen: true,
      probe: {
        id: probe.id,
        log,
        ...(condition === null ? {} : { isConditional: true }),
        ...(invariant === undefined ? {} : { invariant }),
        ...(fn === null ? {} : { returnOf: fn.name }),
        ...(isLine && statement ? { line: { of: statement.holder, text: at.text } } : {}),
      },
    });
    const limits = limitsOf(probe.request);
    return {
      at,
      fn,
      placed: {
        number: own,
        statement,
        condition,
        values,
        hasVectors,
        gathered,
        ...limits,
        check: this.#check(probe, own),
        thread: threadFilter(probe.request.thread),
      },
      missing: isLine ? [] : uncaptured.map(({ name, reason }) => `${name}: ${reason}`),
    };
  }

  async #number(probe: WantedProbe, traced: Omit<TracedFunction, 'number'>): Promise<number> {
    const { condition, at, every, after, once, thread } = probe.request;
    const key = JSON.stringify([traced, condition, at, every, after, once, thread]);
    const known = this.#known.get(key) ?? this.#numbers.statement(traced);
    this.#known.set(key, known);
    const number = await known;
    if (traced.probe?.line && !this.#knownLines.has(number))
      this.#knownLines.set(number, { ...traced, number });
    return number;
  }

  /** What is shown of a line that cannot be recorded is not that it did not run. */
  async #tellUnseen(
    resolved: readonly Resolved[],
    verdicts: ReadonlyMap<number, Verdict>,
  ): Promise<void> {
    const changed = resolved
      .flatMap(({ places }) => places)
      .flatMap(({ placed: { number } }) => {
        const fn = this.#knownLines.get(number);
        const verdict = verdicts.get(number);
        if (!fn?.probe?.line || !verdict || verdict.kind === 'pending') return [];
        const { isUnseen: wasUnseen, ...line } = fn.probe.line;
        const isUnseen = verdict.kind === 'refused';
        if (isUnseen === (wasUnseen ?? false)) return [];
        const told = isUnseen ? { ...line, isUnseen: true as const } : line;
        return [{ ...fn, probe: { ...fn.probe, line: told } }];
      });
    if (changed.length === 0) return;
    for (const fn of changed) this.#knownLines.set(fn.number, fn);
    await this.#numbers.define(changed);
  }

  /** All places of an invariant share whether it holds. */
  #check({ id, request: { invariant } }: WantedProbe, number: number): number | null {
    if (invariant === undefined) return null;
    const key = `${id} ${invariant}`;
    const known = this.#checks.get(key) ?? number;
    this.#checks.set(key, known);
    return known;
  }
}

/** Of hits that meet the condition those that are wanted. */
function limitsOf({
  at,
  after = 0,
  every = 0,
  once,
}: WantedProbe['request']): Pick<PlacedProbe, 'after' | 'every' | 'most'> {
  if (at !== undefined) return { after: at - 1, every: 0, most: 1 };
  return { after, every, most: once === true ? 1 : 0 };
}

function placeOf(statement: FoundStatement): Place['at'] {
  const { functionName, holder, isInlined, file, line, text } = statement;
  return { function: functionName, ...(isInlined ? { inlinedIn: holder } : {}), file, line, text };
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function reportOf(
  probe: WantedProbe,
  { match, places, reasons }: Resolved = { match: noMatch(''), places: [], reasons: [] },
  { verdicts, trapped, traced }: Outcome,
): ProbeReport {
  const outcomes = places.map(({ at, fn, placed, missing }): PlaceOutcome => {
    const verdict = verdicts.get(placed.number);
    const isBound = verdict?.kind === 'hooked' && (fn === null || traced.hooked.has(fn.id));
    const why =
      verdict?.kind === 'refused' ? whyNot(verdict.code, verdict.text) : whyUnhooked(fn, traced);
    return {
      at,
      isReturn: fn !== null,
      state: isBound ? 'bound' : why === null ? 'pending' : 'refused',
      why: isBound ? null : why,
      missing,
    };
  });
  const numbers = places.map(({ placed }) => placed.number);
  const told = probeReport(probe, match, reasons, outcomes);
  const report = { ...told, notes: [...told.notes, ...notInEachCopy(told, reasons)] };
  const traps = numbers.filter((number) => trapped.has(number)).length;
  if (traps === 0 || report.state !== 'bound') return { ...report, numbers };
  const bound = outcomes.filter(({ state }) => state === 'bound').length;
  const where = bound === 1 ? 'there' : `at ${traps} of its ${bound} places`;
  const trap = `A jump has no room ${where}: a trap records it.`;
  const notes = [...report.notes, trap];
  return { ...report, numbers, notes, means: 'trap', cost: TRAP_COST };
}

/** A bound one's places hide that other copies of the statement have none. What patterns ask says so by itself. */
function notInEachCopy(
  { state, places }: Pick<ProbeReport, 'state' | 'places'>,
  reasons: readonly string[],
): string[] {
  const isAtStatement = places.every(({ isReturn }) => !isReturn);
  return state === 'bound' && isAtStatement
    ? reasons.map((reason) => `Not at every copy of the statement: ${reason}`)
    : [];
}

/** Why a function at whose returns something is asked cannot be hooked, as a whole sentence; null: it can. */
function whyUnhooked(
  fn: FoundFunction | null,
  { whyRefused }: Pick<TracedNow, 'whyRefused'>,
): string | null {
  const why = fn === null ? null : whyRefused(fn.id);
  return fn === null || why === null ? null : `${fn.name} cannot be hooked: ${why}.`;
}

/** Why a statement cannot be patched, as a whole sentence. */
function whyNot(code: string, text: string): string {
  switch (code) {
    case 'trap':
      return text;
    case 'mayFault':
      return 'An instruction in the five bytes that would be replaced may fault (it follows a pointer, or divides), and a fault must name its place: choose a statement before or after it.';
    case 'frameActive':
      return 'A goroutine stands in the bytes that would be replaced: set it again.';
    case 'branchIntoPrologue':
      return 'A jump leads into the five bytes that would be replaced: choose a statement before or after it.';
    case 'overlaps':
      return 'Another breakpoint or hook is within five bytes: remove that, or choose another statement.';
    case 'tooShort':
      return 'The function ends within five bytes: choose an earlier statement, or trace the function to see its end.';
    case 'breakpoint':
      return "A breakpoint that stops is there, of Strobe or of a debugger: remove that, set this one, then set that again; Strobe's two may be set by one request.";
    case 'unsupportedInstruction':
    case 'undecodable':
      return 'Its instructions cannot be moved: choose a statement before or after it.';
    default:
      return `It cannot be patched: ${text}.`;
  }
}
