import { rmSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { sessionId, type SessionId } from '../model/ids.ts';
import { catalogMigrations } from './catalogSchema.ts';
import { Sqlite, type Statement } from './sqlite.ts';

/** A session as the catalogue keeps it, also after the daemon that ran it is gone. */
export interface CatalogSession {
  readonly id: SessionId;
  /** The owning client's id. */
  readonly owner: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly projectRoot: string;
  readonly pid: number | null;
  /** Whatever its daemon wants to know again; any JSON. */
  readonly state: unknown;
  readonly startedWallMs: number;
  /** Null while it runs, or when its daemon died before it could tell. */
  readonly endedWallMs: number | null;
  readonly retain: boolean;
  /** Absolute path of its session.db. */
  readonly path: string;
  /** CLOCK_MONOTONIC of session time 0. */
  readonly monotonicStartNs: bigint;
}

/** What may change of a session. */
export type CatalogChange = Partial<
  Pick<CatalogSession, 'owner' | 'pid' | 'state' | 'endedWallMs' | 'retain'>
>;

/** How long and how much is kept. */
export interface Retention {
  readonly endedMs: number;
  readonly retainedMs: number;
  /** Over all sessions; beyond it ended ones go, those that ended first first. */
  readonly maxBytes: number;
}

/** What only the owner of the sessions knows. */
export interface RetentionQuestions {
  /** It has ended, but is still written to: it stays. */
  readonly isBusy?: (session: CatalogSession) => boolean;
  /** Default: those of its session.db. */
  readonly bytesOf?: (session: CatalogSession) => number;
}

export const defaultRetention: Retention = {
  endedMs: 24 * 3600_000,
  retainedMs: 7 * 24 * 3600_000,
  maxBytes: 10 * 2 ** 30,
};

interface Row {
  readonly id: string;
  readonly owner: string;
  readonly command: string;
  readonly args: string;
  readonly cwd: string;
  readonly project_root: string;
  readonly pid: number | null;
  readonly state: string;
  readonly started_wall_ms: number;
  readonly ended_wall_ms: number | null;
  readonly retain: number;
  readonly path: string;
  readonly monotonic_start_ns: string;
}

/**
 * The list of all sessions on disk: `strobe.db`. Synchronous; each call takes well under 1 ms. Stores
 * in the catalogue's own folder are named from there: a folder that was moved or copied lists its own.
 */
export class Catalog {
  readonly #db: Sqlite;
  readonly #folder: string;
  readonly #save: Statement<SaveRow>;
  readonly #get: Statement<[id: string], Row>;
  readonly #list: Statement<[], Row>;
  readonly #delete: Statement<[id: string]>;

  private constructor(db: Sqlite, folder: string) {
    this.#db = db;
    this.#folder = folder;
    this.#save = db.prepare(
      'INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#get = db.prepare('SELECT * FROM sessions WHERE id = ?');
    this.#list = db.prepare('SELECT * FROM sessions ORDER BY started_wall_ms DESC, id');
    this.#delete = db.prepare('DELETE FROM sessions WHERE id = ?');
  }

  /** `path`: of strobe.db; made when it does not exist. */
  static open(path: string): Catalog {
    const db = Sqlite.open(path, { migrations: catalogMigrations });
    return new Catalog(db, dirname(resolve(path)));
  }

  /** Adds a session, or replaces what is known of it. */
  put(session: CatalogSession): void {
    this.#save.run(
      session.id,
      session.owner,
      session.command,
      JSON.stringify(session.args),
      session.cwd,
      session.projectRoot,
      session.pid,
      JSON.stringify(session.state ?? null),
      session.startedWallMs,
      session.endedWallMs,
      session.retain ? 1 : 0,
      this.#storedPath(session.path),
      String(session.monotonicStartNs),
    );
  }

  get(id: SessionId): CatalogSession | null {
    const row = this.#get.get(id);
    return row ? this.#fromRow(row) : null;
  }

  /** Latest start first. */
  list(): CatalogSession[] {
    return this.#list.all().map((row) => this.#fromRow(row));
  }

  /** Returns false when there is no such session. */
  update(id: SessionId, change: CatalogChange): boolean {
    return this.#db.transaction(() => {
      const known = this.get(id);
      if (known) this.put({ ...known, ...change });
      return known !== null;
    });
  }

  /** Forgets the session; its files are the caller's. */
  delete(id: SessionId): boolean {
    return this.#delete.run(id).changes > 0;
  }

  /**
   * Forgets sessions that ended long enough ago, then the oldest ended ones while all together
   * take too much room, and removes their session.db. Returns them, so that the caller can
   * remove what else they left. A session without an end is never touched.
   */
  purge(
    nowWallMs: number,
    retention: Retention = defaultRetention,
    ask: RetentionQuestions = {},
  ): CatalogSession[] {
    const sessions = this.list();
    const ended = sessions
      .filter((session) => session.endedWallMs !== null && !ask.isBusy?.(session))
      .toSorted((a, b) => (a.endedWallMs ?? 0) - (b.endedWallMs ?? 0));
    const sizes = new Map(
      sessions.map((session) => [session.id, ask.bytesOf?.(session) ?? bytesOf(session.path)]),
    );
    let total = 0;
    for (const bytes of sizes.values()) total += bytes;
    const gone: CatalogSession[] = [];
    for (const session of ended) {
      const keptMs = session.retain ? retention.retainedMs : retention.endedMs;
      const isOld = nowWallMs - (session.endedWallMs ?? nowWallMs) > keptMs;
      if (!isOld && total <= retention.maxBytes) continue;
      total -= sizes.get(session.id) ?? 0;
      removeStore(session.path);
      this.delete(session.id);
      gone.push(session);
    }
    return gone;
  }

  close(): void {
    this.#db.close();
  }

  #storedPath(path: string): string {
    const inside = relative(this.#folder, path);
    return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  }

  #fromRow(row: Row): CatalogSession {
    const session = fromRow(row);
    return { ...session, path: isAbsolute(row.path) ? row.path : join(this.#folder, row.path) };
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

type SaveRow = [
  id: string,
  owner: string,
  command: string,
  args: string,
  cwd: string,
  projectRoot: string,
  pid: number | null,
  state: string,
  startedWallMs: number,
  endedWallMs: number | null,
  retain: number,
  path: string,
  monotonicStartNs: string,
];

/** A store and the files SQLite keeps beside it. */
function storeFiles(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`];
}

/** Removes a session's store; what does not exist is no error. */
export function removeStore(path: string): void {
  for (const file of storeFiles(path)) rmSync(file, { force: true });
}

function bytesOf(path: string): number {
  let bytes = 0;
  for (const file of storeFiles(path)) {
    bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

function fromRow(row: Row): Omit<CatalogSession, 'path'> {
  const args: unknown = JSON.parse(row.args);
  const state: unknown = JSON.parse(row.state);
  return {
    id: sessionId(row.id),
    owner: row.owner,
    command: row.command,
    args: Array.isArray(args) ? args.map(String) : [],
    cwd: row.cwd,
    projectRoot: row.project_root,
    pid: row.pid,
    state,
    startedWallMs: row.started_wall_ms,
    endedWallMs: row.ended_wall_ms,
    retain: row.retain !== 0,
    monotonicStartNs: BigInt(row.monotonic_start_ns),
  };
}
