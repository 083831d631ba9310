import { clausesOf } from '../../collector/probeReport.ts';
import type { WantedProbe } from '../../collector/wantedProbe.ts';
import { StrobeError } from '../../model/errors.ts';
import { parsePattern } from '../../model/names/pattern.ts';
import { logExpressions } from '../../model/probes/logText.ts';
import {
  mostProbes,
  probeLabel,
  type ProbeReport,
  type ProbeRequest,
  type ProbeWhere,
} from '../../model/probes/probe.ts';
import { parseExpression } from '../../model/watches/expression.ts';

/** What a request changes of a session's breakpoints. */
export interface ProbeChange {
  readonly add: readonly ProbeRequest[];
  readonly change: readonly {
    readonly id: string;
    readonly enabled?: boolean;
    readonly condition?: string | null;
  }[];
  /** Ids, or `all`. */
  readonly remove: readonly string[];
  /** Those that a daemon before this one left are placed: the program is entered as for new ones. */
  readonly takesUp?: true;
}

/** A breakpoint as another daemon needs it. */
export interface KeptProbe {
  readonly id: string;
  readonly owner: string;
  readonly request: ProbeRequest;
}

/** Applies breakpoints in all processes, or in one; answers a report each. */
type ApplyProbes = (
  probes: readonly WantedProbe[],
  only?: number,
) => Promise<readonly ProbeReport[]>;

interface Active {
  /** The client that set it. */
  readonly owner: string;
  readonly probe: WantedProbe;
  report: ProbeReport;
  /** Switched off when a daemon died. */
  readonly isLeft?: boolean;
}

/** Reads a breakpoint. Throws BAD_EXPRESSION, BAD_PATTERN or BAD_PARAMETER. */
export function readProbe(id: string, request: ProbeRequest): WantedProbe {
  checkExpression(request);
  const texts = [...new Set([...logExpressions(request.log ?? ''), ...request.values])];
  return {
    id,
    request,
    pattern: request.where.kind === 'function' ? parsePattern(request.where.pattern) : null,
    condition: request.condition === undefined ? null : parseExpression(request.condition),
    invariant: request.invariant === undefined ? null : parseExpression(request.invariant),
    values: texts.map((text) => ({ text, expression: parseExpression(text) })),
  };
}

/** What a data breakpoint means is an expression. */
function checkExpression({ where }: ProbeRequest): void {
  if (where.kind === 'data') parseExpression(where.expression);
}

function unknown(probe: WantedProbe): ProbeReport {
  const { id, request } = probe;
  const rest = { reasons: [], nearest: [], moved: null, places: [], numbers: [], notes: [] };
  return {
    id,
    label: probeLabel(request),
    stops: request.stop !== undefined,
    invariant: request.invariant ?? null,
    only: clausesOf(request),
    state: request.isEnabled ? 'pending' : 'off',
    ...rest,
  };
}

/** Lines that are named of those that are not recorded. */
const mostLeftOut = 8;

const leftReason = 'The daemon crashed, which switched it off.';

function isStop({ request }: WantedProbe): boolean {
  return request.stop !== undefined && request.isEnabled;
}

/** The breakpoints of a session. */
export class SessionProbes {
  readonly #apply: ApplyProbes;
  readonly #ofPatterns: () => readonly WantedProbe[];
  readonly #patternReports = new Map<string, ProbeReport>();
  readonly #probes = new Map<string, Active>();
  #next = 1;
  #turn: Promise<unknown> = Promise.resolve();

  /** `ofPatterns`: what patterns ask inside their functions now. */
  constructor(apply: ApplyProbes, ofPatterns: () => readonly WantedProbe[]) {
    this.#apply = apply;
    this.#ofPatterns = ofPatterns;
  }

  /** No breakpoint was asked for. */
  get isEmpty(): boolean {
    return this.#probes.size === 0;
  }

  get requests(): readonly ProbeRequest[] {
    return [...this.#probes.values()].map(({ probe }) => probe.request);
  }

  /** All, for a daemon that comes after this one. */
  get kept(): readonly KeptProbe[] {
    return [...this.#probes].map(([id, { owner, probe }]) => ({
      id,
      owner,
      request: probe.request,
    }));
  }

  /**
   * Has what a daemon that died kept, under the same ids; nothing is placed yet. Those that stop are off: their threads run on,
   * and must not stop while their client is away. Answers which were switched off.
   */
  inherit(kept: readonly KeptProbe[]): readonly ProbeReport[] {
    const left: ProbeReport[] = [];
    for (const { id, owner, request } of kept) {
      const isLeft = request.isEnabled && request.stop !== undefined;
      const probe = readProbe(id, isLeft ? { ...request, isEnabled: false } : request);
      const report = unknown(probe);
      this.#probes.set(id, { probe, owner, report, isLeft });
      if (isLeft) left.push(report);
      this.#next = Math.max(this.#next, Number(id.slice(1)) + 1);
    }
    return left;
  }

  /** By id, those of one client. */
  requestsOf(owner: string): ReadonlyMap<string, ProbeRequest> {
    const all = [...this.#probes.values()].filter((one) => one.owner === owner);
    return new Map(all.map(({ probe }) => [probe.id, probe.request]));
  }

  /** Where one of this id is; null: there is none. */
  whereOf(id: string): ProbeWhere | null {
    return this.#probes.get(id)?.probe.request.where ?? null;
  }

  /** Some of them stop threads. */
  get stops(): boolean {
    return [...this.#probes.values()].some(({ probe }) => isStop(probe));
  }

  /** Some record by an int3. */
  get traps(): boolean {
    return this.reports().some(({ means }) => means === 'trap');
  }

  /** Ids of those that stop, of one client. */
  stopsOf(owner: string): readonly string[] {
    return [...this.#probes.values()]
      .filter((one) => one.owner === owner && isStop(one.probe))
      .map(({ probe }) => probe.id);
  }

  /** Who set one that stops, and who stands still at it; null: there is none of this id. */
  stopOf(id: string): { readonly owner: string; readonly stop: 'thread' | 'process' } | null {
    const one = this.#probes.get(id);
    const stop = one?.probe.request.stop;
    return one && stop !== undefined ? { owner: one.owner, stop } : null;
  }

  reports(): readonly ProbeReport[] {
    const ofPatterns = this.#ofPatterns().map(
      (probe) => this.#patternReports.get(probe.id) ?? unknown(probe),
    );
    const own = [...this.#probes.values()].map(({ report, isLeft }) =>
      isLeft === true ? { ...report, reasons: [leftReason, ...report.reasons] } : report,
    );
    return [...own, ...ofPatterns];
  }

  /** Why what these patterns ask cannot be; whole sentences. */
  failedOf(probes: readonly WantedProbe[]): string[] {
    return probes.flatMap(({ id, request }) => {
      const report = this.#patternReports.get(id);
      if (report?.state !== 'failed') return [];
      const what =
        request.invariant === undefined
          ? `The ${report.label} cannot be recorded`
          : `The invariant ${request.invariant} cannot be checked`;
      return [`${what}: ${report.reasons.join(' ')}`];
    });
  }

  /** What became of what these patterns ask; whole sentences. */
  saidOf(probes: readonly WantedProbe[]): string[] {
    return probes.flatMap((probe) => {
      const report = this.#patternReports.get(probe.id);
      return report ? [saidOf(probe, report)] : [];
    });
  }

  /**
   * `missing`: what of it could not be done, in whole sentences; `added`: ids. Throws what reading a breakpoint does; then
   * nothing is changed.
   */
  change(
    { add, change, remove }: ProbeChange,
    owner: string,
  ): { readonly missing: string[]; readonly added: readonly string[] } {
    const added = add.map((request, i) => readProbe(`b${this.#next + i}`, request));
    if (this.#probes.size + added.length > mostProbes)
      throw new StrobeError(
        'BAD_PARAMETER',
        `A session has at most ${mostProbes} breakpoints.`,
        'Remove some: debug_breakpoint {"remove": ["b1"]}.',
      );
    const changed = change.map(({ id, enabled, condition }) => {
      const before = this.#probes.get(id)?.probe.request;
      if (before === undefined) return null;
      const wanted = condition === undefined ? before.condition : (condition ?? undefined);
      return readProbe(id, {
        ...before,
        condition: wanted,
        isEnabled: enabled ?? before.isEnabled,
      });
    });
    const missing = change.flatMap(({ id }, i) => (changed[i] ? [] : [id]));
    for (const id of remove) {
      if (id === 'all') this.#probes.clear();
      else if (!this.#probes.delete(id)) missing.push(id);
    }
    this.#next += added.length;
    for (const probe of [...changed.filter((one) => one !== null), ...added]) {
      const by = this.#probes.get(probe.id)?.owner ?? owner;
      this.#probes.set(probe.id, { probe, owner: by, report: unknown(probe) });
    }
    const there = [...this.#probes.keys()].join(', ') || 'none';
    return {
      missing: missing.map((id) => `There is no breakpoint "${id}": there are ${there}.`),
      added: added.map(({ id }) => id),
    };
  }

  /** Takes away what a request added that is refused. */
  takeBack(added: readonly string[]): void {
    for (const id of added) this.#probes.delete(id);
    // What refused the one may refuse the others as well; the request says so already.
    if (added.length > 0) this.apply().catch(() => undefined);
  }

  /** One at a time. */
  async apply(only?: number): Promise<void> {
    const turn = this.#turn.then(
      () => this.#applyNow(only),
      () => this.#applyNow(only),
    );
    this.#turn = turn;
    await turn;
  }

  async #applyNow(only?: number): Promise<void> {
    const active = [...this.#probes.values()];
    const ofPatterns = this.#ofPatterns();
    const reports = await this.#apply([...active.map(({ probe }) => probe), ...ofPatterns], only);
    for (const [i, { id }] of ofPatterns.entries()) {
      const report = reports[active.length + i];
      const before = this.#patternReports.get(id);
      if (report && !isKept(before, report, only)) this.#patternReports.set(id, report);
    }
    for (const [i, one] of active.entries()) {
      const report = reports[i];
      if (report && !isKept(one.report, report, only)) one.report = report;
    }
  }
}

function saidOf({ id, request }: WantedProbe, report: ProbeReport): string {
  const { state, places, reasons, label, cost } = report;
  const bound = places.filter(({ isBound }) => isBound);
  const of = request.invariant === undefined ? label : `Invariant ${id} "${request.invariant}"`;
  if (state !== 'bound')
    return `${of} ${state === 'pending' ? 'waits' : 'cannot be'}: ${reasons.join(' ') || 'none of its functions is hooked yet.'}`;
  const notes = reasons.map((reason) => ` ${reason}`).join('');
  const price = cost === undefined ? '' : ` ${report.notes.join(' ')} It costs ${cost}.`;
  if (request.invariant === undefined) {
    const left = places.filter(({ isBound }) => !isBound);
    const lines = [...new Set(left.map(({ line }) => line))].slice(0, mostLeftOut).join(', ');
    const without =
      left.length === 0 ? '' : ` Not recorded: line ${lines}${notes === '' ? '.' : `:${notes}`}`;
    return `The ${of} are recorded at ${bound.length} of ${counted(places.length, 'place')}.${without}${price}`;
  }
  return `${of} is checked at every return of ${counted(bound.length, 'function')}.${notes}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** One process has it: what another says later does not take that away. */
function isKept(before: ProbeReport | undefined, now: ProbeReport, only?: number): boolean {
  return only !== undefined && before?.state === 'bound' && now.state !== 'bound';
}
