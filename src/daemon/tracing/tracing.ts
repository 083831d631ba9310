import { monotonicMs } from '../../base/clock.ts';
import { hasEnded } from '../../base/proc.ts';
import type { DebugBackend } from '../../collector/debug/debugger.ts';
import { imageOf } from '../../collector/program/image.ts';
import type { LaunchSpec } from '../../collector/supervisor/launchSpec.ts';
import type { TraceableProcess } from '../../collector/tracer.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { TraceReport } from '../../model/functions/hookReport.ts';
import type { HooksSummary, Tracing } from '../../model/session.ts';
import type { ProbeRequest } from '../../model/probes/probe.ts';
import {
  hasWrites,
  watchLabel,
  type WatchChange,
  type WatchReport,
  type WatchRequest,
} from '../../model/watches/watch.ts';
import { PatternSearch } from './patternSearch.ts';
import { ForkedProcesses } from './forkedProcesses.ts';
import { childrenOf, type SessionContext } from '../session/sessionContext.ts';
import { refuseHeld } from './heldProcesses.ts';
import { LostTracers, lostTracing } from './lostTracers.ts';
import { notDecided, refusedWatches } from './notDecided.ts';
import { listedText, triggerNote, withDepth, type PatternRequest } from './patternRequest.ts';
import { presentImage } from './presentImage.ts';
import { SessionSymbols, type LoadedUnits } from './sessionSymbols.ts';
import { SessionTracers } from './sessionTracers.ts';
import { PatternProbes } from './patternProbes.ts';
import { SessionStops } from '../stops/sessionStops.ts';
import { SessionProbes, type ProbeChange } from './sessionProbes.ts';
import { SessionWatches, type TracedBy } from './sessionWatches.ts';
import type { TraceChange } from './traceChange.ts';
import { TraceState } from './traceState.ts';
import { WantedPrograms } from './wantedPrograms.ts';
import { WithdrawnTracing } from './withdrawnTracing.ts';

const noWatches: WatchChange = { add: [], remove: [] };

/** Everything about one session's hooks: patterns, symbols, and our presence in the target. */
export class SessionTracing {
  readonly #context: SessionContext;
  readonly #trace: TraceState;
  readonly watches: SessionWatches;
  readonly probes: SessionProbes;
  readonly #patternProbes = new PatternProbes();
  readonly stops: SessionStops;
  readonly symbols: SessionSymbols;
  readonly #tracers: SessionTracers;
  /** Processes that were forked from a traced one, and record by its hooks. */
  readonly forked = new ForkedProcesses();
  readonly programs: WantedPrograms;
  readonly #withdrawn: WithdrawnTracing;
  /** Patterns of which was said that their condition cannot be decided. */
  readonly #undecidedTold = new Set<string>();
  /** Patterns of the launch or the attach. */
  readonly #staged = new Set<string>();
  readonly #search: PatternSearch<LoadedUnits>;
  /** What patterns that are added from now on without a depth have; null: the usual. */
  depth: number | null = null;
  #state: Tracing = { kind: 'off', reason: 'no patterns were given' };

  constructor(context: SessionContext) {
    this.#context = context;
    this.symbols = new SessionSymbols(context);
    const lostTracers = new LostTracers(context, {
      enter: async (process) => this.trace(process),
      end: (why) => this.#endTracing(why),
      inBackground: (what, work) => void this.#inBackground(what, work),
    });
    this.#withdrawn = new WithdrawnTracing(context, {
      tracers: () => this.#tracers,
      hook: async (pid) => this.#hookEverywhere(pid),
    });
    this.#tracers = new SessionTracers(context, {
      withdrawn: this.#withdrawn,
      debug: () => this.stops,
      unitsChanged: (pid) => this.#inBackground('hooking a new library', this.#hookEverywhere(pid)),
      dropped: () => this.#trace.setVerdicts(this.#tracers.verdicts),
      meansMachineCode: () => this.programs.meansMachineCode,
      watchesChanged: () => void this.#inBackground('watching again', this.#applyWanted()),
      lost: (pid, why, next) => lostTracers.lost(pid, why, next),
      leave: (pid, why) => void this.#inBackground('leaving a process', this.#leave(pid, why)),
    });
    this.#trace = new TraceState(this.#tracers);
    this.#search = new PatternSearch(
      this.#trace,
      async (request, loaded) => this.symbols.find(request, loaded),
      () => this.loaded,
    );
    this.watches = new SessionWatches((watches, tracedBy, only) =>
      this.#tracers.applyWatches(watches, tracedBy, only),
    );
    this.probes = new SessionProbes(
      async (probes, only) => {
        await this.stops.entering.ended();
        await this.#tracers.awaitLibraries(this.programs.libraries, only);
        return await this.#tracers.applyProbes(probes, this.#tracedBy(), only);
      },
      () => this.#patternProbes.of(this.#trace.requests),
    );
    this.stops = new SessionStops(context, this, this.#tracers);
    this.programs = new WantedPrograms(context, this.symbols, {
      patterns: () => this.#trace.requests.map(({ pattern }) => pattern),
      probes: (image) => (this.stops.process.mayRun(image) ? this.probes.requests : []),
    });
  }

  get state(): Tracing {
    return this.#withdrawn.state ?? this.#state;
  }

  get hooks(): HooksSummary {
    const hooks = this.#trace.summary();
    const isFromStart =
      hooks.patterns.length > 0 && hooks.patterns.every((text) => this.#staged.has(text));
    return isFromStart ? { ...hooks, fromStart: true } : hooks;
  }

  cannotTrace(code: ErrorCode, message: string, hint: string): void {
    this.#state = { kind: 'unavailable', code, message, hint };
    this.#trace.close(this.#context.facts.image);
  }

  /** The patterns as they were asked for, those of the launch and those added since. */
  get requests(): readonly PatternRequest[] {
    return this.#trace.requests;
  }

  /** Functions an earlier daemon gave numbers to keep them; the number of the next watch. */
  continueFrom(functions: readonly TracedFunction[], nextWatch: number): void {
    this.#tracers.continueFrom(functions, nextWatch);
  }

  /** These are wanted soon: a daemon that comes after this one knows of them, of patterns until what is returned is disposed of. */
  expect(patterns: readonly PatternRequest[], watches: readonly WatchRequest[]): Disposable {
    this.watches.change({ add: watches, remove: [] });
    return this.#trace.expect(patterns);
  }

  /** Changes breakpoints and applies them; answers what of it could not be done, in whole sentences. */
  async changeProbes(change: ProbeChange, owner = this.#context.facts.owner.id): Promise<string[]> {
    if (!this.#context.running()) throw this.#context.ended();
    refuseHeld(this.#pids());
    const why = change.add.length > 0 ? this.stops.whyNotEntered() : null;
    if (why && change.add.some(({ stop }) => stop === undefined)) throw why;
    const { missing, added } = this.probes.change(change, owner);
    const enters = added.length > 0 || change.takesUp === true;
    try {
      if (enters && !why) missing.push(...(await this.#enterWanted()));
      if (enters) await this.#enterChildren();
      await this.probes.apply();
    } catch (error) {
      this.probes.takeBack(added);
      throw error;
    }
    await this.stops.settle();
    await this.#context.watchExecs(this.programs.isAny);
    this.#context.changed();
    return missing;
  }

  /** The project's own units of the runtime whose threads it stops. */
  readonly own = (by: DebugBackend): readonly string[] => this.#tracers.own(by, this.#tracedBy());

  /** What is in programs and libraries that come. */
  get #isWanted(): boolean {
    return this.#trace.texts.length > 0 || !this.probes.isEmpty;
  }

  /** What was wanted before anything ran. Writes are seen without patterns; other watches wait for traced calls. */
  async begin(
    add: readonly PatternRequest[],
    watches: readonly WatchRequest[],
    probes: readonly ProbeRequest[] = [],
  ): Promise<TraceReport | null> {
    if (probes.length > 0) await this.changeProbes({ add: probes, change: [], remove: [] });
    for (const pattern of add) this.#staged.add(listedText(pattern));
    const change = { add: watches, remove: [] };
    if (add.length > 0 || hasWrites(watches))
      return await this.change({ add, remove: [], clear: false, watches: change, isStaged: true });
    this.watches.change(change);
    return null;
  }

  /** Adds and removes patterns and brings the hooks in line; answers what is true afterwards. */
  async change(request: TraceChange): Promise<TraceReport> {
    const began = monotonicMs();
    this.depth = request.depth ?? this.depth;
    const add = request.add.map((pattern) => withDepth(pattern, this.depth ?? undefined));
    const { watches = noWatches } = request;
    const { facts } = this.#context;
    const changed = [request.add, request.remove, watches.add, watches.remove];
    const changes = request.clear || changed.some((list) => list.length > 0);
    if (changes && !this.#context.running()) throw this.#context.ended();
    if (changes) refuseHeld(this.#pids());
    const why = request.add.length > 0 ? this.stops.whyNotEntered() : null;
    if (why) throw why;
    const kept = { patterns: this.#trace.kept(), watches: this.watches.kept() };
    const goBack = (): void => {
      const texts = [...add.map(listedText), ...removed.map(({ pattern }) => pattern)];
      this.#trace.restore(kept.patterns, texts);
      this.watches.restore(kept.watches, watches);
    };
    const removed: { pattern: string; unhooked: number; found: boolean }[] = [];
    for (const text of request.clear ? this.#trace.texts : request.remove) {
      const unhooked = this.#trace.remove(text);
      removed.push({ pattern: text, unhooked: unhooked ?? 0, found: unhooked !== null });
    }
    const warnings = this.watches.change(watches);
    if (request.add.length > 0) {
      // A daemon that comes after this one knows what was wanted.
      using _ = this.#trace.expect(add);
      this.#context.changed();
      warnings.push(...(await this.#enterWanted()));
      await this.#search.add(add);
      await this.#enterChildren();
      await this.#search.again();
    }
    const { reports, notDone } = await this.#applyAsked(
      add,
      watches,
      request.isStaged === true,
      goBack,
    );
    if (changes) await this.stops.settle();
    if (changes) await this.#context.watchExecs(this.programs.isAny);
    if (changes) this.#context.changed();
    const triggers = triggerNote(this.#trace.requests);
    if (triggers !== null && request.add.some(({ asked }) => asked.trigger !== undefined))
      this.#context.note(triggers);
    if (request.add.length > 0) warnings.push(...this.forked.notes());
    return this.#trace.report(new Set(request.add.map(listedText)), {
      sessionId: facts.id,
      removed,
      watches: reports,
      eventLimit: facts.limits.maxEvents,
      tookMs: Math.round(monotonicMs() - began),
      warnings,
      inside: this.probes.saidOf(this.#patternProbes.of(this.#trace.requests)),
      ...(notDone.length > 0 ? { notDone } : {}),
    });
  }

  /** But those that another debugger holds for us. */
  #pids(): number[] {
    const running = this.#context.running();
    const main = running && !running.atExec ? [running.pid] : [];
    const all = [...main, ...this.#tracers.hooked().keys()];
    return all.filter((pid) => this.#tracers.adapterIn(pid) === null);
  }

  /** Applies what is wanted; where a part of the request cannot be, undoes it and throws, or answers that part. */
  async #applyAsked(
    add: readonly PatternRequest[],
    watches: WatchChange,
    isStaged: boolean,
    goBack: () => void,
  ): Promise<{ readonly reports: readonly WatchReport[]; readonly notDone: readonly string[] }> {
    const undecided = this.#trace.undecidedOf(add);
    for (const one of add) this.#undecidedTold.add(listedText(one));
    if (undecided.length > 0 && !isStaged) {
      goBack();
      throw notDecided(undecided);
    }
    const reports = await this.#applyWanted();
    const labels = new Set(watches.add.map(watchLabel));
    const refused = refusedWatches(reports.filter(({ label }) => labels.has(label)));
    const notChecked = this.probes.failedOf(this.#patternProbes.of(add));
    const fatal = refused.length > 0 ? refused : notChecked;
    if (fatal.length > 0 && !isStaged) {
      goBack();
      await this.#applyWanted();
      this.#context.changed();
      throw notDecided(fatal);
    }
    refused.push(...notChecked);
    const recorded = undecided.map((why) => `${why} All its calls are recorded.`);
    return { reports, notDone: [...recorded, ...refused] };
  }

  /** Every active pattern and what became of it; null without patterns. */
  report(): TraceReport | null {
    if (this.#trace.texts.length === 0) return null;
    return this.#trace.report(new Set(), {
      sessionId: this.#context.facts.id,
      removed: [],
      watches: this.watches.reports(),
      eventLimit: this.#context.facts.limits.maxEvents,
      tookMs: null,
      warnings: [],
      inside: this.probes.saidOf(this.#patternProbes.of(this.#trace.requests)),
    });
  }

  /** The launch with what lets its program be entered. */
  prepare(spec: LaunchSpec): LaunchSpec {
    return this.#tracers.prepare(spec);
  }

  /** Lets a process go that waits at its exec; false when we are not in it. */
  async resume(pid: number): Promise<boolean> {
    return await this.#tracers.resume(pid);
  }

  /** Traces one more process of the tree; throws what attaching throws. Answers how many functions are hooked in it. */
  async trace(process: TraceableProcess): Promise<number> {
    await this.#tracers.enter(process);
    this.stops.process.entered(process);
    // What the main process executes may be traced when it could not be.
    const isFirst = this.#state.kind === 'off' || process.pid === this.#context.running()?.pid;
    if (isFirst && this.#isWanted) this.#state = { kind: 'armed' };
    await this.#hookEverywhere(process.pid);
    return this.#tracers.hooked().get(process.pid) ?? 0;
  }

  /**
   * Enters the main process also without patterns, so that its output or its end is recorded. Answers what
   * that meant for it, in whole sentences; throws what entering throws.
   */
  async enter(pid: number): Promise<readonly string[]> {
    const state = this.#state;
    await this.#enterMain();
    this.#state = state;
    if (!this.#tracers.has(pid)) throw this.#context.ended();
    return this.#tracers.notes(pid);
  }

  /** Has the attached process write down cycle counter and time together. */
  async clock(): Promise<void> {
    await this.#tracers.clock();
  }

  /** A process ended, or replaced its program. */
  async processGone(pid: number): Promise<void> {
    this.forked.delete(pid);
    this.stops.process.gone(pid);
    await this.#tracers.drop(pid);
  }

  /** What was raised and written up to now is stored afterwards; false: not all of it, as that takes long. */
  async readSoon(): Promise<boolean> {
    return await this.#tracers.settle();
  }

  /** The last of that is stored: the processes ended, or were let go. */
  async finish(): Promise<void> {
    await this.#tracers.finish();
  }

  /** `live`: the processes run on, so their code is restored first. */
  async close(live: boolean): Promise<void> {
    this.#withdrawn.close();
    await this.stops.close();
    await this.#tracers.close(live);
  }

  /** Enters the main process, unless it only executes what is meant. */
  async #enterWanted(): Promise<string[]> {
    const running = this.#context.running();
    const mayPass = this.#state.kind !== 'unavailable' && !this.#tracers.has(running?.pid ?? 0);
    if (!running || !mayPass || !(await this.programs.isPassing(running)))
      return await this.#enterMain();
    this.#state = { kind: 'armed' };
    return [];
  }

  /** Enters the main process, once. Answers why not when what it executes may be traced all the same. */
  async #enterMain(): Promise<string[]> {
    const { follow, isAttached } = this.#context.facts;
    try {
      if (this.#state.kind === 'unavailable')
        throw new StrobeError(this.#state.code, this.#state.message, this.#state.hint);
      const running = this.#context.running();
      if (!running) throw this.#context.ended();
      const atExec = running.atExec && !isAttached;
      const image = await presentImage(this.#context, running.pid);
      await this.#tracers.enter({ pid: running.pid, image, atExec, isAttached });
      this.#state = { kind: 'armed' };
      return [];
    } catch (error) {
      const running = this.#context.running();
      const fatal = follow === 'none' || isAttached || !running || hasEnded(running.pid);
      if (fatal || !(error instanceof StrobeError) || error.kind !== 'target') throw error;
      this.cannotTrace(error.code, error.message, error.hint);
      return [`The main process is untraced: ${error.code}: ${error.message} ${error.hint}`];
    }
  }

  /** Processes that were not worth it before may be so for new patterns. */
  async #enterChildren(): Promise<void> {
    const { services, facts, processes } = this.#context;
    await this.#tracers.enterRest();
    for (const { pid, path } of childrenOf(this.#context)) {
      if (this.forked.has(pid) || this.#tracers.has(pid)) continue;
      const image = await imageOf(path);
      if (!image || (await this.programs.wants(image.path, pid)) !== 'yes') continue;
      const process = { pid, image: image.path, atExec: false };
      const claim = await services.runtimes.claimOf(image.path, process);
      if (!claim.able) {
        processes.traced(pid, { kind: 'untraced', reason: claim.reason });
        continue;
      }
      await this.#tracers.enter(process).catch((error: unknown) => {
        const reason = error instanceof StrobeError ? error.message : String(error);
        processes.traced(pid, { kind: 'untraced', reason });
        const detail = { session: facts.id, pid, reason };
        services.log.warn('session', 'a child cannot be traced', detail);
      });
    }
  }

  /** What is and was loaded in the processes that a tracer entered. */
  get loaded(): readonly LoadedUnits[] {
    const { all } = this.#context.services.runtimes;
    return all.map((runtime) => ({
      runtime,
      units: this.#tracers.units(runtime.tracers.runtime),
    }));
  }

  /** Looks for the patterns in units that are new, and hooks what they mean; in one process or in all. */
  async #hookEverywhere(only?: number): Promise<void> {
    if (this.#trace.texts.length === 0) {
      if (!this.probes.isEmpty) await this.probes.apply(only);
      return;
    }
    // What was found in a new unit is wanted of all: others may load it later.
    const where = (await this.#search.again()) ? undefined : only;
    // Nobody waits for an answer here.
    for (const { text, why } of this.#trace.undecided()) {
      if (this.#undecidedTold.has(text)) continue;
      this.#undecidedTold.add(text);
      this.#context.note(`${why} All its calls are recorded.`);
    }
    for (const refused of refusedWatches(await this.#applyWanted(where)))
      this.#context.note(refused);
  }

  /** Answers what became of the watches, those that were refused too. */
  async #applyWanted(only?: number): Promise<readonly WatchReport[]> {
    await this.#applyHooks(only);
    const reports = await this.watches.apply(() => this.#tracedBy(), only);
    // What patterns ask at returns needs their hooks.
    await this.probes.apply(only);
    return reports;
  }

  #tracedBy(): TracedBy {
    const { traced } = this.stops.process;
    const { symbols } = this;
    const [trace, tracers, image] = [this.#trace, this.#tracers, this.#context.facts.image];
    return (name) => {
      const wanted = this.#trace.wantedOf(name);
      return {
        wanted,
        get hooked() {
          return trace.hooked();
        },
        whyRefused: (id) => trace.whyRefused(id),
        get own() {
          return symbols.own(name, [...new Set([image, ...tracers.units(name)])]);
        },
        ...traced,
        functions: async (pattern, depth) => this.#search.deeper({ name, wanted }, pattern, depth),
      };
    };
  }

  async #applyHooks(only?: number): Promise<void> {
    if (this.#tracers.isEmpty) return;
    await this.#tracers.awaitLibraries(this.programs.libraries, only);
    this.#trace.setVerdicts(await this.#tracers.setWanted(this.#trace, only));
    for (const [pid, hooked] of this.#tracers.hooked())
      this.#context.processes.traced(pid, { kind: 'traced', hooked });
  }

  async #inBackground(what: string, work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      this.#context.services.log.warn('session', `${what} failed`, {
        session: this.#context.facts.id,
        error: String(error),
      });
    });
  }

  /** It waits for that, and is not entered again before its next exec. */
  async #leave(pid: number, why: string): Promise<void> {
    this.#context.note(`Tracing left process ${pid}: ${why}. It runs on untraced.`);
    if (this.#context.running()?.pid === pid) this.#endTracing(why);
    else this.#context.processes.traced(pid, { kind: 'untraced', reason: why });
    await this.#tracers.drop(pid, true);
  }

  #endTracing(why: string): void {
    this.#state = lostTracing(why, this.#context.facts.isAttached);
    this.#context.changed();
  }
}
