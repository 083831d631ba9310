import type { Frames, PythonFrame } from './pythonFrames.ts';
import { isHeldIn } from './pythonLocks.ts';
import { moduleVariable } from './modules.ts';
import type { Objects } from './objects.ts';
import { readOr, Unreadable } from './unreadable.ts';

/** A task of asyncio that has not ended. */
export interface ReadTask {
  readonly name: string;
  /** Newest first. */
  readonly frames: readonly PythonFrame[];
  /** The future it waits for, or 0. */
  readonly waiter: number;
  readonly object: number;
}

const MOST_TASKS = 500;
const MOST_DEPTH = 100;
/** Words of a task in which its coroutine is looked for, behind its head. */
const TASK_WORDS = 40;
const WORD = 8;
/** What an awaitable object of C awaits: its first member. */
const FIRST_MEMBER = 16;
const coroutines: ReadonlySet<string> = new Set(['coroutine', 'generator', 'async_generator']);
/** Objects through which a coroutine or an asynchronous generator is awaited. */
const wrappers: ReadonlySet<string> = new Set([
  'coroutine_wrapper',
  'async_generator_asend',
  'async_generator_athrow',
]);

/** Tasks of one interpreter. */
export class Tasks {
  readonly #objects: Objects;
  readonly #frames: Frames;

  constructor(objects: Objects, frames: Frames) {
    this.#objects = objects;
    this.#frames = frames;
  }

  all(interpreter: number, threads: readonly number[]): ReadTask[] {
    const found = new Set([...this.#ofSets(interpreter), ...this.#ofLists(interpreter, threads)]);
    return [...found]
      .slice(0, MOST_TASKS)
      .flatMap((object) => readOr(null, () => this.#task(object)) ?? []);
  }

  /** In words; null where it waits for its turn. */
  waitOf(task: ReadTask, all: readonly ReadTask[]): string | null {
    if (task.waiter === 0) return null;
    const other = all.find(({ object }) => object === task.waiter);
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

  #lockHolder(frame: PythonFrame, task: ReadTask, all: readonly ReadTask[]): string | null {
    if (!/^(?:Lock|Semaphore|Condition)?\.?acquire$/.test(frame.name)) return null;
    const lock = readOr(0, () => this.#self(frame));
    if (lock === 0) return null;
    const holder = all.find(
      (one) =>
        one !== task &&
        one.frames.some((other) =>
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

  /** Up to 3.13: weak references in a WeakSet of the module. */
  #ofSets(interpreter: number): number[] {
    return ['_all_tasks', '_scheduled_tasks'].flatMap((name) => {
      const set = moduleVariable(this.#objects, interpreter, 'asyncio.tasks', name);
      if (set === 0) return [];
      return readOr([], () =>
        this.#objects
          .members(this.#objects.attribute(set, 'data'))
          .map((reference) => readOr(0, () => this.#referred(reference)))
          .filter((task) => task !== 0),
      );
    });
  }

  /** Removed members leave a marker behind. */
  #referred(reference: number): number {
    const isReference = /weakref|KeyedRef/i.test(this.#objects.typeName(reference));
    return isReference ? this.#objects.pointer(reference + FIRST_MEMBER) : 0;
  }

  /** From 3.14 on: lists of a thread, and of an interpreter for threads that have ended. */
  #ofLists(interpreter: number, threads: readonly number[]): number[] {
    const { interpreterTasks, threadTasks } = this.#objects.layout;
    if (interpreterTasks < 0) return [];
    const heads = [interpreter + interpreterTasks, ...threads.map((one) => one + threadTasks)];
    return heads.flatMap((head) => readOr([], () => this.#ofList(head)));
  }

  #ofList(head: number): number[] {
    const found: number[] = [];
    for (
      let node = this.#objects.pointer(head);
      node !== head && node !== 0 && found.length < MOST_TASKS;
      node = this.#objects.pointer(node)
    )
      found.push(this.#holderOf(node));
    return found;
  }

  /** The task that a node of its list lies in. */
  #holderOf(node: number): number {
    for (let words = 2; words <= TASK_WORDS; words++) {
      const object = node - words * WORD;
      if (readOr('', () => this.#objects.typeName(object)) === '_asyncio.Task') return object;
    }
    throw new Unreadable();
  }

  /** Its members `task_fut_waiter`, `task_coro` and `task_name` lie side by side in every version. */
  #task(object: number): ReadTask | null {
    const words = this.#objects.pointers(object, TASK_WORDS);
    const at = words.findIndex(
      (word, i) =>
        i > 2 && word !== 0 && coroutines.has(readOr('', () => this.#objects.typeName(word))),
    );
    if (at < 0) return null;
    const [waiter = 0, coroutine = 0, name = 0] = words.slice(at - 1, at + 2);
    const number = readOr(null, () => this.#objects.integer(name));
    return {
      object,
      waiter,
      name: number === null ? readOr('?', () => this.#objects.text(name)) : `Task-${number}`,
      frames: this.#chain(coroutine),
    };
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
