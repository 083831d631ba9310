import { existsSync } from 'node:fs';
import type { Disassembly } from '../../model/debug/disassembly.ts';
import type { Evaluated, EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { StepKind, StoppedThread } from '../../model/debug/stop.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ProbeReport } from '../../model/probes/probe.ts';
import type { Expression } from '../../model/watches/expression.ts';
import { readsSecret } from '../../model/watches/readsSecret.ts';
import type { DebugBackend, DebugSink, StopCounts } from '../debug/debugger.ts';
import type { TracedSession } from '../tracer.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import type { CompiledWatch } from './sampledWatches.ts';
import type { SourceProbes, SourcesNow } from './sourceProbes.ts';
import type { StandingThread } from './standingThread.ts';

/** How threads of a language stand still. `C`: what an expression becomes. */
export interface StandingLanguage<C> {
  /** In a frame that stands still. */
  compile(expression: Expression): CompiledWatch<C>;
}

/** A thread that a step leads. */
interface Led {
  readonly pid: number;
  readonly tid: number;
}

const lookMs = 250;

/** Stops threads of programs whose functions are source text: each stands still in a call of ours and asks what to do. */
export class SourceDebugger<C> implements DebugBackend {
  readonly #session: TracedSession;
  readonly #name: string;
  readonly #language: StandingLanguage<C>;
  readonly #probes: SourceProbes<C>;
  readonly #sink: DebugSink;
  /** By thread. */
  readonly #standing = new Map<number, StandingThread<C>>();
  readonly #led = new Map<number, Led>();
  #own: readonly string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    session: TracedSession,
    { name, standing }: { readonly name: string; readonly standing: StandingLanguage<C> },
    probes: SourceProbes<C>,
    sink: DebugSink,
  ) {
    this.#session = session;
    this.#name = name;
    this.#language = standing;
    this.#probes = probes;
    this.#sink = sink;
  }

  /** A thread has stopped. */
  came(thread: StandingThread<C>): void {
    const { tid } = thread.stopped;
    this.#standing.set(tid, thread);
    this.#led.delete(tid);
    void thread.closed.then(() => {
      if (this.#standing.get(tid) === thread) this.#lost(tid);
    });
    this.#sink.stopped(thread.stopped, this);
  }

  /** Nothing of ours is in a process any more: its threads run on. */
  left(pid: number): void {
    const all = [...this.#standing.values()].filter(({ stopped }) => stopped.pid === pid);
    for (const thread of all) {
      this.#standing.delete(thread.stopped.tid);
      void thread.go();
    }
    if (all.length > 0) this.#sink.left(pid, 'killed');
  }

  async apply(
    probes: readonly WantedProbe[],
    { own }: { readonly own: readonly string[] },
  ): Promise<readonly ProbeReport[]> {
    this.#own = own;
    const able = probes.filter(({ request }) => request.stop === 'thread');
    const reports = await this.#probes.apply(able, this.#now);
    return reports;
  }

  /** Their hits are in the store, as those of logpoints. */
  counts(): Promise<ReadonlyMap<string, StopCounts>> {
    return Promise.resolve(new Map());
  }

  pause(): Promise<readonly number[]> {
    throw new StrobeError('CANNOT_DEBUG', this.#cannot('be paused'));
  }

  async go(tid: number): Promise<void> {
    const thread = this.#standing.get(tid);
    this.#standing.delete(tid);
    await thread?.go();
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    if (kind === 'instruction')
      throw new StrobeError('BAD_PARAMETER', `${this.#name} has no instructions to step.`);
    await this.#lead(this.#at(tid), kind);
  }

  async until(tid: number, target: WantedProbe): Promise<void> {
    const thread = this.#at(tid);
    const { match, statements } = await this.#probes.meant(target, this.#now);
    const [meant] = statements;
    if (!meant) throw new StrobeError('BAD_PARAMETER', match.why ?? 'There is no such place.');
    await this.#lead(thread, { file: meant.file, line: meant.statement.line });
  }

  async evaluate(tid: number, { frame, expression }: EvaluateRequest): Promise<Evaluated> {
    const thread = this.#at(tid);
    const { secretNames } = this.#session.limits;
    const isWhole = expression.kind === 'name' || expression.kind === 'member';
    const secret = readsSecret(expression, secretNames, isWhole);
    if (secret !== null) return { why: secret };
    if (frame >= thread.stopped.frames.length)
      return { why: `there is no frame ${frame}: there are ${thread.stopped.frames.length}` };
    const compiled = this.#language.compile(expression);
    if ('why' in compiled) return compiled;
    const value = await thread.evaluate(frame, compiled.code);
    if (value === null) return { why: this.#unknown(thread, frame) };
    return { value, type: null, place: null, bytes: 0, scalar: null };
  }

  read(): Uint8Array {
    throw new StrobeError('BAD_PARAMETER', this.#cannot('be read as bytes'));
  }

  write(): Promise<StoppedThread> {
    throw new StrobeError('BAD_PARAMETER', this.#cannot('be set'));
  }

  setRegister(): Promise<StoppedThread> {
    throw new StrobeError('BAD_PARAMETER', `${this.#name} has no registers.`);
  }

  memory(): null {
    return null;
  }

  disassemble(): Promise<Disassembly> {
    throw new StrobeError('BAD_PARAMETER', `${this.#name} has no machine instructions.`);
  }

  doubt(tid: number): string | null {
    return this.#standing.has(tid) ? null : 'its connection has ended';
  }

  async close(): Promise<void> {
    const all = [...this.#standing.values()];
    this.#standing.clear();
    this.#led.clear();
    this.#look();
    await Promise.all(all.map(async (thread) => thread.go()));
  }

  /** What its breakpoints are looked for in; those that stop are never at returns. */
  get #now(): SourcesNow {
    return { own: this.#own, hooked: new Set(), functions: () => Promise.resolve([]) };
  }

  #at(tid: number): StandingThread<C> {
    const thread = this.#standing.get(tid);
    if (!thread) throw new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
    return thread;
  }

  async #lead(thread: StandingThread<C>, to: Parameters<StandingThread<C>['step']>[0]) {
    const { pid, tid } = thread.stopped;
    this.#standing.delete(tid);
    this.#led.set(tid, { pid, tid });
    this.#look();
    await thread.step(to);
  }

  #lost(tid: number): void {
    this.#standing.delete(tid);
    this.#sink.gone(tid);
  }

  /** Of a thread that ends in a step nothing else tells. */
  #look(): void {
    if (this.#led.size === 0 && this.#timer) {
      clearInterval(this.#timer);
      this.#timer = null;
    } else if (this.#led.size > 0) {
      this.#timer ??= setInterval(() => this.#lookAtLed(), lookMs).unref();
    }
  }

  #lookAtLed(): void {
    for (const { pid, tid } of this.#led.values()) {
      if (existsSync(`/proc/${pid}/task/${tid}`)) continue;
      this.#led.delete(tid);
      this.#sink.gone(tid);
    }
    this.#look();
  }

  #unknown({ stopped }: StandingThread<C>, frame: number): string {
    const names = (stopped.frames[frame]?.variables ?? []).map(({ name }) => name);
    const there = names.length === 0 ? '' : `; its frame has ${names.join(', ')}`;
    return `it is not known without running code of the program${there}`;
  }

  #cannot(what: string): string {
    return `Values and threads of ${this.#name} cannot ${what}.`;
  }
}
