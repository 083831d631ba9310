import { monotonicMs, monotonicNs } from '../../base/clock.ts';
import type { HostPool } from '../../collector/frida/hostPool.ts';
import type { Keeper } from '../../collector/keeper/keeper.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { ModuleSummary } from '../../model/foundFunction.ts';
import type { SessionId, SessionNs } from '../../model/ids.ts';
import type { StoreSummary } from '../../model/query.ts';
import type {
  EndedBy,
  LaunchReport,
  SessionState,
  SessionView,
  StopReport,
  Tracing,
} from '../../model/session.ts';
import type { TraceReport } from '../../model/trace.ts';
import { matchesModule, parsePattern } from '../../model/pattern.ts';
import type { SymbolIndex } from '../../symbols/symbols.ts';
import type { Log } from '../log.ts';
import type { Client } from '../tools/handler.ts';
import { Changes } from './changes.ts';
import type { IndexClient } from './indexClient.ts';
import type { LifeRecord, Settled } from './indexMessages.ts';
import { Instrument, removeRings } from './instrument.ts';
import { stopLeftOver } from './leftOver.ts';
import { ownModules } from './modules.ts';
import { patternText, TraceState, type FindFunctions, type PatternRequest } from './traceState.ts';

/** A tree that was sent SIGKILL is given this long to be reaped. */
const REAP_LIMIT_MS = 10_000;

/** What a session needs of the daemon around it. */
export interface SessionParts {
  readonly hosts: HostPool;
  readonly symbols: SymbolIndex;
  readonly agentSource: () => Promise<string>;
  readonly enginePath: string;
  readonly stringBytes: number;
  readonly log: Log;
}

/** Bounds of one session, from the settings at its launch. */
export interface SessionLimits {
  readonly ringSlots: number;
  /** Per thread; a power of two. */
  readonly ringBytes: number;
  readonly maxEvents: number;
  readonly maxOutputBytes: number;
}

/** What is fixed from the launch on. */
export interface SessionFacts {
  readonly id: SessionId;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly projectRoot: string;
  /** The ELF file that runs. */
  readonly image: string;
  readonly directory: string;
  readonly storePath: string;
  readonly startNs: bigint;
  readonly startedAtMs: number;
  readonly owner: Client;
  readonly onClientExit: 'stop' | 'detach' | 'keep';
  readonly stdin: 'open' | 'closed';
  readonly requestId: string | null;
  /** False: the caller's own terminal; the output is not ours. */
  readonly capturesOutput: boolean;
  readonly limits: SessionLimits;
}

/** One target under study, from its exec to the end of its tree. */
export class LiveSession {
  readonly facts: SessionFacts;
  readonly changes = new Changes();
  readonly notes: string[] = [];
  usedAtMs = monotonicMs();
  readonly #services: SessionParts;
  readonly #trace = new TraceState();
  readonly #modules = new Map<string, ModuleSummary>();
  readonly #onState: (session: LiveSession) => void;
  #index: IndexClient | null = null;
  #keeper: Keeper | null = null;
  #instrument: Instrument | null = null;
  #installing: Promise<Instrument> | null = null;
  #state: SessionState = { kind: 'starting', doing: 'starting the program' };
  #tracing: Tracing = { kind: 'off', reason: 'no patterns were given' };
  #endedBy: EndedBy = 'itself';
  #pid: number | null = null;
  #lastSummary: StoreSummary | null = null;
  #launchReport: LaunchReport | null = null;
  #treeEnded = false;
  #finishing: Promise<void> | null = null;

  constructor(
    facts: SessionFacts,
    services: SessionParts,
    onState: (session: LiveSession) => void,
  ) {
    this.facts = facts;
    this.#services = services;
    this.#onState = onState;
  }

  get state(): SessionState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#pid;
  }

  get isLive(): boolean {
    return this.#state.kind === 'starting' || this.#state.kind === 'running';
  }

  /** Nothing of the target's tree is left and everything is stored. */
  get isFinished(): boolean {
    return this.#index === null && !this.isLive;
  }

  get patterns(): readonly string[] {
    return this.#trace.texts;
  }

  /** The last store summary that was committed; null before the first. */
  get lastSummary(): StoreSummary | null {
    return this.#lastSummary;
  }

  now(): SessionNs {
    return Number(monotonicNs() - this.facts.startNs);
  }

  /** Kept for a retry of the same launch. */
  get launchReport(): LaunchReport | null {
    return this.#launchReport;
  }

  launched(report: LaunchReport): void {
    this.#launchReport = report;
  }

  /** Takes over the parts a launch has made. */
  begin(keeper: Keeper, index: IndexClient): void {
    this.#keeper = keeper;
    this.#index = index;
    this.#pid = keeper.started.pid;
    keeper.onGrown(() => this.#index?.outputGrown());
    keeper.onClosed(() => void this.#keeperGone());
  }

  setDoing(doing: string): void {
    if (this.#state.kind === 'starting') this.#become({ kind: 'starting', doing });
  }

  /** The program runs now. */
  running(): void {
    if (this.#state.kind === 'starting') this.#become({ kind: 'running' });
  }

  noteModule(summary: ModuleSummary): void {
    this.#modules.set(summary.path, summary);
  }

  get moduleSummaries(): readonly ModuleSummary[] {
    return [...this.#modules.values()];
  }

  cannotTrace(code: ErrorCode, message: string, hint: string): void {
    this.#tracing = { kind: 'unavailable', code, message, hint };
  }

  view(client: Client): SessionView {
    const { facts } = this;
    const languages = [...new Set(this.moduleSummaries.flatMap((module) => module.languages))];
    return {
      id: facts.id,
      command: facts.command,
      cwd: facts.cwd,
      projectRoot: facts.projectRoot,
      state: this.#state,
      now: this.now(),
      startedAtMs: facts.startedAtMs,
      pid: this.#pid,
      runtime: languages.length > 0 ? `native (${languages.join(', ')})` : 'native',
      tracing: this.#tracing,
      hooks: this.#trace.summary(),
      owner: {
        clientId: facts.owner.id,
        kind: facts.owner.kind,
        mine: facts.owner.id === client.id,
      },
      onClientExit: facts.onClientExit,
      stdin: facts.stdin,
      notes: this.notes,
    };
  }

  /** Read-your-writes: drains up to now. Null when the session is finished: all is stored. */
  async settle(): Promise<Settled | null> {
    await this.#finishing;
    if (this.#keeper && !this.#treeEnded) await this.#keeper.clock().catch(() => undefined);
    // The program may have ended while the keeper answered.
    await this.#finishing;
    const index = this.#index;
    if (!index) return null;
    const settled = await index.settle();
    this.#lastSummary = settled.summary;
    return settled;
  }

  /** Puts agent and engine into the process, once. */
  async install(): Promise<Instrument> {
    if (this.#instrument) return this.#instrument;
    if (this.#tracing.kind === 'unavailable') {
      throw new StrobeError(this.#tracing.code, this.#tracing.message, this.#tracing.hint);
    }
    this.#installing ??= this.#installNow();
    try {
      this.#instrument = await this.#installing;
      this.#tracing = { kind: 'armed' };
      return this.#instrument;
    } finally {
      this.#installing = null;
    }
  }

  /** Adds and removes patterns and brings the hooks in line; answers what is true afterwards. */
  async trace(request: {
    add: readonly PatternRequest[];
    remove: readonly string[];
    clear: boolean;
  }): Promise<TraceReport> {
    const began = monotonicMs();
    for (const pattern of request.add) parsePattern(patternText(pattern));
    const changes = request.add.length > 0 || request.remove.length > 0 || request.clear;
    if (changes && !this.isLive) throw this.#endedError();
    const removed: { pattern: string; unhooked: number; found: boolean }[] = [];
    for (const text of request.clear ? this.#trace.texts : request.remove) {
      const unhooked = this.#trace.remove(text);
      removed.push({ pattern: text, unhooked: unhooked ?? 0, found: unhooked !== null });
    }
    const warnings: string[] = [];
    if (request.add.length > 0) {
      const instrument = await this.install();
      await this.#indexModules(instrument);
      await this.#trace.add(request.add, this.#finder(instrument));
    }
    await this.#applyWanted();
    return this.#trace.report(new Set(request.add.map(patternText)), {
      sessionId: this.facts.id,
      removed,
      eventLimit: this.facts.limits.maxEvents,
      tookMs: Math.round(monotonicMs() - began),
      warnings,
    });
  }

  /** Every active pattern and what became of it; null without patterns. */
  traceReport(): TraceReport | null {
    if (this.#trace.texts.length === 0) return null;
    return this.#trace.report(new Set(), {
      sessionId: this.facts.id,
      removed: [],
      eventLimit: this.facts.limits.maxEvents,
      tookMs: null,
      warnings: [],
    });
  }

  /** Lets a process go that waits at its exec; the keeper must know, or it would do so itself later. */
  async resume(): Promise<void> {
    if (this.#instrument && this.#pid !== null) await this.#instrument.resume(this.#pid);
    await this.#keeper?.resume();
  }

  /** Writes to the program's stdin; `limitMs` null waits as long as the program takes. */
  async input(
    bytes: Uint8Array,
    options: { eof: boolean; limitMs?: number | null },
  ): Promise<void> {
    if (!this.isLive || !this.#keeper) throw this.#endedError();
    const { eof, ...limit } = options;
    if (bytes.length > 0) await this.#keeper.input(bytes, limit);
    if (eof) await this.#keeper.inputEof();
  }

  /** TERM to the whole tree, KILL after the grace; resolves when everything is stored. */
  async stop(graceMs: number, by: EndedBy): Promise<StopReport['how']> {
    if (this.#state.kind === 'released') return stopLeftOver(this.facts.directory, graceMs);
    if (this.isFinished || !this.#keeper) return 'hadEnded';
    let how: StopReport['how'] = this.isLive ? 'terminated' : 'hadEnded';
    if (this.isLive) this.#endedBy = by;
    if (!this.#treeEnded) {
      await this.#keeper.signal('SIGTERM', { group: true });
      if (!(await this.#untilTreeEnds(graceMs))) {
        how = 'killed';
        await this.#keeper.signal('SIGKILL', { group: true });
        if (!(await this.#untilTreeEnds(REAP_LIMIT_MS))) {
          throw new StrobeError(
            'TIMED_OUT',
            'The program did not end after SIGKILL (uninterruptible sleep?).',
          );
        }
      }
    }
    await this.#finishing;
    return how;
  }

  /** Restores the code, lets the target live on without us, keeps what was stored. */
  async release(): Promise<void> {
    if (!this.isLive) return;
    await this.#instrument?.close(true);
    this.#instrument = null;
    this.#become({ kind: 'released', at: this.now() });
    await this.#closeStore();
    await this.#keeper?.quit();
    this.#keeper?.close();
    this.#keeper = null;
  }

  /** A launch that failed: nothing of it may be left. */
  async abandon(): Promise<void> {
    await this.#instrument?.close(false).catch(() => undefined);
    if (this.#keeper && !this.#treeEnded) {
      await this.#keeper.signal('SIGKILL', { group: true }).catch(() => undefined);
      await this.#keeper.quit().catch(() => undefined);
    }
    this.#keeper?.close();
    this.#keeper = null;
    const index = this.#index;
    this.#index = null;
    await index?.close().catch(() => undefined);
    removeRings(this.facts.id);
  }

  /** From the index worker: a fact of the target's life. */
  onLife(record: LifeRecord): void {
    if (record.kind === 'exited' && record.pid === this.#pid) {
      this.#become({ kind: 'ended', exit: record.exit, at: record.time, by: this.#endedBy });
    } else if (record.kind === 'ended') {
      this.#treeEnded = true;
      this.#finishing ??= this.#finish();
    }
    this.changes.notify();
  }

  onProgress(summary: StoreSummary): void {
    this.#lastSummary = summary;
    this.changes.notify();
  }

  onFault(message: string): void {
    this.#services.log.error('store', 'index worker fault', { session: this.facts.id, message });
    const note = `The index reported a fault: ${message}`;
    if (!this.notes.includes(note)) this.notes.push(note);
    this.changes.notify();
  }

  async #installNow(): Promise<Instrument> {
    const pid = this.#pid;
    const index = this.#index;
    if (pid === null || !index) throw this.#endedError();
    const host = await this.#services.hosts.take((doing) => this.setDoing(doing));
    return Instrument.install(host, {
      pid,
      atExec: this.#state.kind === 'starting',
      sessionId: this.facts.id,
      agentSource: await this.#services.agentSource(),
      enginePath: this.#services.enginePath,
      slotCount: this.facts.limits.ringSlots,
      ringBytes: this.facts.limits.ringBytes,
      stringBytes: this.#services.stringBytes,
      loadAddressOf: (path) => this.#modules.get(path)?.loadAddress ?? null,
      onRing: (path) => index.addRing(path),
      announce: (functions) => index.defineFunctions(functions),
      onModuleLoaded: () => this.#moduleLoaded(),
      onLost: (why) => this.#lostInstrument(why),
    });
  }

  async #indexModules(instrument: Instrument): Promise<void> {
    const own = ownModules(instrument.modules.keys(), this.facts.image, this.facts.projectRoot);
    await Promise.all(own.map((path) => this.#indexModule(path)));
  }

  async #indexModule(path: string): Promise<void> {
    if (this.#modules.has(path)) return;
    const summary = await this.#services.symbols.open(path);
    this.#modules.set(path, summary);
  }

  #finder(instrument: Instrument): FindFunctions {
    return async (request) => {
      const { module } = parsePattern(patternText(request));
      const loaded = [...instrument.modules.keys()];
      const paths =
        module === null
          ? ownModules(loaded, this.facts.image, this.facts.projectRoot)
          : loaded.filter((path) => matchesModule(module, path));
      await Promise.all(paths.map((path) => this.#indexModule(path)));
      const found = await this.#services.symbols.find(paths, patternText(request), {
        projectRoot: this.facts.projectRoot,
      });
      return { match: found.value, problem: found.problems[0] ?? null };
    };
  }

  async #applyWanted(): Promise<void> {
    if (!this.#instrument) return;
    const { verdicts } = await this.#instrument.tracer.setWanted(this.#trace.wanted());
    this.#trace.setVerdicts(verdicts);
  }

  #moduleLoaded(): void {
    const instrument = this.#instrument;
    if (!instrument || this.#trace.texts.length === 0) return;
    const work = this.#trace.refresh(this.#finder(instrument)).then(() => this.#applyWanted());
    work.catch((error: unknown) => {
      this.#services.log.warn('session', 'arming a new library failed', {
        session: this.facts.id,
        error: String(error),
      });
    });
  }

  #lostInstrument(why: string): void {
    const instrument = this.#instrument;
    this.#instrument = null;
    void instrument?.close(false).catch(() => undefined);
    if (!this.isLive || /process-terminated/.test(why)) return;
    this.#tracing = {
      kind: 'unavailable',
      code: 'HOST_LOST',
      message: `Tracing ended: ${why}.`,
      hint: 'The program runs on; launch it again to trace it.',
    };
    this.changes.notify();
  }

  async #untilTreeEnds(limitMs: number): Promise<boolean> {
    const until = monotonicMs() + limitMs;
    const never = new AbortController().signal;
    while (!this.#treeEnded) {
      const left = until - monotonicMs();
      if (left <= 0) return false;
      await this.changes.next(left, never);
    }
    return true;
  }

  /** The connection ended before the log said that the tree did: killed, or a full disk. */
  async #keeperGone(): Promise<void> {
    if (this.#keeper === null || this.#treeEnded) return;
    await this.#index?.settle().catch(() => undefined);
    if (this.#treeEnded || this.#finishing) return;
    this.#treeEnded = true;
    if (this.isLive) {
      this.#become({
        kind: 'failed',
        code: 'KEEPER_LOST',
        message: `The session's keeper ended unexpectedly; process ${this.#pid ?? '?'} may still run, unobserved.`,
        hint: 'What was captured until then can be queried.',
        at: this.now(),
      });
    }
    this.#finishing = this.#finish();
    this.changes.notify();
  }

  async #finish(): Promise<void> {
    await this.#instrument?.close(false).catch(() => undefined);
    this.#instrument = null;
    if (this.#state.kind === 'running' || this.#state.kind === 'starting') {
      this.#become({
        kind: 'failed',
        code: 'KEEPER_LOST',
        message: 'The program ended without an exit status.',
        hint: 'Launch it again.',
        at: this.now(),
      });
    }
    await this.#closeStore();
    await this.#keeper?.quit().catch(() => undefined);
    this.#keeper?.close();
    this.#keeper = null;
    this.#onState(this);
    this.changes.notify();
  }

  async #closeStore(): Promise<void> {
    const index = this.#index;
    if (!index) return;
    try {
      this.#lastSummary = (await index.settle(true)).summary;
    } finally {
      this.#index = null;
      await index.close();
      removeRings(this.facts.id);
    }
  }

  #become(state: SessionState): void {
    this.#state = state;
    this.#onState(this);
    this.changes.notify();
  }

  #endedError(): StrobeError {
    return new StrobeError(
      'SESSION_ENDED',
      `Session ${this.facts.id} has no running program any more.`,
    );
  }
}
