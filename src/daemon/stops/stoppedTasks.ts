import { mappingsOf } from '../../collector/look/lookAt.ts';
import type { StopView } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { RuntimeTasks, TaskLook } from '../../model/endings/runtimeStacks.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';
import type { ProcessLook } from '../../model/endings/threadLook.ts';
import type { Mapping } from '../../model/endings/snapshot.ts';
import { StrobeError } from '../../model/errors.ts';
import { threadsOf } from '../../base/proc.ts';
import type { TasksAsked } from '../../symbols/stackReader.ts';
import { runtimeStacks } from '../postMortem/readStacks.ts';
import type { StackFacts, StackParts } from '../postMortem/explainSnapshot.ts';
import { lookAtProcess } from '../postMortem/inspectThreads.ts';
import type { Stop } from './heldStop.ts';
import { TaskIds } from './taskIds.ts';

/** A stack with the tasks that wait for what runs on it. */
export interface WholeStack {
  /** Newest first; those of the thread first. */
  readonly frames: readonly StackFrame[];
  readonly problem: string | null;
}

/** Some tasks of a process in which a thread stands. */
export interface TaskPage {
  readonly looks: readonly TaskLook[];
  /** Others that have not ended. */
  readonly more: number;
}

const noTasks: TasksAsked = { from: 0, most: 0, awaited: null };

/** The tasks of event loops in processes in which a thread stands: read from outside, their variables by the thread. */
export class StoppedTasks {
  readonly #ids = new TaskIds();
  readonly #facts: Pick<StackFacts, 'image' | 'projectRoot'>;
  readonly #stacks: StackParts;
  /** A stop that is held. Throws STALE_STOP. */
  readonly #held: (id: string) => Pick<Stop, 'by' | 'thread'>;

  constructor(
    facts: Pick<StackFacts, 'image' | 'projectRoot'>,
    stacks: StackParts,
    held: (id: string) => Pick<Stop, 'by' | 'thread'>,
  ) {
    this.#facts = facts;
    this.#stacks = stacks;
    this.#held = held;
  }

  /** What the threads and tasks of a process do now, whether they stand or run; null when it cannot be looked at. */
  async look(pid: number): Promise<ProcessLook | null> {
    return await lookAtProcess(pid, this.#facts, this.#stacks, this.#ids);
  }

  /** Those from a number on, in an order that stays. */
  page(pid: number, from: number, most: number): TaskPage {
    const { looks, heads, unread } = this.#read(pid, { from, most, awaited: null });
    return { looks, more: heads.length + unread - looks.length };
  }

  /** The stack of a stop with the tasks that wait for the one that runs on its thread. */
  async whole({ id, left, thread }: StopView): Promise<WholeStack> {
    const { frames, problem } = thread;
    if (left !== null) return { frames, problem };
    const { awaiting } = this.#read(thread.pid, { ...noTasks, awaited: { tid: thread.tid } });
    return { frames: [...frames, ...(await this.#framesOf(id, awaiting))], problem };
  }

  /** The stack of a task: of one that has its turn now that of its thread. Throws NOT_STOPPED, STALE_STOP. */
  async stack(stop: StopView, id: string): Promise<WholeStack> {
    if (stop.left !== null) throw notThere(id, 'its stop was left, and its loop runs on');
    const { pid } = stop.thread;
    const head = this.head(pid, id);
    const look = this.#look(pid, id);
    if (look?.tid === stop.thread.tid) return await this.whole(stop);
    if (look?.tid !== undefined)
      throw notThere(id, `it has its turn on thread ${look.tid}, which runs`);
    const own = await this.#own(stop.id, head, look?.frames ?? []);
    const { awaiting } = this.#read(pid, { ...noTasks, awaited: { address: head.address } });
    return { frames: [...own, ...(await this.#framesOf(stop.id, awaiting))], problem: null };
  }

  /** A task by its name. Throws NOT_STOPPED. */
  head(pid: number, id: string): TaskHead {
    const head = this.#find(pid, id);
    if (head) return head;
    throw notThere(id, 'it has ended, or there never was one of this name');
  }

  has(pid: number, id: string): boolean {
    return this.#find(pid, id) !== undefined;
  }

  #find(pid: number, id: string): TaskHead | undefined {
    return this.#read(pid, noTasks).heads.find((one) => this.#ids.of(pid, one) === id);
  }

  /** Whether a task has its turn on the thread of a stop. */
  runsOn({ thread }: StopView, id: string): boolean {
    return this.#look(thread.pid, id)?.tid === thread.tid;
  }

  /** The thread of a stop, on which a task has its turn. Throws NOT_STOPPED: it is suspended, or runs elsewhere. */
  threadOf({ thread }: StopView, id: string): number {
    const { pid, tid } = thread;
    const look = this.#look(pid, id);
    if (look?.tid === tid) return tid;
    throw new StrobeError(
      'NOT_STOPPED',
      look?.tid === undefined
        ? `${id} is suspended: it waits for ${look?.waitsFor ?? 'its turn'}, and only its loop lets it run.`
        : `${id} has its turn on thread ${look.tid}, which runs.`,
      `Step or continue thread ${tid}; a breakpoint in the line after its wait stops it there.`,
    );
  }

  #look(pid: number, id: string): TaskLook | undefined {
    const { address } = this.head(pid, id);
    const from = this.#read(pid, noTasks).heads.findIndex((one) => one.address === address);
    return this.#read(pid, { from, most: 1, awaited: null }).looks[0];
  }

  async #framesOf(stop: string, waiting: RuntimeTasks['awaiting']): Promise<StackFrame[]> {
    const all = await Promise.all(
      waiting.map(async (head) => {
        const frames = await this.#own(stop, head, []);
        return frames.map((frame) => ({ ...frame, isAwaiting: true as const }));
      }),
    );
    return all.flat();
  }

  /** Frames of a suspended task with variables; as they were read from outside where no thread of its language stands. */
  async #own(
    stop: string,
    head: TaskHead,
    otherwise: readonly StackFrame[],
  ): Promise<readonly StackFrame[]> {
    const { by, thread } = this.#held(stop);
    const id = this.#ids.of(thread.pid, head) ?? head.name;
    const found = (await by.taskFrames?.(thread.tid, head)) ?? [];
    const frames = found.length > 0 ? found : otherwise;
    return frames.map((frame, i) => ({ ...frame, task: { id, head, frame: i } }));
  }

  #read(pid: number, asked: TasksAsked): RuntimeTasks {
    const threads = threadsOf(pid).map((tid) => ({ tid, futex: null }));
    const read = runtimeStacks(
      { pid, mappings: mappingsNow(pid), threads },
      this.#facts,
      this.#stacks.readers,
      asked,
    );
    const [tasks] = read.map((one) => one.tasks);
    if (!tasks) return { heads: [], looks: [], done: 0, unread: 0, awaiting: [] };
    this.#ids.take(pid, tasks.heads);
    const looks = tasks.looks.map((look) => this.#ids.named(pid, look));
    return { ...tasks, looks };
  }
}

function mappingsNow(pid: number): readonly Mapping[] {
  try {
    return mappingsOf(pid);
  } catch {
    return []; // It has just ended, or may not be looked at.
  }
}

function notThere(id: string, why: string): StrobeError {
  return new StrobeError(
    'NOT_STOPPED',
    `The stack of ${id} is not there: ${why}.`,
    'debug_inspect {"view": "threads"} lists the tasks.',
  );
}

/** With the stop that holds each thread which stands still because of one. */
export function withStops(look: ProcessLook | null, held: readonly StopView[]): ProcessLook | null {
  if (look === null) return null;
  const stopOf = new Map(
    held.flatMap(({ id, thread, others }) => [thread, ...others].map(({ tid }) => [tid, id])),
  );
  const threads = look.threads.map((one) => {
    const id = stopOf.get(one.tid);
    return id === undefined
      ? one
      : { ...one, heldBy: `stop ${id}`, waitsFor: null, isRunning: false };
  });
  return { ...look, threads };
}
