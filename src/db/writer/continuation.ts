import type { StoreSummary } from '../../model/questions/query.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import type { OutputState } from './outputLines.ts';

/** What a thread's log cannot read back from its blocks. */
export interface OpenCalls {
  /** Ordinal of its next call. */
  readonly next: number;
  readonly lastNs: number;
  /** Of CallStacks `save`. */
  readonly frames: Float64Array<ArrayBuffer>;
}

/** One row: what is known of the whole session. */
export interface SessionState {
  /** How far the sources were read: the caller's own words, JSON. */
  readonly sources: string | null;
  readonly output: OutputState;
  readonly nextBlockId: number;
}

interface OpenRow {
  readonly thread: number;
  readonly next: number;
  readonly last_ns: number;
  readonly frames: Buffer;
}

/**
 * What makes it possible to go on with a session's file where its last commit ended, whatever
 * became of the writer: it is part of that commit.
 */
export class Continuation {
  readonly #saveState: Statement<[json: string]>;
  readonly #saveOpen: Statement<[thread: number, next: number, lastNs: number, frames: Buffer]>;
  readonly #saveLife: Statement<[json: string]>;
  readonly #state: Statement<[], { json: string }>;
  readonly #open: Statement<[], OpenRow>;
  readonly #openOf: Statement<[thread: number], OpenRow>;
  readonly #life: Statement<[], { json: string }>;
  readonly #summary: Statement<[], { json: string; functions_version: number }>;

  constructor(db: Sqlite) {
    this.#saveState = db.prepare('INSERT OR REPLACE INTO continuation VALUES (1, ?)');
    this.#saveOpen = db.prepare('INSERT OR REPLACE INTO open_calls VALUES (?, ?, ?, ?)');
    this.#saveLife = db.prepare('INSERT INTO life (json) VALUES (?)');
    this.#state = db.prepare('SELECT json FROM continuation WHERE one = 1');
    const open = 'SELECT thread, next, last_ns, frames FROM open_calls';
    this.#open = db.prepare(open);
    this.#openOf = db.prepare(`${open} WHERE thread = ?`);
    this.#life = db.prepare('SELECT json FROM life ORDER BY id');
    this.#summary = db.prepare('SELECT json, functions_version FROM summary WHERE one = 1');
  }

  saveState(state: SessionState): void {
    this.#saveState.run(JSON.stringify(state));
  }

  saveThread(thread: number, { next, lastNs, frames }: OpenCalls): void {
    this.#saveOpen.run(thread, next, lastNs, Buffer.from(frames.buffer));
  }

  /** A fact of the target's life, to be told again to whoever goes on; JSON. */
  saveLife(json: string): void {
    this.#saveLife.run(json);
  }

  /** Null when nothing was ever committed. */
  state(): SessionState | null {
    const row = this.#state.get();
    return row ? own<SessionState>(row.json) : null;
  }

  summary(): { summary: StoreSummary; functionsVersion: number } | null {
    const row = this.#summary.get();
    if (!row) return null;
    return { summary: own<StoreSummary>(row.json), functionsVersion: row.functions_version };
  }

  threads(): { thread: number; state: OpenCalls }[] {
    return this.#open.all().map((row) => ({ thread: row.thread, state: openCallsOf(row) }));
  }

  /** What was saved of one thread. */
  thread(key: number): OpenCalls | null {
    const row = this.#openOf.get(key);
    return row ? openCallsOf(row) : null;
  }

  life(): string[] {
    return this.#life.all().map(({ json }) => json);
  }
}

function openCallsOf({ next, last_ns: lastNs, frames }: OpenRow): OpenCalls {
  return { next, lastNs, frames: new Float64Array(new Uint8Array(frames).buffer) };
}

/** Written by the writer alone, and a file of another layout is refused when it is opened. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function own<T>(json: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-return
  return JSON.parse(json);
}
