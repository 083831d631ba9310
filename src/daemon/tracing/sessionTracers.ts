import type {
  NextProgram,
  SessionTracer,
  TraceableProcess,
  TracerSink,
  WantedWatch,
} from '../../collector/tracer.ts';
import { probeReport } from '../../collector/probeReport.ts';
import type { WantedProbe } from '../../collector/wantedProbe.ts';
import type { DebugBackend, DebugSink } from '../../collector/debug/debugger.ts';
import type { LaunchSpec } from '../../collector/supervisor/launchSpec.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { RuntimeName, Traceable, Verdict } from '../../model/functions/traceable.ts';
import { sentencesOf, StrobeError } from '../../model/errors.ts';
import type { VariableSet } from '../../model/debug/variableSet.ts';
import type { ProbeReport } from '../../model/probes/probe.ts';
import type { WatchReport } from '../../model/watches/watch.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { readsSecret } from '../../model/watches/readsSecret.ts';
import type { SessionContext } from '../session/sessionContext.ts';
import { presentImage } from './presentImage.ts';
import { AloneProcesses, type Entered } from './entering/aloneProcesses.ts';
import type { TracedBy } from './sessionWatches.ts';
import type { TraceState } from './traceState.ts';
import { unwatchable } from './watchList.ts';

interface Aside {
  /** Enters a process while no debugger holds it. Throws ALREADY_OBSERVED. */
  aside(pid: number, enter: () => Promise<void>): Promise<void>;
}

/** What the tracers of a session tell its tracing. */
export interface TracersOwner {
  readonly withdrawn: Pick<DebugSink, 'withdraw' | 'comeBack'>;
  debug(): Pick<DebugSink, 'stopped' | 'gone' | 'left'> & Aside;
  unitsChanged(pid?: number): Promise<void>;
  /** Processes were left: what became of their functions is final. */
  dropped(): void;
  /** Whether something that is wanted can be in machine code that is no program's own. */
  meansMachineCode(): boolean;
  watchesChanged(): void;
  lost(pid: number, why: string, next: NextProgram | null): void;
  leave(pid: number, why: string): void;
}

/** Our presence in the processes of one session: in each the tracers that entered it. */
export class SessionTracers {
  readonly #context: SessionContext;
  readonly #owner: TracersOwner;
  readonly #sessions: ReadonlyMap<RuntimeName, SessionTracer>;
  readonly #byPid = new Map<number, Entered[]>();
  readonly #entering = new Map<number, Promise<void>>();
  readonly #alone: AloneProcesses;
  /** Units of processes that have ended: what was found in them stays found. */
  readonly #pastUnits = new Map<RuntimeName, Set<string>>();
  /** The last verdicts of processes that have ended. */
  readonly #pastVerdicts = new Map<string, Verdict>();
  /** The verdicts of all processes, and the functions that they are of. */
  #merged: { of: readonly Traceable[]; verdicts: Map<string, Verdict> } = {
    of: [],
    verdicts: new Map(),
  };
  #nextWatch = 0;
  #hadStopping = false;

  constructor(context: SessionContext, owner: TracersOwner) {
    this.#context = context;
    this.#owner = owner;
    const sink = this.#sink();
    this.#sessions = new Map(
      context.services.runtimes.all.map(({ tracers }) => [
        tracers.runtime,
        tracers.begin(context.facts, sink),
      ]),
    );
    this.#alone = new AloneProcesses(context, this.#sessions, {
      meansMachineCode: () => owner.meansMachineCode(),
      aside: (pid, enter) => owner.debug().aside(pid, enter),
      entered: (pid) => this.#byPid.get(pid),
      unitsChanged: (pid) => owner.unitsChanged(pid),
    });
  }

  continueFrom(functions: readonly TracedFunction[], nextWatch: number): void {
    this.#nextWatch = Math.max(this.#nextWatch, nextWatch);
    for (const session of this.#sessions.values()) session.continueFrom(functions);
  }

  /** The launch with what lets its program be entered. */
  prepare(spec: LaunchSpec): LaunchSpec {
    return [...this.#sessions.values()].reduce((left, one) => one.prepare(left), spec);
  }

  get isEmpty(): boolean {
    return this.#byPid.size === 0;
  }

  has(pid: number): boolean {
    return this.#byPid.has(pid);
  }

  /** Every unit of a runtime that is or was loaded in a process we are or were in. */
  units(runtime: RuntimeName): string[] {
    const units = new Set(this.#pastUnits.get(runtime));
    for (const entered of this.#byPid.values())
      for (const one of entered)
        if (one.runtime === runtime) for (const unit of one.tracer.units()) units.add(unit);
    return [...units];
  }

  /** What entering a process meant for it, in whole sentences. */
  notes(pid: number): readonly string[] {
    return this.#byPid.get(pid)?.flatMap(({ tracer }) => tracer.notes) ?? [];
  }

  /** Enters a process, once, by every runtime that can; throws what the first says when none could. */
  async enter(process: TraceableProcess): Promise<void> {
    const { pid } = process;
    if (this.#byPid.has(pid)) return;
    let entering = this.#entering.get(pid);
    if (!entering) {
      entering = this.#owner.debug().aside(pid, async () => this.#enterNow(process));
      this.#entering.set(pid, entering);
      const done = (): void => void this.#entering.delete(pid);
      entering.then(done, done);
    }
    await entering;
  }

  async enterToStop(pid: number): Promise<void> {
    if (this.#byPid.has(pid) || this.adapterIn(pid) !== null) return;
    const { runtimes } = this.#context.services;
    const { isAttached } = this.#context.facts;
    const image = await presentImage(this.#context, pid);
    const atExec = this.#context.running()?.atExec === true && !isAttached;
    const isInside = ({ tracers }: (typeof runtimes.all)[number]): boolean =>
      this.#sessions.get(tracers.runtime)?.debugger?.isInside === true;
    const claims = await runtimes.claimsOf(image, { pid, atExec }, runtimes.all.filter(isInside));
    if (claims.some(({ claim }) => claim.able))
      await this.enter({ pid, image, atExec, isAttached });
  }

  async #enterNow(process: TraceableProcess): Promise<void> {
    if (!this.#context.running()) throw this.#context.ended();
    const { pid, image, atExec } = process;
    const { runtimes } = this.#context.services;
    const entered: Entered[] = [(await this.#alone.enter(process)) ?? []].flat();
    const refused: Error[] = [];
    const claims = entered.length > 0 ? [] : await runtimes.claimsOf(image, { pid, atExec });
    for (const { runtime, claim } of claims) {
      const name = runtime.tracers.runtime;
      const session = this.#sessions.get(name);
      if (!session) continue;
      if (!claim.able) {
        refused.push(new StrobeError(claim.code, claim.message, claim.hint));
        continue;
      }
      try {
        const tracer = await session.enter({ ...process, isEngine: runtimes.isEngine(image) });
        entered.push({ runtime: name, tracer, verdicts: new Map() });
      } catch (error) {
        refused.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
    if (entered.length === 0) throw refused[0] ?? this.#context.ended();
    for (const one of refused) this.#context.note(sentencesOf(one));
    this.#byPid.set(pid, entered);
  }

  /** Enters machine code where it is wanted by now. */
  async enterRest(): Promise<void> {
    await this.#alone.enterRest();
  }

  /**
   * Brings the hooks of every process, or of one, in line with what is wanted. By id: hooked where one
   * process at least has it hooked.
   */
  async setWanted(
    trace: Pick<TraceState, 'wanted' | 'wantedOf' | 'policies' | 'rules'>,
    only?: number,
  ): Promise<ReadonlyMap<string, Verdict>> {
    const wanted = trace.wanted();
    const entered = this.#entered(only);
    await Promise.all(
      entered.map(async (one) => {
        // Of one moment: another change may have come since.
        const [policies, rules] = [trace.policies(), trace.rules()];
        one.verdicts = await one.tracer.setWanted(trace.wantedOf(one.runtime), policies, rules);
      }),
    );
    // What one process says adds to what all said of the same functions.
    const isMore = only !== undefined && wanted === this.#merged.of;
    if (!isMore) this.#merged = { of: wanted, verdicts: new Map(this.#pastVerdicts) };
    const { verdicts } = this.#merged;
    for (const one of isMore ? entered : this.#entered()) merge(verdicts, one.verdicts);
    return verdicts;
  }

  /** Libraries of these names that come from now on wait for what is recorded there. */
  async awaitLibraries(names: readonly string[], only?: number): Promise<void> {
    const all = this.#entered(only);
    await Promise.all(all.map(async ({ tracer }) => tracer.awaitLibraries?.(names)));
  }

  /** How many functions are hooked now, by process. */
  hooked(): ReadonlyMap<number, number> {
    return new Map(
      [...this.#byPid].map(([pid, entered]) => [
        pid,
        entered.reduce((sum, { tracer }) => sum + tracer.hooked, 0),
      ]),
    );
  }

  whyUndecided(when: Expression, fn: Traceable, atReturn: boolean): string | null {
    const { secretNames } = this.#context.facts.limits;
    const tracer = this.#sessions.get(fn.runtime);
    return readsSecret(when, secretNames) ?? tracer?.whyUndecided(when, fn, atReturn) ?? null;
  }

  refusalOf(fn: Traceable): Verdict | null {
    return this.#sessions.get(fn.runtime)?.refusalOf?.(fn) ?? null;
  }

  /** Applies watches in every process, or in one. Of each what the runtime says that got farthest with it. */
  async applyWatches(
    watches: readonly WantedWatch[],
    tracedBy: TracedBy,
    only?: number,
  ): Promise<readonly WatchReport[]> {
    // What the processes said last stands when they are gone.
    if (this.isEmpty && !this.#context.running()) return [];
    const reports = await Promise.all(
      [...this.#sessions].map(
        async ([name, session]) =>
          (await session.watches?.apply(watches, tracedBy(name), only)) ??
          watches.map((watch) => unwatchable(watch.request, name)),
      ),
    );
    return watches.flatMap(
      (_watch, at) =>
        reports
          .flatMap((all) => all[at] ?? [])
          .toSorted((a, b) => progress[b.state] - progress[a.state])[0] ?? [],
    );
  }

  /** Applies breakpoints in every process, or in one. Of each what the runtime says that got farthest with it. */
  async applyProbes(
    probes: readonly WantedProbe[],
    tracedBy: TracedBy,
    only?: number,
  ): Promise<readonly ProbeReport[]> {
    // What the processes said last stands when they are gone.
    if (this.isEmpty && !this.#context.running()) return [];
    const refused = probes.flatMap((probe) => this.#refusedProbe(probe) ?? []);
    // A function may be of machine code all the same.
    const isRefused = ({ id, request }: WantedProbe): boolean =>
      request.where.kind !== 'function' && refused.some((report) => report.id === id);
    const open = probes.filter((probe) => !isRefused(probe));
    const recording = open.filter(({ request }) => request.stop === undefined);
    const stopping = open.filter(({ request }) => request.stop !== undefined);
    const reports = await Promise.all(
      [...this.#sessions].map(
        async ([name, session]) =>
          (await session.probes?.apply(recording, tracedBy(name), only)) ?? [],
      ),
    );
    // An int3 may stand on a jump, but no jump is put over an int3.
    reports.push(await this.#applyStopping(stopping, tracedBy));
    // Of two that both failed with it the language of source text says more.
    return probes.flatMap(
      ({ id }) =>
        [...reports.flat(), ...refused]
          .filter((report) => report.id === id)
          .toReversed()
          .toSorted((a, b) => reached[b.state] - reached[a.state])[0] ?? [],
    );
  }

  /** Languages of source text come first: only what is none of theirs is looked for in machine code, whose threads are stopped from outside. */
  async #applyStopping(
    probes: readonly WantedProbe[],
    tracedBy: TracedBy,
  ): Promise<readonly ProbeReport[]> {
    if (probes.length === 0 && !this.#hadStopping) return [];
    this.#hadStopping = probes.length > 0;
    const reports: ProbeReport[] = [];
    let open = probes;
    for (const [name, session] of [...this.#sessions].toReversed()) {
      if (!session.debugger) continue;
      const isMine = (probe: WantedProbe): boolean => this.#ownerOf(probe) === session;
      const meant = open.filter((one) => isMine(one) || this.#ownerOf(one) === null);
      const all = await session.debugger.apply(meant, tracedBy(name));
      // Machine code stands last here: of two that failed what source text says comes first.
      reports.unshift(...all);
      const placed = new Set(all.filter(({ places }) => places.length > 0).map(({ id }) => id));
      open = open.filter((one) => !placed.has(one.id) && !isMine(one));
    }
    return reports;
  }

  /** In whose source text a breakpoint is; null: that is to be found out, as it is for functions. */
  #ownerOf({ request }: WantedProbe): SessionTracer | null {
    if (request.where.kind === 'function') return null;
    const owns = (session: SessionTracer): boolean =>
      (session.ownBreakpoint?.(request) ?? null) !== null;
    return [...this.#sessions.values()].find(owns) ?? null;
  }

  /** The report of a breakpoint in the source text of a language that cannot have it. */
  #refusedProbe(probe: WantedProbe): ProbeReport | null {
    for (const session of this.#sessions.values()) {
      const why = session.ownBreakpoint?.(probe.request)?.why ?? null;
      const match = { moved: null, isStale: false, why, nearest: [] };
      if (why !== null) return { ...probeReport(probe, match, [], []), numbers: [] };
    }
    return null;
  }

  /** The project's own units of the runtime whose threads it stops. */
  own(by: DebugBackend, tracedBy: TracedBy): readonly string[] {
    const found = [...this.#sessions].find(([, { debugger: one }]) => one === by);
    return found ? tracedBy(found[0]).own : [];
  }

  /** What stops threads, of every runtime that can. */
  get debuggers(): readonly DebugBackend[] {
    return [...this.#sessions.values()].flatMap((session) => session.debugger ?? []);
  }

  /** Throws BAD_PARAMETER, CANNOT_DEBUG. */
  async use(adapter: string): Promise<void> {
    for (const one of this.debuggers) await one.use?.(adapter);
  }

  /** The name of another debugger that holds a process for us; null: none does. */
  adapterIn(pid: number): string | null {
    return this.debuggers.map((one) => one.adapterIn(pid)).find((name) => name !== null) ?? null;
  }

  /** A client set a variable: an event with the old and the new value. */
  async recordSet({ name, type, pid, tid, old, now }: VariableSet): Promise<void> {
    const index = this.#context.index();
    if (!index) return;
    const number = this.#nextWatch++;
    const isOfCall = false;
    await index.defineWatches([
      { number, label: name, expr: name, type, isOfCall, isWritten: true },
    ]);
    const site = `${number}.set`;
    const by = { pc: '0x0', function: 'debug_memory', module: null, file: null, line: null };
    const write = { watch: number, time: this.#context.now(), pid, tid, site, isNear: false };
    await index.addWrites({
      sites: [{ id: site, frames: [{ ...by, isOwn: true }] }],
      writes: [{ ...write, old: String(old), now: String(now) }],
      missed: null,
    });
  }

  /** Has the clocks of all attached processes written down once more. */
  async clock(): Promise<void> {
    await Promise.all(this.#entered().map(async ({ tracer }) => tracer.clock?.()));
  }

  /** Lets a process go that a tracer holds at its exec; false when none does. */
  async resume(pid: number): Promise<boolean> {
    this.#alone.began(pid);
    let isHeld = false;
    for (const { tracer } of this.#entered(pid)) {
      const resuming = tracer.resume?.();
      if (!resuming) continue;
      isHeld = true;
      // It may have run to its end before the tracer could say so.
      await resuming.catch((error: unknown) => {
        if (this.#entered(pid).some((one) => one.tracer === tracer)) throw error;
      });
    }
    return isHeld;
  }

  /** What happened up to now is stored afterwards; false: not all of it. */
  async settle(): Promise<boolean> {
    const settled = await Promise.all(
      [...this.#sessions.values()].map(async (session) => (await session.settle?.()) ?? true),
    );
    return settled.every(Boolean);
  }

  /** The last is stored: the processes ended, or were let go. */
  async finish(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(async (session) => session.finish?.()));
  }

  /** The process, or the program in it that we were in, is gone; `live`: it runs on without us. */
  async drop(pid: number, live = false): Promise<void> {
    const entered = this.#byPid.get(pid);
    if (!entered) return;
    this.#byPid.delete(pid);
    this.#alone.delete(pid);
    for (const { runtime, tracer, verdicts } of entered) {
      const past = this.#pastUnits.get(runtime) ?? new Set();
      for (const unit of tracer.units()) past.add(unit);
      this.#pastUnits.set(runtime, past);
      merge(this.#pastVerdicts, verdicts);
    }
    await this.#leave(entered, live);
  }

  /** What a process did last it tells as it is left, before its host has ended. */
  async #leave(entered: readonly Entered[], live: boolean): Promise<void> {
    const leaving = leave(entered, live);
    for (const { tracer } of entered)
      for (const known of [this.#pastVerdicts, this.#merged.verdicts])
        merge(known, tracer.lastVerdicts ?? new Map());
    this.#owner.dropped();
    await leaving;
  }

  /** By id: what became of each wanted function, in the process that got farthest with it. */
  get verdicts(): ReadonlyMap<string, Verdict> {
    return this.#merged.verdicts;
  }

  /** `live`: the processes run on, so their code is restored first. */
  async close(live: boolean): Promise<void> {
    const sessions = [...this.#sessions.values()];
    if (live) await Promise.all(sessions.map(async (session) => session.letGo?.()));
    const all = [...this.#byPid.values()];
    this.#byPid.clear();
    try {
      await Promise.all(all.map(async (entered) => this.#leave(entered, live)));
    } finally {
      await Promise.all(sessions.map(async (session) => session.close()));
    }
  }

  #entered(only?: number): Entered[] {
    if (only !== undefined) return this.#byPid.get(only) ?? [];
    return [...this.#byPid.values()].flat();
  }

  #sink(): TracerSink {
    const context = this.#context;
    const index = () => {
      const found = context.running()?.index;
      if (!found) throw context.ended();
      return found;
    };
    return {
      debug: {
        stopped: (stop, by) => this.#owner.debug().stopped(stop, by),
        gone: (tid) => this.#owner.debug().gone(tid),
        left: (pid, why) => this.#owner.debug().left(pid, why),
        withdraw: async (pid, name) => this.#owner.withdrawn.withdraw(pid, name),
        comeBack: (pid) => this.#owner.withdrawn.comeBack(pid),
      },
      define: (functions) => index().defineFunctions(functions),
      watchNumber: () => this.#nextWatch++,
      async defineWatches(watches) {
        const found = context.index();
        if (!found) throw context.ended();
        await found.defineWatches(watches);
      },
      ring: (path) => index().addRing(path),
      output: (path) => index().addOutput(path),
      exception: async (raised) => context.index()?.addException(raised),
      writes: async (batch) => context.index()?.addWrites(batch),
      doing: (what) => context.doing(what),
      unitsChanged: (pid) => this.#owner.unitsChanged(pid),
      watchesChanged: () => this.#owner.watchesChanged(),
      lost: (pid, why, next) => {
        void this.drop(pid).catch(() => undefined);
        this.#owner.lost(pid, why, next);
      },
      leave: (pid, why) => this.#owner.leave(pid, why),
      note: (text) => context.note(text),
    };
  }
}

/** The last that came in leaves first: it may have come by one before it. */
async function leave(entered: readonly Entered[], live: boolean): Promise<void> {
  const failed: unknown[] = [];
  for (const { tracer } of entered.toReversed())
    await tracer.close(live).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
}

const weight = { pending: 0, refused: 1, hooked: 2 } as const;
const reached = { off: 0, failed: 1, pending: 2, bound: 3 } as const;
const progress = { staged: 0, refused: 1, pending: 2, active: 3 } as const;

function merge(into: Map<string, Verdict>, verdicts: ReadonlyMap<string, Verdict>): void {
  for (const [id, verdict] of verdicts) {
    const known = into.get(id);
    if (!known || weight[verdict.kind] > weight[known.kind]) into.set(id, verdict);
  }
}
