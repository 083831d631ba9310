import { monotonicMs } from '../../base/clock.ts';
import type { Steps } from '../../base/steps.ts';
import { blockCalls } from '../blockFormat.ts';
import { SessionTables } from '../reader/sessionTables.ts';
import { bytesOf, type KeptTree } from '../reader/tree/keptTrees.ts';
import { wholeTree } from '../reader/tree/tree.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

/** A tree of very different lines is not worth more: a byte for each call of the smallest thread. */
const MOST_BYTES = 16 * blockCalls;
/** Decoded columns held meanwhile. */
const CACHE_BYTES = 32 << 20;
/** While a session lives its trees take one part in so many of the time. */
const RESPITE = 50;

/**
 * What is done when there is time: `short` = something may come at any moment, `quiet` = nothing has
 * come for a while, `over` = nothing will.
 */
export type SpareTime = 'short' | 'quiet' | 'over';

interface Fold {
  readonly thread: number;
  readonly state: string;
  readonly steps: Steps<KeptTree | null>;
}

/** Keeps the trees of threads with many calls, when nothing changes them (reader/tree/keptTrees.ts). */
export class TreeStore {
  readonly #db: Sqlite;
  readonly #large: Statement<[leastCalls: number], { thread: number }>;
  readonly #insert: Statement<[thread: number, state: string, data: Buffer]>;
  readonly #leastCalls: number;
  #tables: SessionTables | null = null;
  /** Threads that wait for it; null: not looked since something changed. */
  #waiting: number[] | null = null;
  #fold: Fold | null = null;
  /** What these trees have taken, and when others may follow. */
  #tookMs = 0;
  #notBefore = 0;

  /** Those of threads with fewer calls are folded quickly. */
  constructor(db: Sqlite, leastCalls: number) {
    this.#db = db;
    this.#leastCalls = leastCalls;
    this.#large = db.prepare(
      'SELECT thread FROM blocks GROUP BY thread HAVING sum(calls) >= ? ORDER BY sum(calls)',
    );
    this.#insert = db.prepare('INSERT OR REPLACE INTO trees VALUES (?, ?, ?)');
  }

  /** Whether there is something to do in such a moment. */
  isWaiting(spare: SpareTime): boolean {
    if (spare === 'short') return false;
    if (this.#waiting === null) return spare === 'over' || monotonicMs() >= this.#notBefore;
    return this.#fold !== null || this.#waiting.length > 0;
  }

  /** What is folded is not what is there any more. */
  changed(): void {
    if (this.#waiting === null) return;
    this.#end();
    this.#waiting = null;
  }

  giveUp(): void {
    this.#end();
    this.#waiting = [];
  }

  /** Folds on, of the thread with most calls first, after all that will be known of it was written. */
  storeNext(): void {
    const began = monotonicMs();
    if (this.#waiting === null) this.#look();
    const fold = (this.#fold ??= this.#next());
    if (fold) this.#goOn(fold);
    this.#tookMs += monotonicMs() - began;
    if (!this.#fold && this.#waiting?.length === 0) this.#end();
  }

  #look(): void {
    this.#waiting = this.#large.all(this.#leastCalls).map(({ thread }) => thread);
    if (this.#waiting.length === 0) return;
    this.#tables = new SessionTables(this.#db, CACHE_BYTES);
    this.#tables.refresh();
  }

  /** Null: no more are wanted. */
  #next(): Fold | null {
    const tables = this.#tables;
    for (;;) {
      const thread = this.#waiting?.pop();
      if (thread === undefined || !tables) return null;
      const { functionsVersion } = tables;
      const blocks = tables.blocks.byThread.get(thread) ?? [];
      const source = { thread: tables.thread(thread), blocks, functionsVersion };
      if (tables.trees.stored(source)) continue;
      const state = tables.trees.stateOf(source);
      return { thread, state, steps: wholeTree(tables, thread) };
    }
  }

  #goOn({ thread, state, steps }: Fold): void {
    const step = steps.next();
    this.#tables?.blocks.shrink();
    if (step.done !== true) return;
    this.#fold = null;
    const data = step.value && bytesOf(step.value);
    if (data && data.length <= MOST_BYTES) this.#insert.run(thread, state, data);
  }

  #end(): void {
    this.#fold = null;
    this.#tables = null;
    this.#notBefore = Math.max(this.#notBefore, monotonicMs() + this.#tookMs * RESPITE);
    this.#tookMs = 0;
  }
}
