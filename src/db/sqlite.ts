import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { installPaths } from '../base/installPaths.ts';
import { StrobeError } from '../model/errors.ts';

/** Its native part: built by us (scripts/builders/sqlite.mjs), so that one file serves every version of Node. */
const nativeBinding = installPaths().sqlite;

/** What can be bound to a statement or read from a row. */
export type SqlValue = string | number | bigint | Buffer | null;
export type Statement<Parameters extends SqlValue[], Row = unknown> = Database.Statement<
  Parameters,
  Row
>;

export interface OpenOptions {
  /** SQL that brings `user_version` n to n + 1, in order. Append only. */
  readonly migrations: readonly string[];
  /** Bytes; only for a file that does not exist yet. */
  readonly pageSize?: number;
  /**
   * What survives. `powerLoss` (default): every commit that reached the disk. `processDeath`:
   * every commit, as long as the machine goes on; nothing waits for the disk.
   */
  readonly survives?: 'powerLoss' | 'processDeath';
}

/** A statement that answers with rows, as lists in the order of `columns`. */
export interface ReadingStatement {
  readonly columns: readonly string[];
  iterate(parameters: readonly SqlValue[]): Iterable<SqlValue[]>;
}

/**
 * An open SQLite file in WAL mode: one writer and any number of readers, each with its own
 * connection. Every failure of opening is a StrobeError STORE_FAILED.
 */
export class Sqlite {
  readonly #db: Database.Database;
  readonly #prepared = new Map<string, Statement<SqlValue[]>>();
  readonly path: string;

  private constructor(db: Database.Database, path: string) {
    this.#db = db;
    this.path = path;
  }

  /** For reading and writing; made when it does not exist. */
  static open(path: string, options: OpenOptions): Sqlite {
    return Sqlite.#open(path, false, (db) => prepareForWriting(db, options));
  }

  /** Like `open`, for a file that must not hold anything yet. */
  static create(path: string, options: OpenOptions): Sqlite {
    return Sqlite.#open(path, false, (db) => {
      if (userVersion(db) !== 0) throw new Error('it exists already');
      prepareForWriting(db, options);
    });
  }

  /** For reading; the file must exist. One that an older version wrote is brought up to date first. */
  static openReadonly(path: string, options: OpenOptions): Sqlite {
    const known = options.migrations.length;
    let isOlder = false;
    const opened = Sqlite.#open(path, true, (db) => {
      isOlder = checkedVersion(db, known) < known;
    });
    if (!isOlder) return opened;
    opened.close();
    Sqlite.open(path, options).close();
    return Sqlite.#open(path, true, (db) => void checkedVersion(db, known));
  }

  static #open(path: string, readonly: boolean, prepare: (db: Database.Database) => void): Sqlite {
    let db: Database.Database | null = null;
    try {
      db = new Database(path, { readonly, fileMustExist: readonly, nativeBinding });
      prepare(db);
      return new Sqlite(db, path);
    } catch (error) {
      db?.close();
      if (readonly && !existsSync(path))
        throw new StrobeError(
          'STORE_FAILED',
          `${path} does not exist: its daemon ended before anything was stored, or the file was removed.`,
          'Start the program again.',
        );
      const why = error instanceof Error ? error.message : String(error);
      throw new StrobeError('STORE_FAILED', `${path} cannot be opened: ${why}`, hintFor(why));
    }
  }

  prepare<Parameters extends SqlValue[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    return this.#db.prepare<Parameters, Row>(sql);
  }

  /** The statement for this text, kept for the next time; not for iterating. One of few texts. */
  prepared<Parameters extends SqlValue[], Row = unknown>(sql: string): Statement<Parameters, Row> {
    const known = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, known);
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the same text, the same rows.
    return known as Statement<Parameters, Row>;
  }

  /** A statement of somebody else's. Throws what SQLite says; refuses what would write. */
  prepareReading(sql: string): ReadingStatement {
    const statement = this.#db.prepare<SqlValue[], SqlValue[]>(sql);
    if (!statement.readonly || !statement.reader) throw new Error('it is no question');
    statement.raw(true);
    const columns = statement.columns().map(({ name }) => name);
    return { columns, iterate: (parameters) => statement.iterate(...parameters) };
  }

  /** Defines a function that statements may use. What it throws ends the statement. */
  defineFunction(name: string, define: (...values: (SqlValue | undefined)[]) => SqlValue): void {
    const options = { varargs: true, deterministic: true };
    this.#db.function(name, options, (...values: unknown[]) => define(...values.map(asSqlValue)));
  }

  /** Defines a table to read; its rows are made anew by each statement that reads it. */
  defineTable(
    name: string,
    tableColumns: readonly string[],
    rows: () => Iterable<readonly SqlValue[]>,
  ): void {
    this.#db.table(name, {
      columns: [...tableColumns],
      *rows() {
        for (const row of rows()) yield [...row];
      },
    });
  }

  /** Loads one of our own libraries; statements cannot. Throws STORE_FAILED. */
  loadExtension(path: string): void {
    try {
      this.#db.loadExtension(path);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new StrobeError('STORE_FAILED', `${path} cannot be loaded: ${why}`);
    }
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction;
  }

  /** Runs `work` with one unchanging view of the file; nothing is written. */
  snapshot<T>(work: () => T): T {
    if (this.#db.inTransaction) return work();
    this.#db.exec('BEGIN');
    try {
      return work();
    } finally {
      this.#db.exec('COMMIT');
    }
  }

  /** All of `work` or nothing of it. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work).immediate();
  }

  /** A copy of the whole as it is now, into an empty file. */
  copyTo(path: string): void {
    this.#db.prepare('VACUUM INTO ?').run(path);
  }

  /** Every table, index, view and trigger, as it was written down. */
  layout(): readonly unknown[] {
    return this.#db
      .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
      .raw()
      .all();
  }

  /** The one number a statement answers with; 0 when it is none. */
  number(sql: string): number {
    const found: unknown = this.#db.prepare(sql).pluck().get();
    return typeof found === 'number' ? found : 0;
  }

  /** Whether SQLite finds nothing wrong in its pages. */
  isWhole(): boolean {
    return this.#db.pragma('quick_check(1)', { simple: true }) === 'ok';
  }

  /** Moves what the log holds into the file itself. */
  checkpoint(): void {
    this.#db.pragma('wal_checkpoint(TRUNCATE)');
  }

  /**
   * Moves what the log holds into the file, unless a reader is in the way for long: the log would stay when a
   * reader closes last, and whoever opens the file next reads it as a whole. Never throws.
   */
  tidy(): void {
    try {
      this.#db.pragma(`busy_timeout = ${tidyMs}`);
      this.checkpoint();
    } catch {
      // The log holds what it held.
    }
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function asSqlValue(value: unknown): SqlValue | undefined {
  const isValue =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return isValue || Buffer.isBuffer(value) ? value : undefined;
}

function prepareForWriting(db: Database.Database, options: OpenOptions): void {
  if (options.pageSize !== undefined) db.pragma(`page_size = ${options.pageSize}`);
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${options.survives === 'processDeath' ? 'OFF' : 'NORMAL'}`);
  db.pragma('busy_timeout = 5000');
  db.pragma('journal_size_limit = 67108864');
  db.pragma('wal_autocheckpoint = 4000');
  db.transaction(() => {
    const from = userVersion(db);
    if (from > options.migrations.length) throw tooNew(from, options.migrations.length);
    for (const sql of options.migrations.slice(from)) db.exec(sql);
    if (from < options.migrations.length) {
      db.pragma(`user_version = ${options.migrations.length}`);
    }
  }).immediate();
}

/** How long readers are waited for. */
const tidyMs = 200;

/** Bytes of a file that are read as memory: a column takes one copy instead of a call per page. */
const MAPPED_BYTES = 1 << 30;

function checkedVersion(db: Database.Database, known: number): number {
  db.pragma('busy_timeout = 5000');
  db.pragma(`mmap_size = ${MAPPED_BYTES}`);
  const found = userVersion(db);
  if (found > known) throw tooNew(found, known);
  if (found === 0) throw new Error('it is no store of Strobe');
  return found;
}

function userVersion(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

const isNewer = 'it was written by a newer Strobe';

function tooNew(found: number, known: number): Error {
  return new Error(`${isNewer} (layout ${found}, this one knows ${known})`);
}

/** Undefined: the usual one. */
function hintFor(why: string): string | undefined {
  if (why.startsWith(isNewer)) return 'Use that version of Strobe, or a newer one.';
  if (/malformed|not a database/.test(why)) return 'The file is damaged: use a whole copy of it.';
  return undefined;
}

/**
 * Holds the file for this process alone until it is closed or the process ends, however it ends:
 * the lock is the kernel's. Null when another process holds it; throws STORE_FAILED when the
 * file cannot be used at all.
 */
export function holdFile(path: string): Disposable | null {
  let db: Database.Database | null = null;
  try {
    const opened = new Database(path, { timeout: 0, nativeBinding });
    db = opened;
    opened.exec('BEGIN EXCLUSIVE');
    return { [Symbol.dispose]: () => void opened.close() };
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw new StrobeError(
      'STORE_FAILED',
      `${path} cannot be locked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
