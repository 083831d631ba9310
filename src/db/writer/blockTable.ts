import { columnsPerBlock } from '../blockFormat.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import type { EncodedBlock } from './blockEncoder.ts';

/** How a call ended after its block had been written. */
export interface LateEnd {
  readonly ordinal: number;
  readonly durationNs: number | null;
  readonly childNs: number;
  /** As in the block's end column. */
  readonly end: number;
  readonly payload: Buffer | null;
}

type BlockRow = [
  id: number,
  thread: number,
  first: number,
  calls: number,
  startNs: number,
  lastNs: number,
  endNs: number,
  maxNs: number,
  open: number,
  widths: string,
  dictionary: Buffer,
  strings: Buffer | null,
];
type LateRow = [
  thread: number,
  ordinal: number,
  duration: number | null,
  child: number,
  end: number,
  payload: Buffer | null,
];

/** Writes blocks and late ends. Ids rise and are never used again. */
export class BlockTable {
  readonly #insert: Statement<BlockRow>;
  readonly #insertColumn: Statement<[key: number, data: Buffer]>;
  readonly #delete: Statement<[id: number]>;
  readonly #deleteColumns: Statement<[from: number, to: number]>;
  readonly #insertLate: Statement<LateRow>;
  readonly #deleteLate: Statement<[thread: number, from: number, to: number]>;
  #nextId = 1;

  constructor(db: Sqlite) {
    this.#insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#insertColumn = db.prepare('INSERT INTO columns VALUES (?, ?)');
    this.#delete = db.prepare('DELETE FROM blocks WHERE id = ?');
    this.#deleteColumns = db.prepare('DELETE FROM columns WHERE key >= ? AND key < ?');
    this.#insertLate = db.prepare('INSERT OR REPLACE INTO late VALUES (?, ?, ?, ?, ?, ?)');
    this.#deleteLate = db.prepare(
      'DELETE FROM late WHERE thread = ? AND ordinal >= ? AND ordinal < ?',
    );
  }

  /** Returns the new block's id. */
  write(thread: number, first: number, block: EncodedBlock, strings: Buffer | null): number {
    const id = this.#nextId++;
    this.#insert.run(
      id,
      thread,
      first,
      block.calls,
      block.startNs,
      block.lastNs,
      block.endNs,
      block.maxNs,
      block.open,
      block.widths,
      block.dictionary,
      strings,
    );
    for (const { column, data } of block.columns) {
      this.#insertColumn.run(id * columnsPerBlock + column, data);
    }
    return id;
  }

  remove(id: number): void {
    this.#delete.run(id);
    this.#deleteColumns.run(id * columnsPerBlock, (id + 1) * columnsPerBlock);
  }

  writeLate(thread: number, late: LateEnd): void {
    const { ordinal, durationNs, childNs, end, payload } = late;
    this.#insertLate.run(thread, ordinal, durationNs, childNs, end, payload);
  }

  /** Forgets late ends of the calls [from, to). */
  removeLate(thread: number, from: number, to: number): void {
    this.#deleteLate.run(thread, from, to);
  }
}
