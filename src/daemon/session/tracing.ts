import { monotonicMs } from '../../base/clock.ts';
import { StrobeError, type ErrorCode } from '../../model/errors.ts';
import type { ModuleSummary } from '../../model/foundFunction.ts';
import { matchesModule, parsePattern } from '../../model/pattern.ts';
import type { HooksSummary, Tracing } from '../../model/session.ts';
import type { TraceReport } from '../../model/trace.ts';
import type { IndexClient } from './indexClient.ts';
import { Instrument } from './instrument.ts';
import { ownModules } from './modules.ts';
import type { SessionFacts, SessionParts } from './sessionFacts.ts';
import { patternText, TraceState, type FindFunctions, type PatternRequest } from './traceState.ts';

/** What tracing must know of the session it belongs to. */
export interface TracedTarget {
  /** Null when nothing runs any more. */
  running(): { readonly pid: number; readonly index: IndexClient; readonly atExec: boolean } | null;
  doing(what: string): void;
  changed(): void;
}

/** Everything about one session's hooks: patterns, symbols, and our presence in the target. */
export class SessionTracing {
  readonly #facts: SessionFacts;
  readonly #services: SessionParts;
  readonly #target: TracedTarget;
  readonly #trace = new TraceState();
  readonly #modules = new Map<string, ModuleSummary>();
  #instrument: Instrument | null = null;
  #installing: Promise<Instrument> | null = null;
  #state: Tracing = { kind: 'off', reason: 'no patterns were given' };

  constructor(facts: SessionFacts, services: SessionParts, target: TracedTarget) {
    this.#facts = facts;
    this.#services = services;
    this.#target = target;
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

  noteModule(summary: ModuleSummary): void {
    this.#modules.set(summary.path, summary);
  }

  cannotTrace(code: ErrorCode, message: string, hint: string): void {
    this.#state = { kind: 'unavailable', code, message, hint };
  }

  /** Adds and removes patterns and brings the hooks in line; answers what is true afterwards. */
  async change(request: {
    add: readonly PatternRequest[];
    remove: readonly string[];
    clear: boolean;
  }): Promise<TraceReport> {
    const began = monotonicMs();
    for (const pattern of request.add) parsePattern(patternText(pattern));
    const changes = request.add.length > 0 || request.remove.length > 0 || request.clear;
    if (changes && !this.#target.running()) throw this.#endedError();
    const removed: { pattern: string; unhooked: number; found: boolean }[] = [];
    for (const text of request.clear ? this.#trace.texts : request.remove) {
      const unhooked = this.#trace.remove(text);
      removed.push({ pattern: text, unhooked: unhooked ?? 0, found: unhooked !== null });
    }
    const warnings: string[] = [];
    if (request.add.length > 0) {
      const instrument = await this.#install();
      await this.#indexModules(instrument);
      await this.#trace.add(request.add, this.#finder(instrument));
    }
    await this.#applyWanted();
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
    await this.#instrument?.resume(pid);
  }

  /** `live`: the process runs on, so its code is restored first. */
  async close(live: boolean): Promise<void> {
    const instrument = this.#instrument;
    this.#instrument = null;
    await instrument?.close(live);
  }

  /** Puts agent and engine into the process, once. */
  async #install(): Promise<Instrument> {
    if (this.#instrument) return this.#instrument;
    if (this.#state.kind === 'unavailable') {
      throw new StrobeError(this.#state.code, this.#state.message, this.#state.hint);
    }
    this.#installing ??= this.#installNow();
    try {
      this.#instrument = await this.#installing;
      this.#state = { kind: 'armed' };
      return this.#instrument;
    } finally {
      this.#installing = null;
    }
  }

  async #installNow(): Promise<Instrument> {
    const running = this.#target.running();
    if (!running) throw this.#endedError();
    const { pid, index, atExec } = running;
    const host = await this.#services.hosts.take((doing) => this.#target.doing(doing));
    return Instrument.install(host, {
      pid,
      atExec,
      sessionId: this.#facts.id,
      agentSource: await this.#services.agentSource(),
      enginePath: this.#services.enginePath,
      slotCount: this.#facts.limits.ringSlots,
      ringBytes: this.#facts.limits.ringBytes,
      stringBytes: this.#services.stringBytes,
      loadAddressOf: (path) => this.#modules.get(path)?.loadAddress ?? null,
      onRing: (path) => index.addRing(path),
      announce: (functions) => index.defineFunctions(functions),
      onModuleLoaded: () => this.#moduleLoaded(),
      onLost: (why) => this.#lostInstrument(why),
    });
  }

  async #indexModules(instrument: Instrument): Promise<void> {
    const own = ownModules(instrument.modules.keys(), this.#facts.image, this.#facts.projectRoot);
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
          ? ownModules(loaded, this.#facts.image, this.#facts.projectRoot)
          : loaded.filter((path) => matchesModule(module, path));
      await Promise.all(paths.map((path) => this.#indexModule(path)));
      const found = await this.#services.symbols.find(paths, patternText(request), {
        projectRoot: this.#facts.projectRoot,
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
        session: this.#facts.id,
        error: String(error),
      });
    });
  }

  #lostInstrument(why: string): void {
    const instrument = this.#instrument;
    this.#instrument = null;
    void instrument?.close(false).catch(() => undefined);
    if (!this.#target.running() || /process-terminated/.test(why)) return;
    this.#state = {
      kind: 'unavailable',
      code: 'HOST_LOST',
      message: `Tracing ended: ${why}.`,
      hint: 'The program runs on; launch it again to trace it.',
    };
    this.#target.changed();
  }

  #endedError(): StrobeError {
    return new StrobeError(
      'SESSION_ENDED',
      `Session ${this.#facts.id} has no running program any more.`,
    );
  }
}
