import { z } from 'zod';
import { within } from '../../../base/deadline.ts';
import type { Evaluated } from '../../../model/debug/evaluated.ts';
import type { StepKind, StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import { StrobeError } from '../../../model/errors.ts';
import { excerptOf } from '../../source/sourceExcerpt.ts';
import type { TracedSession } from '../../tracer.ts';
import type { DebugAdapter, StartedAdapter } from '../adapters/debugAdapter.ts';
import { DapError, DapLink } from './dapLink.ts';
import { DapStacks } from './dapStacks.ts';
import { DapValues } from './dapValues.ts';

/** A place where all threads are to stop. */
export interface DapPlace {
  readonly address: bigint;
  readonly condition: string | undefined;
}

/** Whether a place is there; `why`: why not, as the adapter says it. */
export interface PlacedAt {
  readonly id: number | null;
  readonly why: string | null;
}

/** What a process that an adapter holds tells. */
export interface DapOwner {
  readonly session: TracedSession;
  /** Why threads that were at these places stop; null: they are to run on. */
  causeAt(ids: readonly number[], tid: number): StopCause | null;
  stopped(thread: StoppedThread): void;
  warn(message: string, error: unknown): void;
  /** The adapter has ended, and nothing of ours asked for that. */
  ended(): void;
}

const capabilities = z.looseObject({ supportsInstructionBreakpoints: z.boolean().optional() });
const stop = z.looseObject({
  reason: z.string(),
  threadId: z.number().optional(),
  hitBreakpointIds: z.array(z.number()).optional(),
});
const strands = z.looseObject({
  threads: z.array(z.looseObject({ id: z.number(), name: z.string() })),
});
const placed = z.looseObject({
  breakpoints: z.array(
    z.looseObject({
      id: z.number().optional(),
      verified: z.boolean(),
      message: z.string().optional(),
    }),
  ),
});
const evaluation = z.looseObject({
  result: z.string(),
  type: z.string().optional(),
  variablesReference: z.number(),
  indexedVariables: z.number().optional(),
});

const attachMs = 20_000;
const mostTries = 10;
const pauseMs = 2000;
const leaveMs = 5000;
/** Strands whose stacks are read beside the one that stopped. */
const mostOthers = 32;
const commands = { over: 'next', into: 'stepIn', out: 'stepOut', instruction: 'next' } as const;

/** A process that a debug adapter holds: all its threads stand still, or all run. */
export class DapProcess {
  readonly pid: number;
  readonly #adapter: DebugAdapter;
  readonly #owner: DapOwner;
  readonly #started: StartedAdapter;
  readonly #link: DapLink;
  readonly #stacks: DapStacks;
  readonly #initialized: Promise<void>;
  #sayInitialized: () => void = () => undefined;
  /** The strand that stopped, with the adapter's numbers of its frames; null: all run. */
  #standing: { readonly tid: number; readonly ids: readonly number[] } | null = null;
  #awaited: (() => void)[] = [];
  isOver = false;

  private constructor(
    pid: number,
    adapter: DebugAdapter,
    owner: DapOwner,
    started: StartedAdapter,
  ) {
    this.pid = pid;
    this.#adapter = adapter;
    this.#owner = owner;
    this.#started = started;
    this.#initialized = new Promise((resolve) => (this.#sayInitialized = resolve));
    this.#link = new DapLink(started.input, started.output, (name, body) =>
      this.#event(name, body),
    );
    this.#stacks = new DapStacks(this.#link, adapter, owner.session);
    void this.#link.closed.then(() => this.#end());
  }

  /** Attaches; the process runs on. Throws CANNOT_DEBUG. */
  static async begin(pid: number, adapter: DebugAdapter, owner: DapOwner): Promise<DapProcess> {
    for (let tries = 1; ; tries++) {
      const process = new DapProcess(pid, adapter, owner, await adapter.start());
      try {
        await process.#attach();
        return process;
      } catch (error) {
        await process.close();
        const why = error instanceof Error ? error.message : String(error);
        if (adapter.isPassing(why) && tries < mostTries) continue;
        throw new StrobeError(
          'CANNOT_DEBUG',
          `${adapter.name} cannot hold process ${pid}: ${why}.`,
          'A process has one debugger at a time. Recording ("log", "capture") and tracing need none.',
        );
      }
    }
  }

  /** Has all threads stop at these places and no others. An outcome each, in their order. Throws DapError. */
  async setPlaces(places: readonly DapPlace[]): Promise<readonly PlacedAt[]> {
    const breakpoints = places.map(({ address, condition }) => ({
      instructionReference: `0x${address.toString(16)}`,
      ...(condition === undefined ? {} : { condition }),
    }));
    const answer = await this.#link.ask('setInstructionBreakpoints', { breakpoints }, placed);
    return places.map((_, at) => {
      const one = answer.breakpoints[at];
      const isThere = one?.verified === true && one.id !== undefined;
      return {
        id: isThere ? (one.id ?? null) : null,
        why: isThere ? null : (one?.message ?? 'it does not say why'),
      };
    });
  }

  /** All threads stand still afterwards; answers those whose stop was reported. */
  async pause(): Promise<readonly number[]> {
    if (this.#standing === null) {
      const stopped = new Promise<void>((resolve) => this.#awaited.push(resolve));
      await this.#asked('pause', { threadId: 0 });
      const late = (): Error => this.#cannot('it did not stop the program');
      await within(pauseMs, Promise.race([stopped, this.#link.closed]), late);
    }
    const first = this.#standing?.tid;
    return [...(first === undefined ? [] : [first]), ...(await this.#tellOthers(first))];
  }

  /** One strand stopped; with it all run on. */
  async go(tid: number): Promise<void> {
    if (this.#standing?.tid !== tid) return;
    this.#standing = null;
    await this.#asked('continue', { threadId: tid });
  }

  /** Throws NOT_STOPPED. */
  async step(tid: number, kind: StepKind): Promise<void> {
    this.#at(tid);
    this.#standing = null;
    const granularity = kind === 'instruction' ? { granularity: 'instruction' } : {};
    await this.#asked(commands[kind], { threadId: tid, ...granularity });
  }

  /** `elements`: of a container. Throws NOT_STOPPED. */
  async evaluate(
    tid: number,
    frame: number,
    expression: string,
    elements: number,
  ): Promise<Evaluated> {
    const frameId = this.#at(tid)[frame];
    if (frameId === undefined) return { why: `there is no frame ${frame}` };
    try {
      const args = { expression, frameId, context: 'watch' };
      const told = await this.#link.ask('evaluate', args, evaluation);
      const values = new DapValues(this.#link, this.#owner.session.limits.secretNames);
      const value = await values.value('', { ...told, value: told.result }, 3, elements);
      return { value, type: told.type ?? null, place: null, bytes: 0, scalar: null };
    } catch (error) {
      if (error instanceof DapError) return { why: error.message };
      throw error;
    }
  }

  /** How the strand that stopped stands now. Throws NOT_STOPPED. */
  async look(tid: number, cause: StopCause): Promise<StoppedThread> {
    this.#at(tid);
    const { frames, ids } = await this.#stacks.read(tid, true);
    this.#standing = { tid, ids };
    return this.#thread(tid, cause, frames);
  }

  /** The process runs on as it was. Never rejects. */
  async close(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    this.#standing = null;
    await this.#link
      .tell('disconnect', { terminateDebuggee: false, restart: false }, leaveMs)
      .catch((error: unknown) => this.#owner.warn('a debug adapter did not leave', error));
    await this.#started[Symbol.asyncDispose]();
  }

  async #attach(): Promise<void> {
    const can = await this.#link.ask(
      'initialize',
      {
        clientID: 'strobe',
        adapterID: this.#adapter.name,
        linesStartAt1: true,
        columnsStartAt1: true,
        pathFormat: 'path',
        supportsVariableType: true,
        supportsVariablePaging: true,
      },
      capabilities,
    );
    if (can.supportsInstructionBreakpoints !== true)
      throw new DapError('it has no breakpoints at addresses');
    const attached = this.#link.tell('attach', this.#adapter.attachTo(this.pid), attachMs);
    const late = (): Error => new DapError(`it was not ready within ${attachMs / 1000} s`);
    // Some answer when they have attached, others when all is configured.
    const isReady = Promise.race([this.#initialized, attached.then(async () => this.#initialized)]);
    await within(attachMs, isReady, late);
    // What a program raises is its own matter until a breakpoint asks for it.
    await this.#link.tell('setExceptionBreakpoints', { filters: [] });
    await this.#link.tell('configurationDone', {});
    await attached;
  }

  #event(name: string, body: unknown): void {
    if (name === 'initialized') this.#sayInitialized();
    if (name === 'terminated') void this.close();
    if (name !== 'stopped' || this.isOver) return;
    const told = stop.safeParse(body);
    if (!told.success) return;
    this.#stopped(told.data).catch((error: unknown) => {
      this.#owner.warn('a stop cannot be described', error);
    });
  }

  async #stopped({
    reason,
    threadId = 0,
    hitBreakpointIds = [],
  }: z.output<typeof stop>): Promise<void> {
    const tid = threadId > 0 ? threadId : await this.#first();
    this.#standing = { tid, ids: [] };
    const cause =
      hitBreakpointIds.length > 0
        ? this.#owner.causeAt(hitBreakpointIds, tid)
        : ({ kind: reason === 'step' ? 'step' : 'pause' } as const);
    if (cause === null) {
      await this.go(tid);
      return;
    }
    const thread = await this.look(tid, cause);
    this.#owner.stopped(thread);
    for (const resolve of this.#awaited.splice(0)) resolve();
  }

  /** Tells of the strands that stand still with one. */
  async #tellOthers(first: number | undefined): Promise<number[]> {
    const { threads } = await this.#link.ask('threads', {}, strands);
    const others = threads.map(({ id }) => id).filter((id) => id > 0 && id !== first);
    const told: number[] = [];
    for (const tid of others.slice(0, mostOthers)) {
      if (this.#standing?.tid !== first) break;
      const { frames } = await this.#stacks.read(tid, false);
      this.#owner.stopped(this.#thread(tid, { kind: 'pause' }, frames));
      told.push(tid);
    }
    return told;
  }

  async #first(): Promise<number> {
    const { threads } = await this.#link.ask('threads', {}, strands);
    return threads.find(({ id }) => id > 0)?.id ?? 1;
  }

  #thread(tid: number, cause: StopCause, frames: StoppedThread['frames']): StoppedThread {
    return {
      pid: this.pid,
      tid,
      name: this.#adapter.strand,
      cause,
      frames,
      problem: null,
      source: excerptOf(frames),
      registers: [],
      holdsAll: true,
    };
  }

  #at(tid: number): readonly number[] {
    if (this.#standing?.tid === tid) return this.#standing.ids;
    throw new StrobeError('NOT_STOPPED', `Thread ${tid} is not stopped.`);
  }

  async #asked(command: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      await this.#link.tell(command, args);
    } catch (error) {
      throw error instanceof DapError ? this.#cannot(error.message) : error;
    }
  }

  #cannot(why: string): StrobeError {
    return new StrobeError(
      'CANNOT_DEBUG',
      `${this.#adapter.name}: ${why}.`,
      'debug_session {"action":"status"} says whether the program runs.',
    );
  }

  #end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#standing = null;
    void this.#started[Symbol.asyncDispose]();
    this.#owner.ended();
  }
}
