import { monotonicMs } from '../../base/clock.ts';
import { programNow } from '../../collector/attach/procFacts.ts';
import { imageOf } from '../../collector/launch/image.ts';
import { isSystemLibrary, librariesOf } from '../../collector/launch/libraries.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { ModuleSummary } from '../../model/foundFunction.ts';
import { matchesModule, parsePattern } from '../../model/pattern.ts';
import type { HooksSummary, Tracing } from '../../model/session.ts';
import type { TraceReport } from '../../model/trace.ts';
import type { IndexClient } from './indexClient.ts';
import { SessionExceptions } from './exceptions.ts';
import type { Instrument } from './instrument.ts';
import { Instruments, type TraceableProcess } from './instruments.ts';
import { isSystem, ownModules } from './modules.ts';
import { sessionEnded, type SessionFacts, type SessionParts } from './sessionFacts.ts';
import {
  checkPattern,
  patternText,
  TraceState,
  type FindFunctions,
  type PatternRequest,
} from './traceState.ts';

const SHOWN_PIDS = 5;
/** A process that costs more hosts than these is let alone. */
const MAX_LOST_HOSTS = 2;

/** What tracing must know of the session it belongs to. */
export interface TracedTarget {
  /** Null when nothing runs any more. */
  running(): { readonly pid: number; readonly index: IndexClient; readonly atExec: boolean } | null;
  /** Living processes of the tree besides the main one. */
  children(): readonly { readonly pid: number; readonly path: string }[];
  /** Whether the programs that the tree executes are of interest. */
  watchExecs(watch: boolean): Promise<void>;
  /** So many functions are hooked in a process now. */
  traced(pid: number, hooked: number): void;
  doing(what: string): void;
  changed(): void;
  /** Null once everything is stored. */
  index(): IndexClient | null;
  now(): SessionNs;
  /** A whole sentence for whoever looks at the session. */
  note(text: string): void;
}

/** Everything about one session's hooks: patterns, symbols, and our presence in the target. */
export class SessionTracing {
  readonly #facts: SessionFacts;
  readonly #services: SessionParts;
  readonly #target: TracedTarget;
  readonly #trace = new TraceState();
  readonly #modules = new Map<string, ModuleSummary>();
  readonly #instruments: Instruments;
  readonly exceptions: SessionExceptions;
  /** Processes that were forked from a traced one, and record by its hooks. */
  readonly #forked = new Set<number>();
  /** Hosts lost so far, by process. */
  readonly #lostHosts = new Map<number, number>();
  /** What the main process runs and ran. */
  readonly #programs: Set<string>;
  /** Modules in which the patterns were looked for. */
  #searched: ReadonlySet<string> = new Set();
  #state: Tracing = { kind: 'off', reason: 'no patterns were given' };

  constructor(facts: SessionFacts, services: SessionParts, target: TracedTarget) {
    this.#facts = facts;
    this.#services = services;
    this.#target = target;
    this.#programs = new Set([facts.image]);
    this.exceptions = new SessionExceptions(facts, services, target);
    this.#instruments = new Instruments(facts, services, {
      index: () => {
        const running = target.running();
        if (!running) throw sessionEnded(this.#facts);
        return running.index;
      },
      doing: (what) => target.doing(what),
      loadAddressOf: (module) => this.#modules.get(module)?.loadAddress ?? null,
      moduleLoaded: () => this.#inBackground('arming a new library', this.#armEverywhere()),
      installed: () => this.exceptions.start(),
      lost: (pid, why) => this.#lost(pid, why),
      note: (text) => target.note(text),
    });
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

  /** Functions an earlier daemon gave numbers to keep them. */
  continueFrom(functions: readonly TracedFunction[]): void {
    this.#instruments.continueFrom(functions);
  }

  /** Adds and removes patterns and brings the hooks in line; answers what is true afterwards. */
  async change(request: {
    add: readonly PatternRequest[];
    remove: readonly string[];
    clear: boolean;
  }): Promise<TraceReport> {
    const began = monotonicMs();
    for (const pattern of request.add) checkPattern(pattern);
    const changes = request.add.length > 0 || request.remove.length > 0 || request.clear;
    if (changes && !this.#target.running()) throw sessionEnded(this.#facts);
    const removed: { pattern: string; unhooked: number; found: boolean }[] = [];
    for (const text of request.clear ? this.#trace.texts : request.remove) {
      const unhooked = this.#trace.remove(text);
      removed.push({ pattern: text, unhooked: unhooked ?? 0, found: unhooked !== null });
    }
    const warnings: string[] = [];
    if (request.add.length > 0) {
      warnings.push(...(await this.#installMain()));
      await this.#trace.add(request.add, this.#finder());
      await this.#installChildren();
      await this.#searchNew();
    }
    await this.#applyWanted();
    if (changes) await this.#target.watchExecs(this.#trace.texts.length > 0);
    if (changes) this.#target.changed();
    if (request.add.length > 0) warnings.push(...this.#keepTheirHooks());
    return this.#trace.report(new Set(request.add.map(patternText)), {
      sessionId: this.#facts.id,
      removed,
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
      eventLimit: this.#facts.limits.maxEvents,
      tookMs: null,
      warnings: [],
    });
  }

  /** Lets a process go that waits at its exec, when we are in it. */
  async resume(pid: number): Promise<void> {
    await this.#instruments.resume(pid);
  }

  /**
   * Whether some pattern may match in a program or in what it loads, so that its processes are
   * worth attaching to. `outside`: it is neither the project's nor the system's.
   */
  async wants(image: string, pid: number): Promise<'yes' | 'no' | 'outside'> {
    if (this.#trace.texts.length === 0) return 'no';
    if (pid === this.#target.running()?.pid) this.#programs.add(image);
    if (!this.#isMeant(image)) return isSystem(image) ? 'no' : 'outside';
    if (await this.#mayLoad(image)) return 'yes';
    await this.#indexModule(image);
    for (const request of this.#trace.requests) {
      const found = await this.#services.symbols.find([image], patternText(request), {
        projectRoot: this.#facts.projectRoot,
      });
      if (found.value.functions.length + found.value.inlined.length > 0) return 'yes';
    }
    return 'no';
  }

  /** Traces one more process of the tree; throws what attaching throws. Answers how many functions are hooked in it. */
  async trace(process: TraceableProcess): Promise<number> {
    await this.#instruments.install(process);
    if (this.#state.kind === 'off') this.#state = { kind: 'armed' };
    await this.#armEverywhere(process.pid);
    return this.#instruments.hooked().get(process.pid) ?? 0;
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
    if (!instrument) throw sessionEnded(this.#facts);
    return instrument;
  }

  /** Has the attached process write down cycle counter and time together. */
  async clock(): Promise<void> {
    await this.#instruments.clock();
  }

  /** A process that was forked from a traced one records. */
  noteForked(pid: number): void {
    this.#forked.add(pid);
  }

  /** A process runs another program, in which nothing of ours is left. */
  noteExec(pid: number): void {
    this.#forked.delete(pid);
  }

  /** A process ended, or replaced its program. */
  async processGone(pid: number): Promise<void> {
    this.#forked.delete(pid);
    await this.#instruments.drop(pid);
  }

  /** `live`: the processes run on, so their code is restored first. */
  async close(live: boolean): Promise<void> {
    await this.#instruments.close(live);
  }

  /**
   * Puts agent and engine into the main process, once. Answers why not when what it executes may
   * be traced all the same.
   */
  async #installMain(): Promise<string[]> {
    try {
      if (this.#state.kind === 'unavailable')
        throw new StrobeError(this.#state.code, this.#state.message, this.#state.hint);
      const running = this.#target.running();
      if (!running) throw sessionEnded(this.#facts);
      const { image, isAttached } = this.#facts;
      await this.#instruments.install({
        pid: running.pid,
        image,
        atExec: running.atExec && !isAttached,
        isAttached,
        isTarget: !isAttached,
      });
      this.#state = { kind: 'armed' };
      return [];
    } catch (error) {
      const { follow, isAttached } = this.#facts;
      const fatal = follow === 'none' || isAttached || !this.#target.running();
      if (fatal || !(error instanceof StrobeError) || error.kind !== 'target') throw error;
      this.cannotTrace(error.code, error.message, error.hint);
      return [`The main process is untraced: ${error.message}`];
    }
  }

  /** Processes that were not worth it before may be so for new patterns. */
  async #installChildren(): Promise<void> {
    for (const { pid, path } of this.#target.children()) {
      if (this.#forked.has(pid)) continue;
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

  #keepTheirHooks(): string[] {
    for (const pid of this.#forked) if (!isAlive(pid)) this.#forked.delete(pid);
    const pids = [...this.#forked];
    if (pids.length === 0) return [];
    const some = pids.slice(0, SHOWN_PIDS).join(', ') + (pids.length > SHOWN_PIDS ? ', …' : '');
    return [
      `${pids.length} forked ${pids.length === 1 ? 'process keeps' : 'processes keep'} the hooks of the fork (pid ${some}): functions added now are not hooked there; removed ones are off there too. Add patterns before the fork.`,
    ];
  }

  async #indexModule(path: string): Promise<void> {
    if (this.#modules.has(path)) return;
    const summary = await this.#services.symbols.open(path);
    this.#modules.set(path, summary);
  }

  /** Whether a library that some pattern may mean will come with a program. */
  async #mayLoad(image: string): Promise<boolean> {
    const { needed, loadsMore } = await librariesOf(image);
    if (loadsMore || needed.some((name) => !isSystemLibrary(name))) return true;
    return this.#trace.requests.some((request) => {
      const { module } = parsePattern(patternText(request));
      return module !== null && needed.some((name) => matchesModule(module, name));
    });
  }

  /** The program itself, or one that a pattern means as much: see `ownModules`. */
  #isMeant(image: string): boolean {
    if (this.#ownOf([image]).length > 0) return true;
    return this.#trace.requests.some((request) => {
      const { module } = parsePattern(patternText(request));
      return module !== null && matchesModule(module, image);
    });
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
    this.#searched = new Set(loaded);
    return async (request) => {
      const { module } = parsePattern(patternText(request));
      const paths =
        module === null
          ? this.#ownOf(loaded)
          : loaded.filter((path) => matchesModule(module, path));
      await Promise.all(paths.map((path) => this.#indexModule(path)));
      const found = await this.#services.symbols.find(paths, patternText(request), {
        projectRoot: this.#facts.projectRoot,
        depth: request.depth ?? 0,
      });
      return { match: found.value, problem: found.problems[0] ?? null };
    };
  }

  /** Looks for the patterns in modules that are new, and hooks what they mean; in one process or in all. */
  async #armEverywhere(only?: number): Promise<void> {
    if (this.#trace.texts.length === 0) return;
    await this.#searchNew();
    await this.#applyWanted(only);
  }

  async #searchNew(): Promise<void> {
    if (this.#instruments.modules().some((path) => !this.#searched.has(path)))
      await this.#trace.refresh(this.#finder());
  }

  async #applyWanted(only?: number): Promise<void> {
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

  /** Agent and hooks went with the host: another host brings them back, unless it goes on like that. */
  #lost(pid: number, why: string): void {
    const running = this.#target.running();
    if (!running) return;
    if (/process-terminated/.test(why)) {
      // An exec counts as one, too; of a launched program its keeper tells.
      const program = this.#facts.isAttached && running.pid === pid ? programNow(pid) : null;
      if (program !== null)
        this.#inBackground(
          'following an exec',
          this.#takeUpAgain({ pid, path: program }, `it replaced its program by ${program}`, true),
        );
      return;
    }
    const lost = (this.#lostHosts.get(pid) ?? 0) + 1;
    this.#lostHosts.set(pid, lost);
    const isMain = running.pid === pid;
    const path = isMain
      ? this.#facts.image
      : this.#target.children().find((child) => child.pid === pid)?.path;
    if (lost <= MAX_LOST_HOSTS && path !== undefined && !running.atExec) {
      const again = this.#takeUpAgain({ pid, path }, why, isMain);
      this.#inBackground('taking tracing up again', again);
    } else if (isMain) this.#endTracing(why);
  }

  async #takeUpAgain(
    process: { readonly pid: number; readonly path: string },
    why: string,
    isMain: boolean,
    tries = 2,
  ): Promise<void> {
    const since = this.#target.now();
    const image = (await imageOf(process.path))?.path ?? process.path;
    try {
      const isAttached = isMain && this.#facts.isAttached;
      await this.trace({ pid: process.pid, image, atExec: false, isAttached });
    } catch (error) {
      // What ended the one host may have ended the spare as well.
      if (tries > 1 && error instanceof StrobeError && error.code === 'HOST_LOST')
        return await this.#takeUpAgain(process, why, isMain, tries - 1);
      const more = error instanceof StrobeError ? error.message : String(error);
      if (isMain && this.#target.running())
        this.#endTracing(`${why}; another could not go on: ${more}`);
      return;
    }
    this.#target.note(
      `Tracing of process ${process.pid} was interrupted: ${why}. Another took over; calls${this.#facts.isAttached ? ' and output' : ''} between ${seconds(since)} and ${seconds(this.#target.now())} may be missing.`,
    );
  }

  #endTracing(why: string): void {
    this.#state = {
      kind: 'unavailable',
      code: 'HOST_LOST',
      message: `Tracing ended: ${why}.`,
      hint: this.#facts.isAttached
        ? 'The program runs on. Detach, then attach again: neither calls nor output are captured now.'
        : 'The program runs on; launch it again to trace it.',
    };
    this.#target.changed();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function seconds(ns: SessionNs): string {
  return `+${(ns / 1e9).toFixed(2)} s`;
}
