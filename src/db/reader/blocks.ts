import { columns, columnsPerBlock } from '../blockFormat.ts';
import type { DefinedNames } from '../../model/decoding/dynamic.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { Block, type BlockRow, type BlockSource, type LateRow } from './block.ts';

/** Decoded columns kept in memory for the next question, over all blocks of a session. */
const CACHE_BYTES = 192 << 20;

/** Digests kept besides, while they are not more. */
const DIGEST_BYTES = 32 << 20;

/** Contexts for trees, kept besides likewise. */
const CONTEXT_BYTES = 64 << 20;

/** Bytes a call takes in a decoded column. */
function decodedBytes(column: number): number {
  switch (column) {
    case columns.start:
    case columns.duration:
    case columns.child:
      return 8;
    case columns.end:
      return 1;
    case columns.posting:
      return 2;
    case columns.digest:
    case columns.payload:
    case columns.packed:
      // Counted when they are read.
      return 0;
    default:
      return 4;
  }
}

/** The index of blocks of one session, kept up to date while the session is written. */
export class Blocks implements BlockSource {
  readonly #ids: Statement<[], { id: number }>;
  readonly #row: Statement<[id: number], BlockRow>;
  readonly #column: Statement<[key: number], { data: Buffer }>;
  readonly #lateRows: Statement<[thread: number, from: number, to: number], LateRow>;
  readonly #byId = new Map<number, Block>();
  /** Blocks with decoded columns, least recently used first. */
  readonly #used = new Map<number, Block>();
  #usedBytes = 0;
  /** Rises with each query. */
  #query = 0;
  /** Digests in memory. */
  digestBytes = 0;
  /** Contexts in memory. */
  contextBytes = 0;
  /** Since when calls are suspended, by thread and ordinal; read when it is asked for. */
  #waiting: Map<string, number> | null = null;
  readonly #waitingRows: Statement<[], { thread: number; ordinal: number; since_ns: number }>;
  #byTime: readonly Block[] = [];
  #byThread = new Map<number, Block[]>();
  /** Rises when another commit is seen. */
  version = 0;

  /** What the process of a thread defined. */
  readonly namesOf: (thread: number) => DefinedNames;

  constructor(db: Sqlite, namesOf: (thread: number) => DefinedNames) {
    this.namesOf = namesOf;
    this.#ids = db.prepare('SELECT id FROM blocks ORDER BY id');
    this.#row = db.prepare('SELECT * FROM blocks WHERE id = ?');
    this.#column = db.prepare('SELECT data FROM columns WHERE key = ?');
    this.#waitingRows = db.prepare('SELECT thread, ordinal, since_ns FROM waiting');
    this.#lateRows = db.prepare(
      'SELECT ordinal, duration_ns, child_ns, end, payload, suspended_ns FROM late WHERE thread = ? AND ordinal >= ? AND ordinal < ?',
    );
  }

  /** Takes over what another commit brought. */
  refresh(): void {
    this.version++;
    this.#waiting = null;
    const present = new Set<number>();
    let changed = false;
    for (const { id } of this.#ids.iterate()) {
      present.add(id);
      if (!this.#byId.has(id)) changed = true;
    }
    for (const id of present) this.#add(id);
    for (const id of this.#byId.keys()) {
      if (present.has(id)) continue;
      changed = true;
      this.#remove(id);
    }
    if (changed) this.#arrange();
  }

  /** All blocks by start, then id. */
  get byTime(): readonly Block[] {
    return this.#byTime;
  }

  /** Threads in order of their keys, each with its blocks in order. */
  get byThread(): ReadonlyMap<number, readonly Block[]> {
    return this.#byThread;
  }

  /** The block that holds a call; null when it is unknown or was given up. */
  find(thread: number, ordinal: number): { block: Block; row: number } | null {
    const blocks = this.#byThread.get(thread) ?? [];
    let low = 0;
    let high = blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = blocks[middle];
      if (block && block.first + block.calls > ordinal) high = middle;
      else low = middle + 1;
    }
    const block = blocks[low];
    if (!block || ordinal < block.first) return null;
    return { block, row: ordinal - block.first };
  }

  column(block: Block, column: number, isKept = false): Buffer | null {
    const data = this.#column.get(block.id * columnsPerBlock + column)?.data ?? null;
    this.grown(block, isKept ? (data?.length ?? 0) : block.calls * decodedBytes(column));
    return data;
  }

  /** Counts memory that a block has taken. */
  grown(block: Block, bytes: number): void {
    block.bytes += bytes;
    block.usedIn = this.#query;
    this.#usedBytes += bytes;
    this.#used.delete(block.id);
    this.#used.set(block.id, block);
  }

  /** Frees columns beyond the cache's size. Call between queries. */
  shrink(): void {
    this.#query++;
    for (const [id, block] of this.#used) {
      if (this.#usedBytes <= CACHE_BYTES) return;
      this.#free(id, block);
    }
  }

  /**
   * During a long scan: makes room when the cache is full. What earlier queries left goes first; a
   * scan that alone fills the cache keeps what it began with, for the next one that begins there.
   */
  passed(block: Block): void {
    block.usedIn = this.#query;
    if (this.#used.delete(block.id)) this.#used.set(block.id, block);
    if (this.#usedBytes <= CACHE_BYTES) return;
    for (const [id, oldest] of this.#used) {
      if (oldest.usedIn === this.#query) break;
      this.#free(id, oldest);
      if (this.#usedBytes <= CACHE_BYTES) return;
    }
    this.#free(block.id, block);
  }

  /** Frees the columns of a block that nothing is asked of any more. */
  done(block: Block): void {
    this.#free(block.id, block);
  }

  lateOf(block: Block): LateRow[] {
    return this.#lateRows.all(block.thread, block.first, block.first + block.calls);
  }

  waitsSince(thread: number, ordinal: number): number | null {
    this.#waiting ??= new Map(
      this.#waitingRows.all().map((row) => [`${row.thread} ${row.ordinal}`, row.since_ns]),
    );
    return this.#waiting.size === 0 ? null : (this.#waiting.get(`${thread} ${ordinal}`) ?? null);
  }

  #free(id: number, block: Block): void {
    this.#usedBytes -= block.bytes;
    this.#used.delete(id);
    block.release(this.digestBytes > DIGEST_BYTES, this.contextBytes > CONTEXT_BYTES);
  }

  #add(id: number): void {
    if (this.#byId.has(id)) return;
    const row = this.#row.get(id);
    if (row) this.#byId.set(id, new Block(row, this));
  }

  #remove(id: number): void {
    const block = this.#byId.get(id);
    if (block) {
      this.#free(id, block);
      block.release(true, true);
    }
    this.#byId.delete(id);
  }

  #arrange(): void {
    const all = [...this.#byId.values()];
    this.#byTime = all.toSorted((a, b) => a.startNs - b.startNs || a.id - b.id);
    this.#byThread = new Map();
    for (const block of all.toSorted((a, b) => a.thread - b.thread || a.first - b.first)) {
      const known = this.#byThread.get(block.thread);
      if (known) known.push(block);
      else this.#byThread.set(block.thread, [block]);
    }
  }
}
