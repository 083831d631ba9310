import {
  alignedCopy,
  columns,
  columnsPerBlock,
  numberColumns,
  readDictionary,
  type DictionaryView,
} from '../blockFormat.ts';
import { unpack } from '../packedPayload.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { ValueDigest } from '../valueDigest.ts';

interface BlockRow {
  readonly id: number;
  readonly thread: number;
  readonly first: number;
  readonly calls: number;
  readonly start_ns: number;
  readonly last_ns: number;
  readonly end_ns: number;
  readonly max_ns: number;
  readonly open: number;
  readonly widths: string;
  readonly dictionary: Buffer;
  readonly strings: Buffer | null;
}

interface LateRow {
  readonly ordinal: number;
  readonly duration_ns: number | null;
  readonly child_ns: number;
  readonly end: number;
  readonly payload: Buffer | null;
}

/** Captured bytes of a block: row r entered with [enterAt, returnAt) and returned [returnAt, endAt). */
export interface Captures {
  readonly bytes: Buffer;
  /** The same bytes: values begin at multiples of 8. */
  readonly words: Uint32Array;
  readonly enterAt: Uint32Array;
  readonly returnAt: Uint32Array;
  readonly endAt: Uint32Array;
}

const nothing = new Uint8Array(0);

/** Decoded columns kept in memory, over all blocks of a session. */
const CACHE_BYTES = 128 << 20;

/** Bytes a call takes in a decoded column. */
function decodedBytes(column: number): number {
  switch (column) {
    case columns.start:
    case columns.duration:
    case columns.child:
      return 8;
    case columns.enterBytes:
    case columns.returnBytes:
      // Become three offsets of 4 bytes together.
      return 6;
    case columns.end:
      return 1;
    case columns.posting:
      return 2;
    case columns.digest:
      // Eight bits a call, and few ranges.
      return 1;
    case columns.payload:
    case columns.packed:
      // Counted when they are read.
      return 0;
    default:
      return 4;
  }
}

/**
 * One block with its columns decoded when first asked for. Starts are absolute, durations -1
 * when none is known. Late ends are already applied. Loops take the columns once, before they
 * begin: each access looks whether they are still up to date.
 */
export class Block {
  readonly id: number;
  readonly thread: number;
  /** Ordinal of row 0. */
  readonly first: number;
  readonly calls: number;
  readonly startNs: number;
  readonly lastNs: number;
  readonly dictionary: DictionaryView;
  /** Ids of the strings its rows hold, sorted. */
  readonly strings: Uint32Array;
  readonly #row: BlockRow;
  readonly #from: Blocks;
  #start: Float64Array | null = null;
  #duration: Float64Array | null = null;
  #child: Float64Array | null = null;
  #entry: Uint32Array | null = null;
  #up: Uint32Array | null = null;
  #depth: Uint32Array | null = null;
  #end: Uint8Array | null = null;
  #captures: Captures | null = null;
  #posting: Uint16Array | null = null;
  readonly #numbersAt = new Map<number, Float64Array>();
  #digest: ValueDigest | null | undefined;
  #late: readonly LateRow[] = [];
  #lateVersion = -1;
  bytes = 0;

  constructor(row: BlockRow, from: Blocks) {
    this.#row = row;
    this.#from = from;
    this.id = row.id;
    this.thread = row.thread;
    this.first = row.first;
    this.calls = row.calls;
    this.startNs = row.start_ns;
    this.lastNs = row.last_ns;
    this.dictionary = readDictionary(row.dictionary);
    const strings = row.strings ? alignedCopy(row.strings) : new Uint8Array(0);
    this.strings = new Uint32Array(strings.buffer, 0, strings.length / 4);
  }

  get start(): Float64Array {
    this.#start ??= this.#numbers(columns.start, (stored) => this.startNs + stored);
    return this.#start;
  }

  get duration(): Float64Array {
    this.#refreshLate();
    this.#duration ??= this.#withLate(
      this.#numbers(columns.duration, (stored) => stored - 1),
      (late) => late.duration_ns ?? -1,
    );
    return this.#duration;
  }

  /** Time in direct children. */
  get child(): Float64Array {
    this.#refreshLate();
    this.#child ??= this.#withLate(
      this.#numbers(columns.child, (stored) => stored),
      (late) => late.child_ns,
    );
    return this.#child;
  }

  /** End code and return class (blockFormat.ts). */
  get end(): Uint8Array {
    this.#refreshLate();
    this.#end ??= this.#withLate(Uint8Array.from(this.#stored(columns.end)), (late) => late.end);
    return this.#end;
  }

  /** Dictionary entry per row. */
  get entry(): Uint32Array {
    this.#entry ??= this.#whole(columns.fn);
    return this.#entry;
  }

  /** Distance to the parent's ordinal; 0 = root. */
  get up(): Uint32Array {
    this.#up ??= this.#whole(columns.up);
    return this.#up;
  }

  get depth(): Uint32Array {
    this.#depth ??= this.#whole(columns.depth);
    return this.#depth;
  }

  /** Row numbers by dictionary entry. */
  get posting(): Uint16Array {
    if (this.#posting === null) {
      const bytes = alignedCopy(this.#from.column(this, columns.posting) ?? new Uint8Array(0));
      this.#posting = new Uint16Array(bytes.buffer, 0, this.calls);
    }
    return this.#posting;
  }

  /** What values it holds; null when that is not known. */
  get digest(): ValueDigest | null {
    if (this.#digest === undefined) {
      const bytes = this.#from.column(this, columns.digest);
      this.#digest = bytes && new ValueDigest(bytes);
    }
    return this.#digest;
  }

  /** Numbers among its captures, by place (numberColumn.ts), made when first asked for. */
  numbersAt(place: number, make: () => Float64Array): Float64Array {
    const known = this.#numbersAt.get(place);
    if (known) return known;
    const made = make();
    this.#numbersAt.set(place, made);
    this.#from.grown(this, made.byteLength);
    return made;
  }

  /** Where the captured bytes of each row lie. */
  get captures(): Captures {
    this.#captures ??= this.#placeCaptures();
    return this.#captures;
  }

  /** What was captured when the call was entered. */
  enterPayload(row: number): Buffer {
    const { bytes, enterAt, returnAt } = this.captures;
    return bytes.subarray(enterAt[row] ?? 0, returnAt[row] ?? 0);
  }

  /** What was captured when it returned; empty when nothing was. */
  returnPayload(row: number): Buffer {
    const { bytes, returnAt, endAt } = this.captures;
    const from = returnAt[row] ?? 0;
    const to = endAt[row] ?? 0;
    return to > from ? bytes.subarray(from, to) : this.#latePayload(row);
  }

  /** The late ends known now. */
  get late(): readonly LateRow[] {
    this.#refreshLate();
    return this.#late;
  }

  /** Calls that have not ended as far as is known. */
  get open(): number {
    return this.#row.open - this.late.length;
  }

  get maxNs(): number {
    let max = this.#row.max_ns;
    for (const late of this.late) max = Math.max(max, late.duration_ns ?? 0);
    return max;
  }

  /** The latest end known. */
  get endNs(): number {
    let end = this.#row.end_ns;
    for (const late of this.late) {
      if (late.duration_ns === null) continue;
      end = Math.max(end, (this.start[late.ordinal - this.first] ?? 0) + late.duration_ns);
    }
    return end;
  }

  /** Brings late ends up to date with the commit that was seen last. */
  #refreshLate(): void {
    const settled = this.#late.length >= this.#row.open;
    if (settled || this.#lateVersion === this.#from.version) return;
    this.#lateVersion = this.#from.version;
    const late = this.#from.lateOf(this);
    if (late.length === this.#late.length) return;
    this.#late = late;
    this.#duration = null;
    this.#child = null;
    this.#end = null;
  }

  /** Frees the columns. */
  release(): void {
    this.#start = this.#duration = this.#child = null;
    this.#entry = this.#up = this.#depth = null;
    this.#end = null;
    this.#captures = null;
    this.#posting = null;
    this.#digest = undefined;
    this.#numbersAt.clear();
    this.bytes = 0;
  }

  #placeCaptures(): Captures {
    const enterBytes = this.#stored(columns.enterBytes);
    const returnBytes = this.#stored(columns.returnBytes);
    const enterAt = new Uint32Array(this.calls);
    const returnAt = new Uint32Array(this.calls);
    const endAt = new Uint32Array(this.calls);
    let at = 0;
    for (let row = 0; row < this.calls; row++) {
      enterAt[row] = at;
      at += enterBytes[row] ?? 0;
      returnAt[row] = at;
      at += returnBytes[row] ?? 0;
      endAt[row] = at;
    }
    const packed = this.#from.column(this, columns.packed);
    const words = packed
      ? unpack({
          packed: alignedCopy(packed),
          calls: this.dictionary.calls,
          posting: this.posting,
          ...{ enterBytes, returnBytes, enterAt, returnAt, total: at },
        })
      : new Uint32Array(alignedCopy(this.#from.column(this, columns.payload) ?? nothing).buffer);
    this.#from.grown(this, words.byteLength);
    return { bytes: Buffer.from(words.buffer), words, enterAt, returnAt, endAt };
  }

  #latePayload(row: number): Buffer {
    const ordinal = this.first + row;
    for (const late of this.late) {
      if (late.ordinal === ordinal) return late.payload ?? Buffer.alloc(0);
    }
    return Buffer.alloc(0);
  }

  #withLate<T extends Float64Array | Uint8Array>(values: T, of: (late: LateRow) => number): T {
    for (const late of this.late) values[late.ordinal - this.first] = of(late);
    return values;
  }

  #numbers(column: number, map: (stored: number) => number): Float64Array {
    const stored = this.#stored(column);
    const values = new Float64Array(this.calls);
    for (let row = 0; row < this.calls; row++) values[row] = map(stored[row] ?? 0);
    return values;
  }

  #whole(column: number): Uint32Array {
    return Uint32Array.from(this.#stored(column));
  }

  #stored(column: number): Uint8Array | Uint16Array | Uint32Array | Float64Array {
    const bytes = alignedCopy(this.#from.column(this, column) ?? new Uint8Array(0));
    if (column >= numberColumns) return bytes;
    switch (this.#row.widths[column]) {
      case '1':
        return bytes;
      case '2':
        return new Uint16Array(bytes.buffer);
      case '4':
        return new Uint32Array(bytes.buffer);
      default:
        return new Float64Array(bytes.buffer);
    }
  }
}

/** The index of blocks of one session, kept up to date while the session is written. */
export class Blocks {
  readonly #ids: Statement<[], { id: number }>;
  readonly #row: Statement<[id: number], BlockRow>;
  readonly #column: Statement<[key: number], { data: Buffer }>;
  readonly #lateRows: Statement<[thread: number, from: number, to: number], LateRow>;
  readonly #byId = new Map<number, Block>();
  /** Blocks with decoded columns, least recently used first. */
  readonly #used = new Map<number, Block>();
  #usedBytes = 0;
  #byTime: readonly Block[] = [];
  #byThread = new Map<number, Block[]>();
  /** Rises when another commit is seen. */
  version = 0;

  constructor(db: Sqlite) {
    this.#ids = db.prepare('SELECT id FROM blocks ORDER BY id');
    this.#row = db.prepare('SELECT * FROM blocks WHERE id = ?');
    this.#column = db.prepare('SELECT data FROM columns WHERE key = ?');
    this.#lateRows = db.prepare(
      'SELECT ordinal, duration_ns, child_ns, end, payload FROM late WHERE thread = ? AND ordinal >= ? AND ordinal < ?',
    );
  }

  /** Takes over what another commit brought. */
  refresh(): void {
    this.version++;
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

  column(block: Block, column: number): Buffer | null {
    const data = this.#column.get(block.id * columnsPerBlock + column)?.data ?? null;
    this.grown(block, block.calls * decodedBytes(column));
    return data;
  }

  /** Counts memory that a block has taken. */
  grown(block: Block, bytes: number): void {
    block.bytes += bytes;
    this.#usedBytes += bytes;
    this.#used.delete(block.id);
    this.#used.set(block.id, block);
  }

  /** Frees columns beyond the cache's size. Call between queries. */
  shrink(): void {
    for (const [id, block] of this.#used) {
      if (this.#usedBytes <= CACHE_BYTES) return;
      this.#free(id, block);
    }
  }

  /** During a long scan: frees a block's columns when the cache is full. */
  passed(block: Block): void {
    if (this.#usedBytes > CACHE_BYTES) this.#free(block.id, block);
  }

  lateOf(block: Block): LateRow[] {
    return this.#lateRows.all(block.thread, block.first, block.first + block.calls);
  }

  #free(id: number, block: Block): void {
    this.#usedBytes -= block.bytes;
    this.#used.delete(id);
    block.release();
  }

  #add(id: number): void {
    if (this.#byId.has(id)) return;
    const row = this.#row.get(id);
    if (row) this.#byId.set(id, new Block(row, this));
  }

  #remove(id: number): void {
    const block = this.#byId.get(id);
    if (block) this.#free(id, block);
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
