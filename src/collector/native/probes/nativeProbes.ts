import type { FoundStatement, StatementMatch } from '../../../model/functions/foundStatement.ts';
import type { FoundVariable } from '../../../model/functions/foundVariable.ts';
import type { Verdict } from '../../../model/functions/traceable.ts';
import { probeLabel, type ProbePlace, type ProbeReport } from '../../../model/probes/probe.ts';
import { watchedDepth } from '../../../model/values/shape.ts';
import { eachPart, type Expression } from '../../../model/watches/expression.ts';
import type { ProbeTracer, TracedNow, TracedSession, WantedProbe } from '../../tracer.ts';
import type { FunctionNumbers } from '../functionNumbers.ts';
import type { NativeParts } from '../nativeParts.ts';
import { compileProbe, type CompiledProbe, type ProbeNames } from './compileProbe.ts';
import type { PlacedProbe } from './processProbes.ts';

/** What the processes of the session do for its breakpoints: verdicts by number, the best of all. */
export type SetProbes = (
  probes: readonly PlacedProbe[],
  only?: number,
) => Promise<ReadonlyMap<number, Verdict>>;

const mostFunctions = 16;
const deepest = 6;

/** A place of a breakpoint that can be. */
interface Place {
  readonly statement: FoundStatement;
  readonly placed: PlacedProbe;
  readonly missing: readonly string[];
}

interface Resolved {
  readonly match: Omit<StatementMatch, 'statements'>;
  readonly places: readonly Place[];
  /** Why statements that were found cannot be; whole sentences. */
  readonly reasons: readonly string[];
}

/** The breakpoints of one session in programs of machine code. */
export class NativeProbes implements ProbeTracer {
  readonly #session: TracedSession;
  readonly #parts: NativeParts;
  readonly #numbers: FunctionNumbers;
  readonly #set: SetProbes;
  /** By what a statement's hits hold. */
  readonly #known = new Map<string, Promise<number>>();
  #hasAny = false;

  constructor(
    session: TracedSession,
    parts: NativeParts,
    numbers: FunctionNumbers,
    set: SetProbes,
  ) {
    this.#session = session;
    this.#parts = parts;
    this.#numbers = numbers;
    this.#set = set;
  }

  async apply(
    probes: readonly WantedProbe[],
    traced: Pick<TracedNow, 'own' | 'pid'>,
    only?: number,
  ): Promise<readonly ProbeReport[]> {
    if (probes.length === 0 && !this.#hasAny) return [];
    this.#hasAny = probes.length > 0;
    const resolved: Resolved[] = [];
    for (const probe of probes) resolved.push(await this.#resolve(probe, traced));
    const wanted = probes.flatMap(({ request }, i) =>
      request.isEnabled ? (resolved[i]?.places ?? []).map(({ placed }) => placed) : [],
    );
    const verdicts = await this.#set(wanted, only);
    return probes.map((probe, i) => reportOf(probe, resolved[i], verdicts));
  }

  async #resolve(probe: WantedProbe, traced: Pick<TracedNow, 'own'>): Promise<Resolved> {
    const { secretNames } = this.#session.limits;
    const match = await this.#statements(probe, traced.own);
    const globals = await this.#globals(probe, match.statements, traced.own);
    const places: Place[] = [];
    const reasons = new Set<string>();
    for (const statement of match.statements) {
      const names: ProbeNames = { statement, globals, secretNames };
      const compiled = compileProbe(probe, names);
      if ('why' in compiled) reasons.add(`${sentence(compiled.why)}.`);
      else places.push(await this.#place(probe, statement, compiled));
    }
    return { match, places, reasons: [...reasons] };
  }

  async #statements(probe: WantedProbe, units: readonly string[]): Promise<StatementMatch> {
    const { where, locals } = probe.request;
    const { code } = this.#parts;
    const names = locals ? null : [...namesOf(probe)];
    const wanted = { names, depth: depthOf(probe) };
    if (where.kind === 'line' || where.kind === 'text')
      return code.statements(units, where, wanted);
    if (where.kind === 'address')
      return none(
        'Addresses of a running process are not resolved yet: give file and line, or a function.',
      );
    if (probe.pattern === null) return none('It has no function.');
    const found = await code.find(units, probe.pattern, this.#session);
    const { functions, nearest, inlined } = found.value;
    if (functions.length === 0) {
      const [first] = inlined;
      if (first)
        return none(
          `${first.name} is inlined wherever it is used: give one of its lines, which has a place in each copy.`,
        );
      const near = nearest.length > 0 ? ` Nearest: ${nearest.join(', ')}.` : '';
      return none(`${where.pattern} means no function of the program.${near}`);
    }
    if (functions.length > mostFunctions)
      return none(
        `${where.pattern} means ${functions.length} functions; a breakpoint is in at most ${mostFunctions}.`,
      );
    const all: StatementMatch[] = [];
    for (const { unit: module, address } of functions)
      all.push(await code.statements(units, { kind: 'body', module, address }, wanted));
    const statements = all.flatMap((one) => one.statements);
    const why = statements.length > 0 ? null : (all[0]?.why ?? null);
    return {
      statements,
      moved: null,
      isStale: all.some(({ isStale }) => isStale),
      why,
      nearest: [],
    };
  }

  /** Variables with a place of their own that expressions name. */
  async #globals(
    probe: WantedProbe,
    statements: readonly FoundStatement[],
    units: readonly string[],
  ): Promise<Map<string, FoundVariable>> {
    const globals = new Map<string, FoundVariable>();
    for (const name of namesOf(probe)) {
      if (statements.every(({ inScope }) => inScope.includes(name))) continue;
      const { variables } = await this.#parts.code.variables(units, name, depthOf(probe));
      const [variable, another] = variables;
      if (variable && !another) globals.set(name, variable);
    }
    return globals;
  }

  async #place(
    probe: WantedProbe,
    statement: FoundStatement,
    compiled: CompiledProbe,
  ): Promise<Place> {
    const { captured, uncaptured, condition, values, hasVectors } = compiled;
    const { log = null, at, every, after, once } = probe.request;
    const label = probeLabel(probe.request);
    const key = JSON.stringify([
      probe.id,
      statement.module,
      statement.address,
      captured,
      log,
      label,
      probe.request.condition,
      at,
      every,
      after,
      once,
    ]);
    const known = this.#known.get(key);
    const number =
      known ??
      this.#numbers.statement({
        name: label,
        signature: label,
        linkageName: label,
        module: statement.module,
        address: statement.address,
        file: statement.file,
        line: statement.line,
        captured,
        uncaptured,
        returns: { kind: 'void' },
        endsUnseen: true,
        probe: { id: probe.id, log },
      });
    if (!known) this.#known.set(key, number);
    const limits = {
      after: at === undefined ? (after ?? 0) : at - 1,
      every: at === undefined ? (every ?? 0) : 0,
      most: once === true || at !== undefined ? 1 : 0,
    };
    const placed = { number: await number, statement, condition, values, hasVectors, ...limits };
    return {
      statement,
      placed,
      missing: uncaptured.map(({ name, reason }) => `${name}: ${reason}`),
    };
  }
}

function none(why: string): StatementMatch {
  return { statements: [], moved: null, isStale: false, why, nearest: [] };
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function expressionsOf({ condition, values }: WantedProbe): Expression[] {
  return [
    ...(condition === null ? [] : [condition]),
    ...values.map(({ expression }) => expression),
  ];
}

function namesOf(probe: WantedProbe): ReadonlySet<string> {
  const names = new Set<string>();
  for (const expression of expressionsOf(probe))
    eachPart(expression, (one) => {
      if (one.kind === 'name') names.add(one.name);
    });
  return names;
}

/** Pointers that its expressions follow at most, and behind them those of a whole value. */
function depthOf(probe: WantedProbe): number {
  let hops = 0;
  for (const expression of expressionsOf(probe))
    eachPart(expression, (one) => {
      if (one.kind === 'member' || one.kind === 'index') hops++;
      if (one.kind === 'unary' && one.operator === '*') hops++;
    });
  return Math.min(deepest, hops + watchedDepth.levels);
}

function reportOf(
  probe: WantedProbe,
  { match, places, reasons }: Resolved = { match: none(''), places: [], reasons: [] },
  verdicts: ReadonlyMap<number, Verdict>,
): ProbeReport {
  const all = places.map(({ statement, placed, missing }): ProbePlace & { isPending: boolean } => {
    const verdict = verdicts.get(placed.number);
    return {
      function: statement.functionName,
      file: statement.file,
      line: statement.line,
      text: statement.text,
      isBound: verdict?.kind === 'hooked',
      isPending: verdict === undefined || verdict.kind === 'pending',
      why: verdict?.kind === 'refused' ? whyNot(verdict.code, verdict.text) : null,
      missing,
    };
  });
  const isBound = all.some((one) => one.isBound);
  const isPending = all.some((one) => one.isPending);
  const state = !probe.request.isEnabled
    ? 'off'
    : isBound
      ? 'bound'
      : isPending
        ? 'pending'
        : 'failed';
  const why = [...(match.why === null ? [] : [match.why]), ...reasons];
  const stale = match.isStale
    ? ['The source is newer than the program: its lines may have moved.']
    : [];
  return {
    id: probe.id,
    label: probeLabel(probe.request),
    state,
    reasons: [...why, ...new Set(all.flatMap((one) => (one.why === null ? [] : [one.why])))],
    nearest: match.nearest,
    moved: match.moved,
    places: all.map(({ isPending: _isPending, ...place }) => place),
    numbers: places.map(({ placed }) => placed.number),
    notes: stale,
  };
}

/** Why a statement cannot be patched, as a whole sentence. */
function whyNot(code: string, text: string): string {
  switch (code) {
    case 'branchIntoPrologue':
      return 'A jump leads into the five bytes that would be replaced: choose a statement before or after it.';
    case 'overlaps':
      return 'Another breakpoint or hook is within five bytes: remove that, or choose another statement.';
    case 'tooShort':
      return 'The function ends within five bytes: choose an earlier statement, or trace the function to see its end.';
    case 'unsupportedInstruction':
    case 'undecodable':
      return 'Its instructions cannot be moved: choose a statement before or after it.';
    default:
      return `It cannot be patched: ${text}.`;
  }
}
