import { blockCalls } from '../blockFormat.ts';
import { SessionTables } from '../reader/sessionTables.ts';
import { bytesOf } from '../reader/tree/keptTrees.ts';
import { wholeTree } from '../reader/tree/tree.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

/** A tree of very different lines is not worth more: a byte for each call of the smallest thread. */
const MOST_BYTES = 16 * blockCalls;

/** Keeps the trees of threads with many calls, once their session is over (reader/tree/keptTrees.ts). */
export class TreeStore {
  readonly #db: Sqlite;
  readonly #large: Statement<[leastCalls: number], { thread: number }>;
  readonly #insert: Statement<[thread: number, state: string, data: Buffer]>;
  readonly #leastCalls: number;
  #tables: SessionTables | null = null;
  /** Threads that wait for it; null: not looked yet. */
  #waiting: number[] | null = null;

  /** Those of threads with fewer calls are folded quickly. */
  constructor(db: Sqlite, leastCalls: number) {
    this.#db = db;
    this.#leastCalls = leastCalls;
    this.#large = db.prepare(
      'SELECT thread FROM blocks GROUP BY thread HAVING sum(calls) >= ? ORDER BY sum(calls)',
    );
    this.#insert = db.prepare('INSERT OR REPLACE INTO trees VALUES (?, ?, ?)');
  }

  get isWaiting(): boolean {
    return this.#waiting === null || this.#waiting.length > 0;
  }

  giveUp(): void {
    this.#waiting = [];
    this.#tables = null;
  }

  /** Keeps one, of the thread with most calls first, after all that will be known of it was written. */
  storeNext(): void {
    this.#waiting ??= this.#large.all(this.#leastCalls).map(({ thread }) => thread);
    const key = this.#waiting.pop();
    if (key === undefined) return;
    if (!this.#tables) {
      this.#tables = new SessionTables(this.#db);
      this.#tables.refresh();
    }
    const tables = this.#tables;
    const blocks = tables.blocks.byThread.get(key) ?? [];
    const tree = wholeTree(tables, key);
    tables.blocks.shrink();
    if (!tree) return;
    const data = bytesOf(tree);
    if (data.length > MOST_BYTES) return;
    const { functionsVersion } = tables;
    this.#insert.run(
      key,
      tables.trees.stateOf({ thread: tables.thread(key), blocks, functionsVersion }),
      data,
    );
  }
}
