import type { TaskLook } from '../../model/endings/runtimeStacks.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';

/** Names that tasks of event loops keep over the stops of a session: `task3`. */
export class TaskIds {
  /** By process, then by what tells a task from others. */
  readonly #known = new Map<number, ReadonlyMap<string, string>>();
  #next = 1;

  /** These are all that live in a process now: those that were named keep their names, and what has ended is forgotten. */
  take(pid: number, heads: readonly TaskHead[]): void {
    const before = this.#known.get(pid);
    const now = heads.map((head) => {
      const key = keyOf(head);
      return [key, before?.get(key) ?? `task${this.#next++}`] as const;
    });
    this.#known.set(pid, new Map(now));
  }

  of(pid: number, head: TaskHead): string | undefined {
    return this.#known.get(pid)?.get(keyOf(head));
  }

  /** With its name, where it has one. */
  named(pid: number, look: TaskLook): TaskLook {
    const id = look.head && this.of(pid, look.head);
    return id === undefined ? look : { ...look, id };
  }
}

function keyOf({ address, coroutine, name }: TaskHead): string {
  return `${address} ${coroutine} ${name}`;
}
