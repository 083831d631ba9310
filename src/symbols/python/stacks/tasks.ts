import type { RuntimeTasks } from '../../../model/endings/runtimeStacks.ts';
import { sourceFrame } from '../../../model/endings/sourceFrame.ts';
import type { TasksAsked } from '../../stackReader.ts';
import { Awaiting } from './taskWaiters.ts';
import type { Objects } from './objects.ts';
import type { Frames, PythonFrame } from './pythonFrames.ts';
import { isHeldIn, type ReadThread } from './pythonLocks.ts';
import { TaskLister, type ListedTask } from './taskList.ts';
import { readOr } from './unreadable.ts';

/** A task whose frames are known, the newest first. */
type ReadTask = ListedTask & { readonly frames: readonly PythonFrame[] };

const MOST_DEPTH = 100;
/** Tasks among which the holder of a lock is looked for. */
const MOST_HOLDERS = 500;
/** What an awaitable object of C awaits: its first member. */
const FIRST_MEMBER = 16;
/** Objects through which a coroutine or an asynchronous generator is awaited. */
const wrappers: ReadonlySet<string> = new Set([
  'coroutine_wrapper',
  'async_generator_asend',
  'async_generator_athrow',
]);

interface AllTasks {
  readonly tasks: readonly ListedTask[];
  readonly framed: (task: ListedTask) => ReadTask;
}

/** What is asked of the tasks of one interpreter, and what it is read with. */
export interface TasksIn {
  readonly interpreter: number;
  /** Thread states, and those of them whose frames were read. */
  readonly states: readonly number[];
  readonly threads: readonly ReadThread[];
  readonly asked: TasksAsked;
  readonly projectRoot: string;
}

/** Tasks of one interpreter. */
export class Tasks {
  readonly #objects: Objects;
  readonly #frames: Frames;
  readonly #lister: TaskLister;

  constructor(objects: Objects, frames: Frames) {
    this.#objects = objects;
    this.#frames = frames;
    this.#lister = new TaskLister(objects, frames);
  }

  read({ interpreter, states, threads, asked, projectRoot }: TasksIn): RuntimeTasks {
    const { tasks, done, unread } = this.#lister.list(interpreter, states);
    const running = new Map(
      threads.flatMap(({ tid, frames }) => frames.map(({ address }) => [address, tid] as const)),
    );
    const tidOf = ({ coroutine }: ListedTask): number | undefined =>
      running.get(readOr(0, () => this.#frames.frameOf(coroutine)));
    const shown = tasks.slice(asked.from, asked.from + asked.most);
    const read = new Map<ListedTask, ReadTask>();
    const framed = (task: ListedTask): ReadTask => {
      const known = read.get(task) ?? { ...task, frames: this.#chain(task.coroutine) };
      read.set(task, known);
      return known;
    };
    const all = { tasks, framed };
    const { awaited } = asked;
    const awaitedTask =
      awaited === null
        ? undefined
        : tasks.find((task) =>
            'tid' in awaited ? tidOf(task) === awaited.tid : task.address === awaited.address,
          );
    return {
      heads: tasks.map(({ address, coroutine, name }) => ({ address, coroutine, name })),
      looks: shown.map((task) => {
        const one = framed(task);
        const tid = tidOf(task);
        const { address, coroutine, name } = task;
        const runs = one.frames.at(-1)?.name;
        return {
          head: { address, coroutine, name },
          name,
          ...(runs === undefined ? {} : { runs }),
          ...(tid === undefined ? {} : { tid }),
          waitsFor: tid === undefined ? (this.#waitOf(one, all) ?? 'its turn') : null,
          frames: one.frames.map((frame) => sourceFrame(frame, projectRoot)),
        };
      }),
      done,
      unread,
      awaiting: awaitedTask ? new Awaiting(this.#objects, tasks).of(awaitedTask.address) : [],
    };
  }

  /** In words; null where it waits for its turn. */
  #waitOf(task: ReadTask, all: AllTasks): string | null {
    if (task.waiter === 0) return null;
    const other = all.tasks.find(({ address }) => address === task.waiter);
    if (other !== undefined) return `task ${other.name}`;
    const [newest] = task.frames;
    if (newest === undefined || !newest.file.includes('/asyncio/'))
      return readOr('a future', () => this.#future(task.waiter));
    const holder = this.#lockHolder(newest, task, all);
    return holder === null ? this.#called(newest) : `a Lock that task ${holder} holds`;
  }

  /** `gather` waits for one that knows its members. */
  #future(object: number): string {
    const members = this.#objects.attribute(object, '_children');
    const count = members === 0 ? 0 : this.#objects.pointer(members + this.#objects.layout.obSize);
    return count === 0 ? 'a future' : `${count} awaitables of gather`;
  }

  /** Up to 3.10 a code object knows no class. */
  #called(frame: PythonFrame): string {
    const self = frame.name.includes('.') ? 0 : readOr(0, () => this.#self(frame));
    const owner = self === 0 ? '' : `${this.#objects.typeName(self)}.`;
    return `asyncio ${owner}${frame.name}`;
  }

  #lockHolder(frame: PythonFrame, task: ReadTask, all: AllTasks): string | null {
    if (!/^(?:Lock|Semaphore|Condition)?\.?acquire$/.test(frame.name)) return null;
    const lock = readOr(0, () => this.#self(frame));
    if (lock === 0) return null;
    const holder = all.tasks
      .slice(0, MOST_HOLDERS)
      .find(
        (one) =>
          one.address !== task.address &&
          all
            .framed(one)
            .frames.some((other) =>
              readOr(false, () => isHeldIn(this.#objects, this.#frames, other, lock, '__aexit__')),
            ),
      );
    return holder?.name ?? null;
  }

  #self(frame: PythonFrame): number {
    for (const [name, value] of this.#frames.locals(frame)) {
      if (this.#objects.text(name) === 'self') return value;
    }
    return 0;
  }

  /** The frame of a coroutine, and of what it awaits; newest first. */
  #chain(coroutine: number): PythonFrame[] {
    const frames: PythonFrame[] = [];
    for (let at = coroutine; at !== 0 && frames.length < MOST_DEPTH;) {
      const object = at;
      const frame = readOr(null, () => this.#frames.ofCoroutine(object));
      if (frame === null) break;
      frames.push(frame);
      at = readOr(0, () => this.#awaited(frame));
    }
    return frames.toReversed();
  }

  /** A suspended frame has what it awaits on top of its stack. */
  #awaited(frame: PythonFrame): number {
    // From 3.15 on what counts its steps may lie above it, and is none.
    const top =
      this.#frames
        .stackOf(frame)
        .slice(-2)
        .findLast((object) => object !== 0) ?? 0;
    if (top === 0) return 0;
    return wrappers.has(this.#objects.typeName(top))
      ? this.#objects.pointer(top + FIRST_MEMBER)
      : top;
  }
}
