import type { Sqlite, Statement } from '../sqlite.ts';

/** Open calls that are suspended, by thread and ordinal: what the file says of them. */
export class SuspendedCalls {
  readonly #insert: Statement<[thread: number, ordinal: number, since: number]>;
  readonly #delete: Statement<[thread: number, ordinal: number]>;
  readonly #deleteTo: Statement<[thread: number, to: number]>;
  readonly #all: Statement<[thread: number], { ordinal: number }>;

  constructor(db: Sqlite) {
    this.#insert = db.prepare('INSERT OR REPLACE INTO waiting VALUES (?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM waiting WHERE thread = ? AND ordinal = ?');
    this.#deleteTo = db.prepare('DELETE FROM waiting WHERE thread = ? AND ordinal < ?');
    this.#all = db.prepare('SELECT ordinal FROM waiting WHERE thread = ?');
  }

  of(thread: number): number[] {
    return this.#all.all(thread).map(({ ordinal }) => ordinal);
  }

  /** `since`: null of a call that does not wait any longer. */
  write(thread: number, ordinal: number, since: number | null): void {
    if (since === null) this.#delete.run(thread, ordinal);
    else this.#insert.run(thread, ordinal, since);
  }

  /** Forgets calls before this one. */
  removeTo(thread: number, to: number): void {
    this.#deleteTo.run(thread, to);
  }
}
