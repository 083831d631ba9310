import type { TracedThread } from '../model/eventColumns.ts';
import { mostThreadsTold, type KnownThreads } from '../model/questions/query.ts';
import type { Sqlite } from './sqlite.ts';

/** All threads of a session's file, in order of their keys. */
export function readThreads(db: Sqlite): TracedThread[] {
  return db
    .prepared<[], TracedThread>('SELECT key, pid, tid, name FROM threads ORDER BY key')
    .all();
}

/** The keys of those that have not ended. */
export function runningThreads(db: Sqlite): ReadonlySet<number> {
  const rows = db.prepare<[], { key: number }>('SELECT key FROM threads WHERE ended = 0').all();
  return new Set(rows.map(({ key }) => key));
}

/** The threads of a session as its summary tells them: `add` is called in order of their keys. */
export class ThreadList {
  readonly #first: TracedThread[] = [];
  readonly #pids = new Set<number>();
  #count = 0;
  #lastKey = Number.NEGATIVE_INFINITY;

  /** One that is known is replaced. */
  add(thread: TracedThread): void {
    this.#pids.add(thread.pid);
    const known = this.#first.findIndex(({ key }) => key === thread.key);
    if (known >= 0) this.#first[known] = thread;
    if (thread.key <= this.#lastKey) return;
    this.#lastKey = thread.key;
    this.#count++;
    if (this.#first.length < mostThreadsTold) this.#first.push(thread);
  }

  told(): KnownThreads {
    return { count: this.#count, first: [...this.#first], pids: [...this.#pids] };
  }
}
