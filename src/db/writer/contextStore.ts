import { columns, columnsPerBlock } from '../blockFormat.ts';
import { Block, type BlockRow, type BlockSource, type LateRow } from '../reader/block.ts';
import { ContextBuilder } from '../reader/tree/contextBuilder.ts';
import { wholeBlock, Piece } from '../reader/tree/piece.ts';
import { storeContexts } from '../reader/tree/storedContexts.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import type { WrittenBlock } from './blockTable.ts';

/**
 * Stores the contexts of full blocks beside them when there is time (reader/tree/storedContexts.ts).
 * A block is told once all its calls have ended: it changes no more.
 */
export class ContextStore {
  readonly #row: Statement<[id: number], BlockRow>;
  readonly #insert: Statement<[key: number, data: Buffer]>;
  readonly #without: Statement<[leastCalls: number, column: number], { id: number }>;
  readonly #from: BlockSource;
  /** Blocks that wait for it, by id, from `#at` on. */
  #waiting: number[] = [];
  #at = 0;
  readonly #leastCalls: number;
  #builder: ContextBuilder | null = null;

  /** Those of blocks with fewer calls are found as quickly as read. */
  constructor(db: Sqlite, leastCalls: number) {
    this.#leastCalls = leastCalls;
    this.#row = db.prepare('SELECT * FROM blocks WHERE id = ?');
    this.#insert = db.prepare('INSERT OR REPLACE INTO columns VALUES (?, ?)');
    this.#without = db.prepare(
      `SELECT id FROM blocks WHERE shape IS NOT NULL AND calls >= ?
       AND NOT EXISTS (SELECT 1 FROM columns WHERE key = id * ${columnsPerBlock} + ?)
       AND open = (SELECT count(*) FROM late
         WHERE late.thread = blocks.thread AND ordinal >= first AND ordinal < first + calls)
       ORDER BY id`,
    );
    const data = db.prepare<[key: number], { data: Buffer }>(
      'SELECT data FROM columns WHERE key = ?',
    );
    const late = db.prepare<[thread: number, from: number, to: number], LateRow>(
      'SELECT ordinal, duration_ns, child_ns, end, payload FROM late WHERE thread = ? AND ordinal >= ? AND ordinal < ?',
    );
    this.#from = {
      version: 0,
      digestBytes: 0,
      contextBytes: 0,
      column: ({ id }, column) => data.get(id * columnsPerBlock + column)?.data ?? null,
      grown: () => undefined,
      lateOf: ({ thread, first, calls }) => late.all(thread, first, first + calls),
    };
  }

  /** Takes up what an earlier writer had no time for. */
  continue(): void {
    for (const { id } of this.#without.iterate(this.#leastCalls, columns.contexts))
      this.#waiting.push(id);
  }

  /** A block of which no more will be known. */
  add({ id, from, to }: WrittenBlock): void {
    if (to - from >= this.#leastCalls) this.#waiting.push(id);
  }

  /** Nothing waits any more: what is not stored, readers find themselves. */
  giveUp(): void {
    this.#waiting = [];
    this.#at = 0;
  }

  get isWaiting(): boolean {
    return this.#at < this.#waiting.length;
  }

  /** Stores those of one block, after all that is known of it was written. */
  storeNext(): void {
    const row = this.#row.get(this.#waiting[this.#at++] ?? 0);
    if (!this.isWaiting) this.giveUp();
    // Given up meanwhile.
    if (!row) return;
    const block = new Block(row, this.#from);
    this.#builder ??= new ContextBuilder();
    const { contexts } = new Piece(block, { index: 0, base: 0 }, wholeBlock(block), this.#builder);
    const stored = storeContexts(contexts, block.late.length);
    if (stored) this.#insert.run(block.id * columnsPerBlock + columns.contexts, stored);
  }
}
