import type { TaskHead } from '../../../model/endings/taskHead.ts';
import { moduleVariable } from './modules.ts';
import type { Objects } from './objects.ts';
import type { Frames } from './pythonFrames.ts';
import { readOr, Unreadable } from './unreadable.ts';

/** A task of asyncio. */
export interface ListedTask extends TaskHead {
  /** The future it waits for, or 0. */
  readonly waiter: number;
}

export interface TaskList {
  /** Those that have not ended. */
  readonly tasks: readonly ListedTask[];
  readonly done: number;
  /** Found, and not read. */
  readonly unread: number;
}

const MOST_TASKS = 10_000;
/** A table has several places for each of its members. */
const MOST_PLACES = 1 << 17;
/** Words of a task in which its coroutine is looked for, behind its head. */
const TASK_WORDS = 40;
const MOST_BASES = 20;
const WORD = 8;
/** Of a weak reference: what it refers to. */
const FIRST_MEMBER = 16;
const CLASS = '_asyncio.Task';
const collator = new Intl.Collator('en', { numeric: true });

/** Finds the tasks of one interpreter, which asyncio itself keeps: no code of the program is asked. */
export class TaskLister {
  readonly #objects: Objects;
  readonly #frames: Frames;
  readonly #isTask = new Map<number, boolean>();
  /** Which word of a task is its coroutine: the same in all. */
  #at = -1;

  constructor(objects: Objects, frames: Frames) {
    this.#objects = objects;
    this.#frames = frames;
  }

  list(interpreter: number, threads: readonly number[]): TaskList {
    const all = [
      ...new Set([...this.#ofSets(interpreter), ...this.#ofLists(interpreter, threads)]),
    ];
    const tasks: ListedTask[] = [];
    let done = 0;
    let unread = Math.max(0, all.length - MOST_TASKS);
    for (const address of all.slice(0, MOST_TASKS)) {
      const task = readOr(null, () => this.#read(address));
      if (task === 'done') done++;
      else if (task === null) unread++;
      else tasks.push(task);
    }
    return { tasks: tasks.toSorted((a, b) => collator.compare(a.name, b.name)), done, unread };
  }

  /** Whether an object is a task that asyncio's own code in C made; false where it cannot be read. */
  isTask(object: number): boolean {
    return readOr(false, () => {
      const type = this.#objects.typeOf(object);
      const known = this.#isTask.get(type);
      if (known !== undefined) return known;
      const found = this.#derives(type);
      this.#isTask.set(type, found);
      return found;
    });
  }

  #derives(type: number): boolean {
    let at = type;
    for (let i = 0; at !== 0 && i < MOST_BASES; i++) {
      if (this.#objects.nameOfType(at) === CLASS) return true;
      at = this.#objects.pointer(at + this.#objects.layout.tpBase);
    }
    return false;
  }

  /** Its members `task_fut_waiter`, `task_coro` and `task_name` lie side by side in every version. */
  #read(address: number): ListedTask | 'done' | null {
    if (!this.isTask(address)) return null;
    const words = this.#objects.pointers(address, TASK_WORDS);
    if (this.#at < 0) this.#at = words.findIndex((_, i) => i > 2 && this.#isCoroutine(words, i));
    if (this.#at < 0) return null;
    const [waiter = 0, coroutine = 0, name = 0] = words.slice(this.#at - 1, this.#at + 2);
    if (this.#frames.isCoroutine(coroutine) && this.#frames.frameOf(coroutine) === 0) return 'done';
    return { address, coroutine, waiter, name: this.#name(name) };
  }

  #isCoroutine(words: readonly number[], at: number): boolean {
    const [object = 0, name = 0] = words.slice(at, at + 2);
    return (
      object !== 0 &&
      readOr(false, () => this.#frames.isCoroutine(object)) &&
      readOr('', () => this.#name(name)) !== '?'
    );
  }

  /** Up to 3.11 a text; later a number until it is asked for. */
  #name(name: number): string {
    const number = readOr(null, () => this.#objects.integer(name));
    return number === null ? readOr('?', () => this.#objects.text(name)) : `Task-${number}`;
  }

  /** Up to 3.13: weak references in a WeakSet of the module; those that begin eagerly in a set. */
  #ofSets(interpreter: number): number[] {
    return ['_all_tasks', '_scheduled_tasks', '_eager_tasks'].flatMap((name) => {
      const set = moduleVariable(this.#objects, interpreter, 'asyncio.tasks', name);
      if (set === 0) return [];
      return readOr([], () => {
        const data = this.#objects.attribute(set, 'data') || set;
        if (this.#objects.typeName(data) !== 'set') return [];
        return this.#objects
          .members(data, MOST_PLACES)
          .map((member) => readOr(0, () => this.#referred(member)))
          .filter((task) => task !== 0);
      });
    });
  }

  /** Removed members leave a marker behind. */
  #referred(member: number): number {
    const isReference = /weakref|KeyedRef/i.test(this.#objects.typeName(member));
    if (isReference) return this.#objects.pointer(member + FIRST_MEMBER);
    return this.isTask(member) ? member : 0;
  }

  /** From 3.14 on: lists of a thread, and of an interpreter for threads that have ended. */
  #ofLists(interpreter: number, threads: readonly number[]): number[] {
    const { interpreterTasks, threadTasks } = this.#objects.layout;
    if (interpreterTasks < 0) return [];
    const heads = [interpreter + interpreterTasks, ...threads.map((one) => one + threadTasks)];
    return heads.flatMap((head) => this.#ofList(head));
  }

  #ofList(head: number): number[] {
    const found: number[] = [];
    readOr(null, () => {
      for (
        let node = this.#objects.pointer(head);
        node !== head && node !== 0 && found.length <= MOST_TASKS;
        node = this.#objects.pointer(node)
      )
        found.push(this.#holderOf(node));
      return null;
    });
    return found;
  }

  /** The task that a node of its list is part of. */
  #holderOf(node: number): number {
    for (let words = 2; words <= TASK_WORDS; words++) {
      const object = node - words * WORD;
      if (this.isTask(object)) return object;
    }
    throw new Unreadable();
  }
}
