import { columnsPerBlock } from '../blockFormat.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import type { EncodedBlock } from './blockEncoder.ts';

/** How a call ended after its block had been written. */
export interface LateEnd {
  readonly ordinal: number;
  readonly durationNs: number | null;
  readonly childNs: number;
  readonly suspendedNs: number;
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
  timed: number,
  shape: number | null,
  content: number | null,
];
type LateRow = [
  thread: number,
  ordinal: number,
  duration: number | null,
  child: number,
  end: number,
  payload: Buffer | null,
  suspended: number,
];

/** A block, or one piece of the block in work, as it lies in the file. */
export interface WrittenBlock {
  readonly id: number;
  /** Ordinals [from, to). */
  readonly from: number;
  readonly to: number;
  readonly startNs: number;
  readonly lastNs: number;
  /** Enter and end events it holds, late ends included. */
  events: number;
  hasLate: boolean;
}

/** Writes blocks and late ends. Ids rise and are never used again. */
export class BlockTable {
  readonly #insert: Statement<BlockRow>;
  readonly #insertColumn: Statement<[key: number, data: Buffer]>;
  readonly #delete: Statement<[id: number]>;
  readonly #deleteColumns: Statement<[from: number, to: number]>;
  readonly #insertLate: Statement<LateRow>;
  readonly #deleteLate: Statement<[thread: number, from: number, to: number]>;
  readonly #written: Statement<
    [],
    {
      id: number;
      thread: number;
      first: number;
      calls: number;
      start_ns: number;
      last_ns: number;
      timed: number;
    }
  >;
  readonly #writtenLate: Statement<[], { thread: number; ordinal: number; timed: number }>;
  /** Ids rise over all writers of a file: a reader may still know one that was removed. */
  nextId = 1;

  constructor(db: Sqlite) {
    this.#written = db.prepare(
      'SELECT id, thread, first, calls, start_ns, last_ns, timed FROM blocks ORDER BY thread, first',
    );
    this.#writtenLate = db.prepare(
      'SELECT thread, ordinal, duration_ns IS NOT NULL AS timed FROM late ORDER BY thread, ordinal',
    );
    this.#insert = db.prepare(
      'INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#insertColumn = db.prepare('INSERT INTO columns VALUES (?, ?)');
    this.#delete = db.prepare('DELETE FROM blocks WHERE id = ?');
    this.#deleteColumns = db.prepare('DELETE FROM columns WHERE key >= ? AND key < ?');
    this.#insertLate = db.prepare('INSERT OR REPLACE INTO late VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#deleteLate = db.prepare(
      'DELETE FROM late WHERE thread = ? AND ordinal >= ? AND ordinal < ?',
    );
  }

  /** Returns the new block's id. */
  write(thread: number, first: number, block: EncodedBlock, strings: Buffer | null): number {
    const id = this.nextId++;
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
      block.timed,
      block.shape,
      block.content,
    );
    for (const { column, data } of block.columns) {
      this.#insertColumn.run(id * columnsPerBlock + column, data);
    }
    return id;
  }

  /** What lies in the file, by thread, oldest first. */
  all(): Map<number, WrittenBlock[]> {
    const found = new Map<number, WrittenBlock[]>();
    for (const row of this.#written.iterate()) {
      const block: WrittenBlock = {
        id: row.id,
        from: row.first,
        to: row.first + row.calls,
        startNs: row.start_ns,
        lastNs: row.last_ns,
        events: row.calls + row.timed,
        hasLate: false,
      };
      const known = found.get(row.thread);
      if (known) known.push(block);
      else found.set(row.thread, [block]);
    }
    let at = 0;
    let thread = -1;
    for (const late of this.#writtenLate.iterate()) {
      if (late.thread !== thread) [thread, at] = [late.thread, 0];
      const blocks = found.get(thread) ?? [];
      while ((blocks[at]?.to ?? Infinity) <= late.ordinal) at++;
      const block = blocks[at];
      if (!block || block.from > late.ordinal) continue;
      block.hasLate = true;
      block.events += late.timed;
    }
    return found;
  }

  remove(id: number): void {
    this.#delete.run(id);
    this.#deleteColumns.run(id * columnsPerBlock, (id + 1) * columnsPerBlock);
  }

  writeLate(thread: number, late: LateEnd): void {
    const { ordinal, durationNs, childNs, end, payload, suspendedNs } = late;
    this.#insertLate.run(thread, ordinal, durationNs, childNs, end, payload, suspendedNs);
  }

  /** Forgets late ends of the calls [from, to). */
  removeLate(thread: number, from: number, to: number): void {
    this.#deleteLate.run(thread, from, to);
  }
}
