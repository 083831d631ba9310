import {
  alignedCopy,
  alone,
  columns,
  columnsPerBlock,
  numberColumns,
  readDictionary,
  type DictionaryView,
} from '../blockFormat.ts';
import type { DefinedNames } from '../../model/decoding/dynamic.ts';
import { StrobeError } from '../../model/errors.ts';
import { placesOf, type CaptureLengths, type Captures } from '../captures.ts';
import { PackedCaptures } from '../packedCaptures.ts';
import { unpack, type PackedPlaces } from '../packedPayload.ts';
import { ValueDigest } from '../valueDigest.ts';
import type { BlockContexts } from './tree/blockContexts.ts';

export interface BlockRow {
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
  readonly shape: number | null;
  readonly content: number | null;
}

/** A column of numbers, as narrow as it is stored. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export interface LateRow {
  readonly ordinal: number;
  readonly duration_ns: number | null;
  readonly child_ns: number;
  readonly end: number;
  readonly payload: Buffer | null;
  readonly suspended_ns: number;
}

/** Where a block's columns come from. */
export interface BlockSource {
  /** Rises when another commit is seen. */
  readonly version: number;
  /** Bytes of all digests in memory. */
  digestBytes: number;
  /** Bytes of all contexts in memory. */
  contextBytes: number;
  /** `isKept`: the block keeps it as it is. */
  column(block: Block, column: number, isKept?: boolean): Buffer | null;
  /** Counts memory that a block has taken. */
  grown(block: Block, bytes: number): void;
  lateOf(block: Block): readonly LateRow[];
  /** Since when an open call is suspended. */
  waitsSince(thread: number, ordinal: number): number | null;
  /** What the process of a thread defined. */
  namesOf(thread: number): DefinedNames;
}

/** What was captured of one call. */
export interface CallCaptures {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly enterAt: number;
  readonly returnAt: number;
  readonly endAt: number;
}

const nothing = new Uint8Array(0);
const damagedHint = 'Ask for stats, output or crash, or for other times: they do not need it.';

/** What a late end sets in a column, as it is stored there. */
const lateNumbers: readonly (((late: LateRow) => number) | undefined)[] = Array.from(
  { length: columnsPerBlock },
  (_, column) => {
    switch (column) {
      case columns.duration:
        return ({ duration_ns }) => (duration_ns === null ? 0 : duration_ns + 1);
      case columns.child:
        return ({ child_ns }) => child_ns;
      case columns.end:
        return ({ end }) => end;
      case columns.suspended:
        return ({ suspended_ns }) => suspended_ns;
      default:
        return undefined;
    }
  },
);

/** Captures of so many calls of a block one by one take longer than all of them together. */
const MANY = 1024;

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
  /** Equal for blocks with the same functions and depths in order; null when that is not known. */
  readonly shape: number | null;
  /** Of blocks of the same shape: equal where values and ends are, but for addresses and late ends. */
  readonly content: number | null;
  readonly #row: BlockRow;
  readonly #from: BlockSource;
  #start: Float64Array | null = null;
  #duration: Float64Array | null = null;
  #captures: Captures | null = null;
  #packed: PackedCaptures | null | undefined;
  /** Calls whose captures were asked for one by one. */
  #lookedAt = 0;
  #posting: Uint16Array | null = null;
  /** Where in it each dictionary entry begins, and the end. */
  #entryAt: Uint32Array | null = null;
  readonly #numbersAt = new Map<number, Float64Array>();
  readonly #narrow: (Numbers | undefined)[] = [];
  #contexts: BlockContexts | null = null;
  #digest: ValueDigest | null | undefined;
  #digestBytes = 0;
  #late: readonly LateRow[] = [];
  #lateVersion = -1;
  /** Few, and asked for by every question about values: kept when the columns are freed. */
  #lateEntries: readonly number[] | null = null;
  bytes = 0;
  /** The query (`Blocks`) that used its columns last. */
  usedIn = 0;

  constructor(row: BlockRow, from: BlockSource) {
    this.#row = row;
    this.#from = from;
    this.id = row.id;
    this.thread = row.thread;
    this.first = row.first;
    this.calls = row.calls;
    this.startNs = row.start_ns;
    this.lastNs = row.last_ns;
    this.shape = row.shape;
    this.content = row.content;
    this.dictionary = readDictionary(row.dictionary);
    const strings = row.strings ? alignedCopy(row.strings) : new Uint8Array(0);
    this.strings = new Uint32Array(strings.buffer, 0, strings.length / 4);
  }

  /** For loops; of single calls `startOf` and `durationOf` need no copy of the column. */
  get start(): Float64Array {
    this.#start ??= this.#numbers(columns.start, this.startNs);
    return this.#start;
  }

  get duration(): Float64Array {
    this.#refreshLate();
    this.#duration ??= this.#withLate(
      this.#numbers(columns.duration, -1),
      (late) => late.duration_ns ?? -1,
    );
    return this.#duration;
  }

  startOf(row: number): number {
    return this.startNs + (this.narrow(columns.start)[row] ?? 0);
  }

  /** -1 when it is not known. */
  durationOf(row: number): number {
    return (this.narrow(columns.duration)[row] ?? 0) - 1;
  }

  /** Time in direct children. */
  get child(): Numbers {
    return this.narrow(columns.child);
  }

  /** End code and return class (blockFormat.ts). */
  get end(): Numbers {
    return this.narrow(columns.end);
  }

  /** Dictionary entry per row. */
  get entry(): Numbers {
    return this.narrow(columns.fn);
  }

  /** Distance to the parent's ordinal; 0 = root. */
  get up(): Numbers {
    return this.narrow(columns.up);
  }

  get depth(): Numbers {
    return this.narrow(columns.depth);
  }

  /** For how long calls that have ended were suspended; null: none of the block was. */
  get suspended(): Numbers | null {
    const stored = this.narrow(columns.suspended);
    if (stored.length > 0) return stored;
    if (!this.late.some(({ suspended_ns: ns }) => ns > 0)) return null;
    const none = new Float64Array(this.calls);
    return (this.#narrow[columns.suspended] = this.#withLate(none, (end) => end.suspended_ns));
  }

  /** The strand of each call; null: none has one. */
  get strand(): Numbers | null {
    return this.#row.widths.length > numberColumns ? this.narrow(columns.strand) : null;
  }

  /** What its dynamic values refer to. */
  get names(): DefinedNames {
    return this.#from.namesOf(this.thread);
  }

  /** Since when an open call waits; null: it does not. */
  waitsSince(row: number): number | null {
    return this.#from.waitsSince(this.thread, this.first + row);
  }

  /** A column as it is stored (blockFormat.ts), with late ends. */
  narrow(column: number): Numbers {
    this.#refreshLate();
    return (this.#narrow[column] ??= this.#storedWithLate(column));
  }

  /** The contexts of its calls (contextForest.ts), once they were found, while they are true. */
  get contexts(): BlockContexts | null {
    this.#refreshLate();
    return this.#contexts;
  }

  set contexts(contexts: BlockContexts | null) {
    this.#from.contextBytes += (contexts?.bytes ?? 0) - (this.#contexts?.bytes ?? 0);
    this.#contexts = contexts;
  }

  /** Row numbers by dictionary entry. */
  get posting(): Uint16Array {
    if (this.#posting === null) {
      const bytes = alone(this.#from.column(this, columns.posting) ?? new Uint8Array(0));
      this.#posting = new Uint16Array(bytes.buffer, 0, this.calls);
    }
    return this.#posting;
  }

  /** The rows of a dictionary entry, ascending. */
  rowsOf(entry: number): Uint16Array {
    this.#entryAt ??= startsOf(this.dictionary.calls);
    return this.posting.subarray(this.#entryAt[entry], this.#entryAt[entry + 1]);
  }

  /** What values it holds; null when that is not known. */
  get digest(): ValueDigest | null {
    if (this.#digest === undefined) {
      const bytes = this.#from.column(this, columns.digest);
      this.#digest = bytes && new ValueDigest(bytes);
      this.#digestBytes = bytes?.length ?? 0;
      this.#from.digestBytes += this.#digestBytes;
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

  /** The captured bytes of all rows. */
  get captures(): Captures {
    this.#captures ??= this.#placeCaptures();
    return this.#captures;
  }

  /** The captures of a full block as they are stored; null when they are not packed. */
  get packed(): PackedCaptures | null {
    if (this.#packed === undefined) {
      const packed = this.#from.column(this, columns.packed);
      this.#packed = packed && new PackedCaptures(this.#packedPlaces(packed));
      if (packed) this.#from.grown(this, packed.length);
    }
    return this.#packed;
  }

  /** What was captured of one call; `captures` is faster where many are looked at. */
  captured(row: number): CallCaptures {
    const packed = this.#captures === null && this.#lookedAt++ < MANY ? this.packed : null;
    if (packed === null) {
      const { bytes, words, enterAt, returnAt, endAt } = this.captures;
      const from = enterAt[row] ?? 0;
      const middle = returnAt[row] ?? 0;
      const to = endAt[row] ?? 0;
      return { bytes, words, enterAt: from, returnAt: middle, endAt: to };
    }
    const { words, entered } = packed.wordsOf(this.entry[row] ?? 0, row);
    const bytes = Buffer.from(words.buffer);
    return { bytes, words, enterAt: 0, returnAt: entered * 4, endAt: bytes.length };
  }

  /** What was captured of some calls of one function, rows ascending. */
  capturesOf(rows: Uint16Array): Captures {
    const packed = this.#captures === null ? this.packed : null;
    if (packed !== null) return packed.of(this.entry[rows[0] ?? 0] ?? 0, rows);
    const { bytes, words, enterAt, returnAt, endAt } = this.captures;
    const of = (places: Uint32Array): Uint32Array =>
      Uint32Array.from(rows, (row) => places[row] ?? 0);
    return { bytes, words, enterAt: of(enterAt), returnAt: of(returnAt), endAt: of(endAt) };
  }

  /** What was captured when the call was entered. */
  enterPayload(row: number): Buffer {
    const { bytes, enterAt, returnAt } = this.captured(row);
    return bytes.subarray(enterAt, returnAt);
  }

  /** What was captured when it returned; empty when nothing was. */
  returnPayload(row: number): Buffer {
    const { bytes, returnAt, endAt } = this.captured(row);
    return endAt > returnAt ? bytes.subarray(returnAt, endAt) : this.#latePayload(row);
  }

  /** The late ends known now. */
  get late(): readonly LateRow[] {
    this.#refreshLate();
    return this.#late;
  }

  /** The dictionary entry of each call in `late`. */
  get lateEntries(): readonly number[] {
    const { late } = this;
    this.#lateEntries ??= late.map(({ ordinal }) => this.entry[ordinal - this.first] ?? 0);
    return this.#lateEntries;
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
      const start = this.narrow(columns.start)[late.ordinal - this.first] ?? 0;
      end = Math.max(end, this.startNs + start + late.duration_ns);
    }
    return end;
  }

  /** Whether a call is known to have ended after `time`. */
  endsAfter(time: number): boolean {
    let latest = this.#row.end_ns;
    // None began after the last one: mostly no start need be looked up.
    for (const late of this.late) latest = Math.max(latest, this.lastNs + (late.duration_ns ?? 0));
    return latest > time && this.endNs > time;
  }

  /** Brings late ends up to date with the commit that was seen last. */
  #refreshLate(): void {
    const settled = this.#late.length >= this.#row.open;
    if (settled || this.#lateVersion === this.#from.version) return;
    this.#lateVersion = this.#from.version;
    const late = this.#from.lateOf(this);
    if (late.length === this.#late.length) return;
    this.#late = late;
    this.#lateEntries = null;
    this.contexts = null;
    this.#duration = null;
    this.#narrow.length = 0;
  }

  /** Frees the columns; digests and contexts, for which they need not be read, only when those are many. */
  release(withDigest: boolean, withContexts: boolean): void {
    this.#start = this.#duration = null;
    this.#captures = null;
    this.#packed = undefined;
    this.#lookedAt = 0;
    this.#posting = null;
    if (withContexts) this.contexts = null;
    if (withDigest) {
      this.#digest = undefined;
      this.#from.digestBytes -= this.#digestBytes;
      this.#digestBytes = 0;
    }
    this.#numbersAt.clear();
    this.#narrow.length = 0;
    this.bytes = 0;
  }

  #placeCaptures(): Captures {
    const lengths = this.#captureLengths();
    this.#from.grown(this, this.calls * 12);
    const { total, ...places } = placesOf(this.calls, lengths, null);
    const packed = this.#from.column(this, columns.packed);
    const words = packed
      ? unpack({ ...this.#packedPlaces(packed), ...places, total })
      : new Uint32Array(alone(this.#from.column(this, columns.payload) ?? nothing).buffer);
    this.#from.grown(this, words.byteLength);
    return { bytes: Buffer.from(words.buffer), words, ...places };
  }

  #captureLengths(): CaptureLengths {
    return {
      enterBytes: this.narrow(columns.enterBytes),
      returnBytes: this.narrow(columns.returnBytes),
    };
  }

  #packedPlaces(packed: Buffer): PackedPlaces {
    return {
      packed: alone(packed),
      calls: this.dictionary.calls,
      posting: this.posting,
      ...this.#captureLengths(),
    };
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

  #storedWithLate(column: number): Numbers {
    const stored = this.#stored(column, true);
    const of = lateNumbers[column];
    if (!of || this.#late.length === 0 || stored.length === 0) return stored;
    let most = 0;
    for (const late of this.#late) most = Math.max(most, of(late));
    const values = most < 256 ** stored.BYTES_PER_ELEMENT ? stored : new Float64Array(stored);
    for (const late of this.#late) values[late.ordinal - this.first] = of(late);
    return values;
  }

  #numbers(column: number, base: number): Float64Array {
    const values = new Float64Array(this.#stored(column));
    if (base === 0) return values;
    for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? 0) + base;
    return values;
  }

  #stored(column: number, isKept = false): Numbers {
    const isSparse = column === columns.suspended || column === columns.strand;
    const place = isSparse ? numberColumns + column - columns.suspended : column;
    const width = this.#row.widths[place] ?? '0';
    if (isSparse && width === '0') return nothing;
    const bytes = alone(this.#from.column(this, column, isKept) ?? nothing);
    if (column >= numberColumns && !isSparse) return bytes;
    if (bytes.length !== this.calls * Number(width))
      throw new StrobeError('STORE_FAILED', 'A block of calls is damaged.', damagedHint);
    switch (width) {
      case '1':
        return bytes;
      case '2':
        return new Uint16Array(bytes.buffer);
      case '4':
        return new Uint32Array(bytes.buffer);
      case '8':
        return new Float64Array(bytes.buffer);
      default:
        throw new StrobeError('STORE_FAILED', 'A block of calls is damaged.', damagedHint);
    }
  }
}

function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; i++) starts[i + 1] = (starts[i] ?? 0) + (counts[i] ?? 0);
  return starts;
}
