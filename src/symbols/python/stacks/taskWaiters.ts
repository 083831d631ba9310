import type { RuntimeTasks } from '../../../model/endings/runtimeStacks.ts';
import type { Objects } from './objects.ts';
import type { ListedTask } from './taskList.ts';
import { readOr } from './unreadable.ts';

const MOST_WAITING = 32;
const MOST_CALLBACKS = 100;
/** `gather` in `shield` in `wait_for` in … */
const MOST_FUTURES = 20;
/** Of a task as of any future, behind its loop (FutureObj_HEAD). */
const future = { callback: 24, callbacks: 40 } as const;
/** Of a `functools.partial`, behind its function. */
const PARTIAL_ARGUMENTS = 24;
/** The only member of a cell. */
const CELL_CONTENT = 16;
const FIRST_ITEM = 0;

/**
 * The tasks that wait for a task, each for the one before it. A task that awaits another waits for it itself; who waits
 * by `gather`, `wait`, `shield`, `wait_for` or a TaskGroup waits for a future, to which what the task calls when it is
 * done leads: the closure of a function, arguments, or attributes of the object of a method.
 */
export class Awaiting {
  readonly #objects: Objects;
  readonly #byWaiter = new Map<number, ListedTask[]>();
  readonly #tasks: ReadonlySet<number>;

  constructor(objects: Objects, tasks: readonly ListedTask[]) {
    this.#objects = objects;
    this.#tasks = new Set(tasks.map(({ address }) => address));
    for (const task of tasks) {
      if (task.waiter === 0) continue;
      const known = this.#byWaiter.get(task.waiter);
      if (known) known.push(task);
      else this.#byWaiter.set(task.waiter, [task]);
    }
  }

  of(address: number): RuntimeTasks['awaiting'] {
    const found: RuntimeTasks['awaiting'][number][] = [];
    const seen = new Set([address]);
    for (let at = address; found.length < MOST_WAITING;) {
      const [first, ...others] = this.#waitingFor(at).filter((one) => !seen.has(one.address));
      if (!first) break;
      const { name, coroutine } = first;
      found.push({ address: first.address, name, coroutine, also: others.length });
      seen.add(first.address);
      at = first.address;
    }
    return found;
  }

  #waitingFor(task: number): readonly ListedTask[] {
    const direct = this.#byWaiter.get(task);
    if (direct) return direct;
    const futures = [task];
    for (let i = 0; i < futures.length && futures.length < MOST_FUTURES; i++) {
      for (const one of this.#called(futures[i] ?? 0).flatMap((call) => this.#ledTo(call))) {
        // A task is waited for by itself.
        if (futures.includes(one) || this.#tasks.has(one)) continue;
        const waiting = this.#byWaiter.get(one);
        if (waiting) return waiting;
        if (this.#isFuture(one)) futures.push(one);
      }
    }
    return [];
  }

  /** What is called when a future is done. */
  #called(object: number): number[] {
    return readOr([], () => {
      const first = this.#objects.pointer(object + future.callback);
      const list = this.#objects.pointer(object + future.callbacks);
      const isList = list !== 0 && this.#objects.typeName(list) === 'list';
      const { listItems, obSize } = this.#objects.layout;
      const more = isList
        ? this.#objects.pointers(
            this.#objects.pointer(list + listItems),
            Math.min(this.#objects.pointer(list + obSize), MOST_CALLBACKS),
          )
        : [];
      // Each with its context.
      const calls = more.map((pair) => this.#objects.tuple(pair)[FIRST_ITEM] ?? 0);
      return [first, ...calls].filter((call) => call !== 0);
    });
  }

  #ledTo(call: number): number[] {
    return readOr([], () => {
      switch (this.#objects.typeName(call)) {
        case 'function':
          return this.#closure(call);
        case 'functools.partial':
          return this.#objects.tuple(this.#objects.pointer(call + PARTIAL_ARGUMENTS));
        case 'method': {
          const bound = this.#objects.bound(call);
          return bound ? [...this.#objects.attributes(bound.to)].map(([, value]) => value) : [];
        }
        default:
          return [];
      }
    });
  }

  #closure(fn: number): number[] {
    const cells = this.#objects.tuple(this.#objects.pointer(fn + this.#objects.closurePlace));
    return cells.map((cell) => this.#objects.pointer(cell + CELL_CONTENT));
  }

  #isFuture(object: number): boolean {
    return readOr(false, () => {
      let type = object === 0 ? 0 : this.#objects.typeOf(object);
      for (let i = 0; type !== 0 && i < MOST_FUTURES; i++) {
        if (this.#objects.nameOfType(type) === '_asyncio.Future') return true;
        type = this.#objects.pointer(type + this.#objects.layout.tpBase);
      }
      return false;
    });
  }
}
