import { monotonicMs } from '../../base/clock.ts';
import { hasEnded } from '../../collector/attach/procFacts.ts';
import { imageOf } from '../../collector/program/image.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { ModuleSummary } from '../../model/functions/foundFunction.ts';
import { matchesModule } from '../../model/names/pattern.ts';
import type { HooksSummary, Tracing } from '../../model/session.ts';
import { depthOf, usualDepth } from '../../model/values/shape.ts';
import type { TraceReport } from '../../model/functions/hookReport.ts';
import {
  hasWrites,
  type WatchChange,
  type WatchReport,
  type WatchRequest,
} from '../../model/watches/watch.ts';
import { launchedLowNumbers } from '../../protocol/supervisor.ts';
import { whyUndecided } from '../../collector/native/compileCondition.ts';
import { SessionExceptions } from './sessionExceptions.ts';
import type { Instrument } from './instrument.ts';
import { Instruments, type TraceableProcess } from './instruments.ts';
import { LostHosts } from './lostHosts.ts';
import { isSystem, mayLoad, namesModule, ownModules } from './ownModules.ts';
import { ForkedProcesses } from '../session/forkedProcesses.ts';
import type { SessionFacts, SessionParts } from '../session/sessionFacts.ts';
import { SessionWatches, type TracedNow } from './sessionWatches.ts';
import type { TracedTarget } from './tracedTarget.ts';
import { watchParts } from './watchParts.ts';
import { listedText, triggerNote, withDepth, type PatternRequest } from './patternRequest.ts';
import { TraceState, type FindFunctions } from './traceState.ts';

const noResult = (): void => undefined;
const noWatches: WatchChange = { add: [], remove: [] };

/** Everything about one session's hooks: patterns, symbols, and our presence in the target. */
export class SessionTracing {
  readonly #facts: SessionFacts;
  readonly #services: SessionParts;
  readonly #target: TracedTarget;
  readonly #trace = new TraceState(whyUndecided);
  readonly watches: SessionWatches;
  readonly #modules = new Map<string, ModuleSummary>();
  readonly #instruments: Instruments;
  readonly exceptions: SessionExceptions;
  /** Processes that were forked from a traced one, and record by its hooks. */
  readonly forked = new ForkedProcesses();
  /** What the main process runs and ran. */
  readonly #programs: Set<string>;
  /** Programs that are entered whatever the patterns say: one of their processes crashed, and nothing was kept. */
  readonly toExplain = new Set<string>();
  /** Modules in which the patterns were looked for. */
  #searched: ReadonlySet<string> = new Set();
  /** What patterns that are added from now on without a depth have; null: the usual. */
  depth: number | null = null;
  #state: Tracing = { kind: 'off', reason: 'no patterns were given' };

  constructor(facts: SessionFacts, services: SessionParts, target: TracedTarget) {
    this.#facts = facts;
    this.#services = services;
    this.#target = target;
    this.#programs = new Set([facts.image]);
    this.exceptions = new SessionExceptions(facts, services, target);
    const lostHosts = new LostHosts(facts, target, {
      enter: async (process) => this.trace(process),
      end: (why) => this.#endTracing(why),
      inBackground: (what, work) => this.#inBackground(what, work),
    });
    this.#instruments = new Instruments(facts, services, {
      index: () => {
        const running = target.running();
        if (!running) throw this.#target.ended();
        return running.index;
      },
      doing: (what) => target.doing(what),
      moduleLoaded: () => this.#inBackground('arming a new library', this.#armEverywhere()),
      installed: () => this.exceptions.start(),
      lost: (pid, why) => lostHosts.lost(pid, why),
      note: (text) => target.note(text),
    });
    this.watches = new SessionWatches(
      watchParts({
        facts,
        services,
        target,
        instruments: this.#instruments,
        own: (modules) => this.#ownOf(modules),
        wanted: () => this.#trace.wanted(),
        again: () => this.#inBackground('watching again', this.#applyWanted().then(noResult)),
        find: async (request) => (await this.#finder()(request)).match,
      }),
    );
  }

  get state(): Tracing {
    return this.#state;
  }

  get hooks(): HooksSummary {
    return this.#trace.summary();
  }

  get moduleSummaries(): readonly ModuleSummary[] {
    return [...this.#modules.values()];
  }

  /** `native`, with its languages as far as they are known. */
  get runtime(): string {
    const languages = new Set(this.moduleSummaries.flatMap((module) => module.languages));
    return languages.size > 0 ? `native (${[...languages].join(', ')})` : 'native';
  }

  noteModule(summary: ModuleSummary): void {
    this.#modules.set(summary.path, summary);
  }

  cannotTrace(code: ErrorCode, message: string, hint: string): void {
    this.#state = { kind: 'unavailable', code, message, hint };
  }

  /** The patterns as they were asked for, those of the launch and those added since. */
  get requests(): readonly PatternRequest[] {
    return this.#trace.requests;
  }

  /** Functions an earlier daemon gave numbers to keep them; the number of the next watch. */
  continueFrom(functions: readonly TracedFunction[], nextWatch: number): void {
    this.watches.continueFrom(nextWatch);
    this.#instruments.continueFrom(functions);
  }

  /** These are wanted soon: a daemon that comes after this one knows of them, of patterns until what is returned is disposed of. */
  expect(patterns: readonly PatternRequest[], watches: readonly WatchRequest[]): Disposable {
    this.watches.change({ add: watches, remove: [] });
    return this.#trace.expect(patterns);
  }

  /** What was wanted before anything ran. Writes are seen without patterns; other watches wait for traced calls. */
  async begin(
    add: readonly PatternRequest[],
    watches: readonly WatchRequest[],
  ): Promise<TraceReport | null> {
    const change = { add: watches, remove: [] };
    if (add.length > 0 || hasWrites(watches))
      return await this.change({ add, remove: [], clear: false, watches: change });
    this.watches.change(change);
    return null;
  }

  /** Adds and removes patterns and brings the hooks in line; answers what is true afterwards. */
  async change(request: {
    add: readonly PatternRequest[];
    remove: readonly string[];
    clear: boolean;
    /** From now on, of patterns without one of their own. */
    depth?: number | null;
    watches?: WatchChange;
  }): Promise<TraceReport> {
    const began = monotonicMs();
    this.depth = request.depth ?? this.depth;
    const add = request.add.map((pattern) => withDepth(pattern, this.depth ?? undefined));
    const { watches = noWatches } = request;
    const changed = [request.add, request.remove, watches.add, watches.remove];
    const changes = request.clear || changed.some((list) => list.length > 0);
    if (changes && !this.#target.running()) throw this.#target.ended();
    const removed: { pattern: string; unhooked: number; found: boolean }[] = [];
    for (const text of request.clear ? this.#trace.texts : request.remove) {
      const unhooked = this.#trace.remove(text);
      removed.push({ pattern: text, unhooked: unhooked ?? 0, found: unhooked !== null });
    }
    const warnings = this.watches.change(watches);
    if (request.add.length > 0) {
      // A daemon that comes after this one knows what was wanted.
      using _ = this.#trace.expect(add);
      this.#target.changed();
      warnings.push(...(await this.#installMain()));
      await this.#trace.add(add, this.#finder());
      await this.#installChildren();
      await this.#searchNew();
    }
    const reports = await this.#applyWanted();
    if (changes)
      await this.#target.watchExecs(this.#trace.texts.length > 0 || this.toExplain.size > 0);
    if (changes) this.#target.changed();
    const triggers = triggerNote(this.#trace.requests);
    if (triggers !== null && request.add.some(({ asked }) => asked.trigger !== undefined))
      this.#target.note(triggers);
    if (request.add.length > 0) warnings.push(...this.forked.notes());
    return this.#trace.report(new Set(request.add.map(listedText)), {
      sessionId: this.#facts.id,
      removed,
      watches: reports,
      eventLimit: this.#facts.limits.maxEvents,
      tookMs: Math.round(monotonicMs() - began),
      warnings,
    });
  }

  /** Every active pattern and what became of it; null without patterns. */
  report(): TraceReport | null {
    if (this.#trace.texts.length === 0) return null;
    return this.#trace.report(new Set(), {
      sessionId: this.#facts.id,
      removed: [],
      watches: this.watches.reports(),
      eventLimit: this.#facts.limits.maxEvents,
      tookMs: null,
      warnings: [],
    });
  }

  /** Lets a process go that waits at its exec; false when we are not in it. */
  async resume(pid: number): Promise<boolean> {
    return await this.#instruments.resume(pid);
  }

  /**
   * Whether some pattern may match in a program or in what it loads, so that its processes are
   * worth attaching to. `outside`: it is neither the project's nor the system's.
   */
  async wants(image: string, pid: number): Promise<'yes' | 'no' | 'outside'> {
    if (this.toExplain.has(image)) return 'yes';
    if (this.#trace.texts.length === 0) return 'no';
    if (pid === this.#target.running()?.pid) this.#programs.add(image);
    if (!this.#isMeant(image)) return isSystem(image) ? 'no' : 'outside';
    if (await mayLoad(image, this.#trace.requests)) return 'yes';
    await this.#indexModule(image);
    for (const request of this.#trace.requests) {
      const found = await this.#services.symbols.find([image], request.pattern, {
        projectRoot: this.#facts.projectRoot,
      });
      if (found.value.functions.length + found.value.inlined.length > 0) return 'yes';
    }
    return 'no';
  }

  /** Traces one more process of the tree; throws what attaching throws. Answers how many functions are hooked in it. */
  async trace(process: TraceableProcess): Promise<number> {
    await this.#instruments.install(process);
    if (this.#state.kind === 'off' && this.#trace.texts.length > 0) this.#state = { kind: 'armed' };
    await this.#armEverywhere(process.pid);
    return this.#instruments.hooked().get(process.pid) ?? 0;
  }

  /**
   * A child that ran this program crashed and left nothing: the next of its processes are entered at
   * their start, so that theirs is explained. False where that cannot be.
   */
  async explainNext(path: string): Promise<boolean> {
    const image = await imageOf(path);
    const { limits, follow } = this.#facts;
    if (!limits.blackBox || follow === 'none' || image === null) return false;
    if (image.static || isSystem(image.path)) return false;
    this.toExplain.add(image.path);
    await this.#target.watchExecs(true);
    return true;
  }

  /**
   * Comes into the process of an attached session, so that its output is recorded, also without
   * patterns. Answers how; throws what FridaHost.attach throws.
   */
  async enter(pid: number): Promise<Pick<Instrument, 'taps' | 'interrupted'>> {
    const state = this.#state;
    await this.#installMain();
    this.#state = state;
    const instrument = this.#instruments.of(pid);
    if (!instrument) throw this.#target.ended();
    return instrument;
  }

  /** Has the attached process write down cycle counter and time together. */
  async clock(): Promise<void> {
    await this.#instruments.clock();
  }

  /** A process ended, or replaced its program. */
  async processGone(pid: number): Promise<void> {
    this.forked.delete(pid);
    await this.#instruments.drop(pid);
  }

  /** What was raised and written up to now is stored afterwards; false: not all of it, as that takes long. */
  async readSoon(): Promise<boolean> {
    const [isStored] = await Promise.all([
      this.exceptions.readSoon(),
      this.watches.writes.readSoon(),
    ]);
    return isStored;
  }

  /** `live`: the processes run on, so their code is restored first. */
  async close(live: boolean): Promise<void> {
    if (live) await this.watches.writes.close();
    await this.#instruments.close(live);
  }

  /**
   * Puts agent and engine into the main process, once. Answers why not when what it executes may
   * be traced all the same.
   */
  async #installMain(): Promise<string[]> {
    const { follow, image, isAttached } = this.#facts;
    try {
      if (this.#state.kind === 'unavailable')
        throw new StrobeError(this.#state.code, this.#state.message, this.#state.hint);
      const running = this.#target.running();
      if (!running) throw this.#target.ended();
      const atExec = running.atExec && !isAttached;
      await this.#instruments.install({
        pid: running.pid,
        image,
        atExec,
        isAttached,
        lowNumbers: atExec ? launchedLowNumbers : [],
      });
      this.#state = { kind: 'armed' };
      return [];
    } catch (error) {
      const running = this.#target.running();
      const fatal = follow === 'none' || isAttached || !running || hasEnded(running.pid);
      if (fatal || !(error instanceof StrobeError) || error.kind !== 'target') throw error;
      this.cannotTrace(error.code, error.message, error.hint);
      return [`The main process is untraced: ${error.code}: ${error.message} ${error.hint}`];
    }
  }

  /** Processes that were not worth it before may be so for new patterns. */
  async #installChildren(): Promise<void> {
    for (const { pid, path } of this.#target.children()) {
      if (this.forked.has(pid)) continue;
      const image = await imageOf(path);
      if (this.#instruments.has(pid) || !image || image.static) continue;
      if ((await this.wants(image.path, pid)) !== 'yes') continue;
      await this.#instruments
        .install({ pid, image: image.path, atExec: false })
        .catch((error: unknown) => {
          this.#services.log.warn('session', 'a child cannot be traced', {
            session: this.#facts.id,
            pid,
            error: String(error),
          });
        });
    }
  }

  async #indexModule(path: string): Promise<ModuleSummary> {
    const summary = this.#modules.get(path) ?? (await this.#services.symbols.open(path));
    this.#modules.set(path, summary);
    return summary;
  }

  /** The program itself, or one that a pattern means as much: see `ownModules`. */
  #isMeant(image: string): boolean {
    return this.#ownOf([image]).length > 0 || namesModule(this.#trace.requests, image);
  }

  #ownOf(modules: readonly string[]): string[] {
    const own = [...this.#programs].flatMap((program) =>
      ownModules(modules, program, this.#facts.projectRoot),
    );
    return [...new Set(own)];
  }

  #finder(): FindFunctions {
    // The engine must not trace itself, also where a project holds it.
    const { enginePath } = this.#services;
    const loaded = [...this.#instruments.modules()].filter((path) => path !== enginePath);
    this.#searched = new Set([...loaded, enginePath]);
    return async (request) => {
      const { module } = request.pattern;
      const paths =
        module === null
          ? this.#ownOf(loaded)
          : loaded.filter((path) => matchesModule(module, path));
      await Promise.all(paths.map((path) => this.#indexModule(path)));
      const found = await this.#services.symbols.find(paths, request.pattern, {
        projectRoot: this.#facts.projectRoot,
        depth: request.asked.depth === undefined ? usualDepth : depthOf(request.asked.depth),
      });
      return { match: found.value, problem: found.problems[0] ?? null };
    };
  }

  /** Looks for the patterns in modules that are new, and hooks what they mean; in one process or in all. */
  async #armEverywhere(only?: number): Promise<void> {
    if (this.#trace.texts.length === 0) return;
    await this.#searchNew();
    // Nobody waits for an answer here.
    for (const { label, state, notes } of await this.#applyWanted(only))
      if (state === 'refused') this.#target.note(`Watch ${label} is refused: ${notes.join(' ')}`);
  }

  async #searchNew(): Promise<void> {
    if (this.#instruments.modules().some((path) => !this.#searched.has(path)))
      await this.#trace.refresh(this.#finder());
  }

  /** Answers what became of the watches, those that were refused too. */
  async #applyWanted(only?: number): Promise<readonly WatchReport[]> {
    await this.#applyHooks(only);
    const traced = (): TracedNow => ({
      wanted: this.#trace.wanted(),
      hooked: this.#trace.hooked(),
      patterns: this.#trace.requests,
      pid: this.#target.running()?.pid ?? null,
    });
    return await this.watches.apply(traced, only);
  }

  async #applyHooks(only?: number): Promise<void> {
    if (this.#instruments.size === 0) return;
    this.#trace.setVerdicts(
      await this.#instruments.setWanted(this.#trace.wanted(), this.#trace.policies(), only),
    );
    for (const [pid, hooked] of this.#instruments.hooked()) this.#target.traced(pid, hooked);
  }

  #inBackground(what: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#services.log.warn('session', `${what} failed`, {
        session: this.#facts.id,
        error: String(error),
      });
    });
  }

  #endTracing(why: string): void {
    this.#state = {
      kind: 'unavailable',
      code: 'TRACER_LOST',
      message: `Tracing ended: ${why}.`,
      hint: this.#facts.isAttached
        ? 'The program runs on. Detach, then attach again: neither calls nor output are captured now.'
        : 'The program runs on; launch it again to trace it.',
    };
    this.#target.changed();
  }
}
