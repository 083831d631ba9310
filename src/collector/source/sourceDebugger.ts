import { existsSync } from 'node:fs';
import type { Disassembly } from '../../model/debug/disassembly.ts';
import type { Evaluated, EvaluateRequest } from '../../model/debug/evaluated.ts';
import type { StepKind, StoppedThread } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ExceptionKind, ProbeReport } from '../../model/probes/probe.ts';
import { namesIn, type Expression } from '../../model/watches/expression.ts';
import { expressionText } from '../../model/watches/expressionText.ts';
import { readsSecret } from '../../model/watches/readsSecret.ts';
import type {
  DebugBackend,
  DebugSink,
  RanThere,
  StopCounts,
  WantedValue,
} from '../debug/debugger.ts';
import { noInstructions, noInstructionSteps } from '../debug/noInstructions.ts';
import type { TracedSession } from '../tracer.ts';
import type { WantedProbe } from '../wantedProbe.ts';
import type { CompiledWatch } from './sampledWatches.ts';
import type { ProbedLanguage, SourceProbes, SourcesNow } from './sourceProbes.ts';
import type { SourceProcess } from './sourceProcess.ts';
import { isRaise, raiseReport, raisesOf, type SourceRaise } from './sourceRaises.ts';
import type { StandingThread } from './standingThread.ts';

/** How threads of a language stand still. `C`: what an expression becomes. */
export interface StandingLanguage<C> {
  /** In a frame that stands still. */
  compile(expression: Expression): CompiledWatch<C>;
  /** A value as the language writes it. */
  literal(value: string | number | boolean): string;
}

/** The processes of the language in the session. */
interface StoppableProcesses {
  of(pid: number): StoppableProcess | null;
  all(): readonly StoppableProcess[];
}

/** A process whose threads can stand still. */
type StoppableProcess = Pick<SourceProcess<never>, 'pause' | 'setRaises'>;

/** What a language calls itself, and how its threads stop. */
interface StoppableLanguage<C> {
  readonly name: string;
  readonly standing: StandingLanguage<C>;
  readonly raised: ExceptionKind;
  readonly probed: Pick<ProbedLanguage<C>, 'means'>;
}

/** A thread that a step leads. */
interface Led {
  readonly pid: number;
  readonly tid: number;
}

const lookMs = 250;

/** Stops threads of programs whose functions are source text: each stands still in a call of ours and asks what to do. */
export class SourceDebugger<C> implements DebugBackend {
  readonly isInside = true;
  readonly runsCode = true;
  readonly #session: TracedSession;
  readonly #language: StoppableLanguage<C>;
  readonly #probes: SourceProbes<C>;
  readonly #processes: StoppableProcesses;
  readonly #sink: DebugSink;
  /** By thread. */
  readonly #standing = new Map<number, StandingThread<C>>();
  readonly #led = new Map<number, Led>();
  /** Stops by id of the breakpoint. */
  readonly #raised = new Map<string, number>();
  #own: readonly string[] = [];
  /** Exceptions at which threads are to stand still. */
  raises: readonly SourceRaise[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    session: TracedSession,
    language: StoppableLanguage<C>,
    probes: SourceProbes<C>,
    processes: StoppableProcesses,
    sink: DebugSink,
  ) {
    this.#session = session;
    this.#language = language;
    this.#probes = probes;
    this.#processes = processes;
    this.#sink = sink;
  }

  /** A thread has stopped. */
  came(thread: StandingThread<C>): void {
    const { tid, cause } = thread.stopped;
    if (cause.kind === 'breakpoint')
      for (const id of cause.ids) this.#raised.set(id, (this.#raised.get(id) ?? 0) + 1);
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
    const { name: language, raised, probed } = this.#language;
    const raises = probes.filter((probe) => isRaise(probe, raised));
    this.raises = raisesOf(raises);
    const all = this.#processes.all();
    await Promise.all(all.map(async (process) => process.setRaises(this.raises)));
    const isThere = all.length > 0;
    const { means } = probed;
    return [
      ...(await this.#probes.apply(probes, this.#now)),
      ...raises.map((probe) => raiseReport(probe, { language, isThere, means })),
    ];
  }

  /** Hits of those in lines are in the store, as those of logpoints. */
  counts(): Promise<ReadonlyMap<string, StopCounts>> {
    const counts = this.raises.map(({ key }) => {
      const hits = this.#raised.get(key) ?? 0;
      return [key, { hits, met: hits }] as const;
    });
    return Promise.resolve(new Map(counts));
  }

  holds(): boolean {
    return false;
  }

  adapterIn(): null {
    return null;
  }

  isFor(pid: number): boolean {
    return this.#processes.of(pid) !== null;
  }

  async pause(pid: number, tid?: number): Promise<readonly number[]> {
    const { name } = this.#language;
    const process = this.#processes.of(pid);
    if (!process)
      throw new StrobeError('CANNOT_DEBUG', `Process ${pid} runs no ${name} that is traced.`);
    return await process.pause(tid);
  }

  async go(tid: number): Promise<void> {
    const thread = this.#standing.get(tid);
    this.#standing.delete(tid);
    await thread?.go();
  }

  async step(tid: number, kind: StepKind): Promise<void> {
    if (kind === 'instruction' || kind === 'overInstruction')
      throw noInstructionSteps(this.#language.name);
    await this.#lead(this.#at(tid), kind);
  }

  async until(tid: number, target: WantedProbe, own: readonly string[]): Promise<void> {
    const thread = this.#at(tid);
    this.#own = own;
    const { match, statements } = await this.#probes.meant(target, this.#now);
    const [meant] = statements;
    if (!meant) throw new StrobeError('BAD_PARAMETER', match.why ?? 'There is no such place.');
    await this.#lead(thread, { file: meant.file, line: meant.statement.line });
  }

  async taskFrames(tid: number, task: TaskHead): Promise<readonly StackFrame[]> {
    return (await this.#at(tid).taskFrames?.(task)) ?? [];
  }

  async evaluate(tid: number, { frame, task, expression }: EvaluateRequest): Promise<Evaluated> {
    const thread = this.#at(tid);
    const { secretNames } = this.#session.limits;
    const isWhole = expression.kind === 'name' || expression.kind === 'member';
    const secret = readsSecret(expression, secretNames, isWhole);
    if (secret !== null) return { why: secret };
    const { frames } = thread.stopped;
    if (task === undefined && frame >= frames.length)
      return { why: `there is no frame ${frame}: there are ${frames.length}` };
    if (task === undefined && frames[frame]?.isAwaiting) return { why: awaits(frame) };
    const compiled = this.#language.standing.compile(expression);
    if ('why' in compiled) return compiled;
    const value = await thread.evaluate(frame, compiled.code, task);
    if (value === null)
      return {
        why: unknown(expression, task === undefined ? (frames[frame]?.variables ?? []) : []),
      };
    const isPlace = task === undefined && (isWhole || expression.kind === 'index');
    const place = isPlace ? ({ kind: 'named' } as const) : null;
    return { value, type: null, place, bytes: 0, scalar: null };
  }

  read(): Uint8Array {
    throw new StrobeError('BAD_EXPRESSION', this.#noMemory);
  }

  write(): Promise<StoppedThread> {
    throw new StrobeError('BAD_EXPRESSION', this.#noMemory);
  }

  async assign(tid: number, { frame, to, value }: WantedValue): Promise<StoppedThread> {
    const text = `${to} = ${this.#language.standing.literal(value)}`;
    const { ran, thread } = await this.run(tid, frame, text);
    if (ran.kind === 'raised') throw new StrobeError('BAD_EXPRESSION', `It raised ${ran.text}.`);
    if (ran.kind === 'done' && ran.lost.length > 0)
      throw new StrobeError('BAD_EXPRESSION', `Its frame has no variable ${ran.lost.join(', ')}.`);
    return thread;
  }

  async run(tid: number, frame: number, text: string): Promise<RanThere> {
    const thread = this.#at(tid);
    const { frames, cause } = thread.stopped;
    if (cause.kind === 'pause' && cause.isWaiting === true)
      throw new StrobeError(
        'BAD_EXPRESSION',
        'The thread was paused inside a call of native code, in which it can run nothing.',
        'Step it out first: debug_continue {"action": "over"}.',
      );
    if (frame >= frames.length)
      throw new StrobeError(
        'BAD_PARAMETER',
        `There is no frame ${frame}: there are ${frames.length}.`,
      );
    if (frames[frame]?.isAwaiting) throw new StrobeError('BAD_EXPRESSION', `${awaits(frame)}.`);
    const ran = await thread.run(frame, text);
    return { ran, thread: await thread.look() };
  }

  setRegister(): Promise<StoppedThread> {
    throw new StrobeError('BAD_PARAMETER', `${this.#language.name} has no registers.`);
  }

  memory(): null {
    return null;
  }

  disassemble(): Promise<Disassembly> {
    throw noInstructions(this.#language.name);
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

  get #noMemory(): string {
    const { name } = this.#language;
    return `Values of ${name} have no address to read bytes from: read and write its variables, members and elements without "bytes".`;
  }
}

/** Why an expression has no value that can be read, as a clause. */
function unknown(expression: Expression, variables: StackFrame['variables']): string {
  const names = variables.map(({ name }) => name);
  const there = names.length === 0 ? '' : `; its frame has ${names.join(', ')}`;
  const missing = [...namesIn(expression)].find((name) => !names.includes(name));
  if (expression.kind === 'name')
    return `neither its frame nor its module has a variable ${expression.name}${there}`;
  if (missing === undefined && expression.kind === 'member')
    return `${expressionText(expression.of)} has no ${expression.field} that is read without running code of the program`;
  return `it is not known without running code of the program${there}`;
}

function awaits(frame: number): string {
  return `frame ${frame} awaits the one before it: its variables can be read when it runs again`;
}
