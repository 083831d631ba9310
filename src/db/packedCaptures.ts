import { placesOf, type CaptureLengths, type Captures } from './captures.ts';
import {
  aligned,
  fewCalls,
  lengthClasses,
  rowsOfLength,
  type LengthClass,
  type PackedPlaces,
} from './packedPayload.ts';

/** A word of each capture, less `base`; null: it is the base in all. Few calls: all words, call by call. */
interface Stored {
  readonly base: number;
  readonly stored: Uint8Array | Uint16Array | Uint32Array | null;
}

/** The calls of one function, and how much was captured of each row. */
interface OwnCalls {
  readonly rows: Uint16Array;
  readonly bytes: ArrayLike<number>;
}

/** The captures of one function's calls that have the same length: a column per word of 4 bytes. */
export class PackedColumns {
  /** Of each capture. */
  readonly words: number;
  readonly calls: number;
  /** Where the next ones begin. */
  readonly end: number;
  readonly #of: OwnCalls;
  readonly #packed: Uint8Array<ArrayBuffer>;
  readonly #offset: number;
  /** Null: the calls are too few for columns. */
  readonly #widths: Uint8Array | null;
  readonly #views: (Stored | undefined)[] = [];
  #rows: Uint16Array | null = null;

  constructor(
    packed: Uint8Array<ArrayBuffer>,
    offset: number,
    { bytes, calls }: LengthClass,
    of: OwnCalls,
  ) {
    this.words = bytes >>> 2;
    this.calls = calls;
    this.#of = of;
    this.#packed = packed;
    this.#offset = offset;
    if (calls < fewCalls) {
      this.#widths = null;
      this.end = offset + calls * bytes;
      return;
    }
    this.#widths = packed.subarray(offset + this.words * 4, offset + this.words * 5);
    this.end = this.#columnAt(this.words);
  }

  /** Ascending. */
  get rows(): Uint16Array {
    return (this.#rows ??= this.#ownRows());
  }

  /** One word of each capture, in the order of `rows`. */
  column(word: number): Uint32Array {
    const { calls } = this;
    const { base, stored } = this.#stored(word);
    if (stored === null) return new Uint32Array(calls).fill(base);
    if (this.#widths === null)
      return Uint32Array.from({ length: calls }, (_, i) => stored[i * this.words + word] ?? 0);
    const column = new Uint32Array(stored);
    if (base !== 0) for (let i = 0; i < calls; i++) column[i] = (column[i] ?? 0) + base;
    return column;
  }

  /** Copies the captures of those of `rows` (ascending) that are here to where `starts` has them, in bytes. */
  copy(rows: Uint16Array, starts: Uint32Array, out: Uint32Array): void {
    const { from, to } = this.#places(rows, starts);
    const { buffer } = this.#packed;
    const words = new Uint32Array(buffer);
    const shorts = new Uint16Array(buffer);
    const bases = this.#offset >>> 2;
    let at = this.#columnAt(0);
    for (let word = 0; word < this.words; word++) {
      if (this.#widths === null) {
        for (let i = 0; i < to.length; i++)
          out[(to[i] ?? 0) + word] = words[bases + (from[i] ?? 0) * this.words + word] ?? 0;
        continue;
      }
      const base = words[bases + word] ?? 0;
      const width = this.#widths[word] ?? 0;
      if (width === 0 && base === 0) continue;
      for (let i = 0; i < to.length; i++) {
        const place = from[i] ?? 0;
        let above = 0;
        if (width === 1) above = this.#packed[at + place] ?? 0;
        else if (width === 2) above = shorts[(at >>> 1) + place] ?? 0;
        else if (width === 4) above = words[(at >>> 2) + place] ?? 0;
        out[(to[i] ?? 0) + word] = base + above;
      }
      at += aligned(this.calls * width);
    }
  }

  /** Which captures are of these rows, and the words they go to. */
  #places(rows: Uint16Array, starts: Uint32Array): { from: Uint16Array; to: Uint32Array } {
    const own = this.rows;
    const from = new Uint16Array(rows.length);
    const to = new Uint32Array(rows.length);
    let found = 0;
    let at = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      while (at < own.length && (own[at] ?? 0) < row) at++;
      if (own[at] !== row) continue;
      from[found] = at;
      to[found++] = (starts[i] ?? 0) >>> 2;
    }
    return { from: from.subarray(0, found), to: to.subarray(0, found) };
  }

  /** Copies the i-th capture to out[to, to + words). */
  copyOne(i: number, out: Uint32Array, to: number): void {
    const { buffer } = this.#packed;
    const words = new Uint32Array(buffer);
    const bases = this.#offset >>> 2;
    if (this.#widths === null) {
      const from = bases + i * this.words;
      out.set(words.subarray(from, from + this.words), to);
      return;
    }
    const shorts = new Uint16Array(buffer);
    let at = this.#columnAt(0);
    for (let word = 0; word < this.words; word++) {
      const width = this.#widths[word] ?? 0;
      let above = 0;
      if (width === 1) above = this.#packed[at + i] ?? 0;
      else if (width === 2) above = shorts[(at >>> 1) + i] ?? 0;
      else if (width === 4) above = words[(at >>> 2) + i] ?? 0;
      out[to + word] = (words[bases + word] ?? 0) + above;
      at += aligned(this.calls * width);
    }
  }

  /** One word of the i-th capture. */
  word(word: number, i: number): number {
    const { base, stored } = this.#stored(word);
    if (stored === null) return base;
    return base + (stored[this.#widths === null ? i * this.words + word : i] ?? 0);
  }

  #ownRows(): Uint16Array {
    const { rows, bytes } = this.#of;
    if (this.calls === rows.length) return rows;
    const own = new Uint16Array(this.calls);
    rowsOfLength(rows, bytes, this.words * 4, own);
    return own;
  }

  #stored(word: number): Stored {
    return (this.#views[word] ??= this.#view(word));
  }

  #view(word: number): Stored {
    const { buffer } = this.#packed;
    const { calls } = this;
    if (this.#widths === null)
      return { base: 0, stored: new Uint32Array(buffer, this.#offset, calls * this.words) };
    const base = new Uint32Array(buffer, this.#offset, this.words)[word] ?? 0;
    const at = this.#columnAt(word);
    switch (this.#widths[word]) {
      case 1:
        return { base, stored: new Uint8Array(buffer, at, calls) };
      case 2:
        return { base, stored: new Uint16Array(buffer, at, calls) };
      case 4:
        return { base, stored: new Uint32Array(buffer, at, calls) };
      default:
        return { base, stored: null };
    }
  }

  #columnAt(word: number): number {
    const { calls } = this;
    let at = this.#offset + this.words * 4 + aligned(this.words);
    for (let i = 0; i < word; i++) at += aligned(calls * (this.#widths?.[i] ?? 0));
    return at;
  }
}

/** The captures of a full block, still packed: for questions that need few of them. */
export class PackedCaptures {
  readonly #entered: PackedColumns[][] = [];
  readonly #returned: PackedColumns[][] = [];
  readonly #lengths: CaptureLengths;

  constructor({ packed, calls, posting, enterBytes, returnBytes }: PackedPlaces) {
    this.#lengths = { enterBytes, returnBytes };
    let offset = 0;
    const columnsOf = (of: OwnCalls): PackedColumns[] =>
      lengthClasses(of.rows, of.bytes).map((alike) => {
        const columns = new PackedColumns(packed, offset, alike, of);
        offset = columns.end;
        return columns;
      });
    let from = 0;
    for (const count of calls) {
      const rows = posting.subarray(from, from + count);
      from += count;
      this.#entered.push(columnsOf({ rows, bytes: enterBytes }));
      this.#returned.push(columnsOf({ rows, bytes: returnBytes }));
    }
    if (offset !== packed.length) throw new RangeError('captures are of another length');
  }

  /** What the calls of a dictionary entry were entered with; those without anything are left out. */
  entered(entry: number): readonly PackedColumns[] {
    return this.#entered[entry] ?? [];
  }

  /** What they returned. */
  returned(entry: number): readonly PackedColumns[] {
    return this.#returned[entry] ?? [];
  }

  /** What was captured of these calls of a dictionary entry, rows ascending. */
  of(entry: number, rows: Uint16Array): Captures {
    const { total, ...places } = placesOf(rows.length, this.#lengths, rows);
    const words = new Uint32Array(total >>> 2);
    for (const columns of this.entered(entry)) columns.copy(rows, places.enterAt, words);
    for (const columns of this.returned(entry)) columns.copy(rows, places.returnAt, words);
    return { bytes: Buffer.from(words.buffer), words, ...places };
  }

  /** The words captured of one call: what it was entered with, then what it returned. */
  wordsOf(entry: number, row: number): { words: Uint32Array<ArrayBuffer>; entered: number } {
    const entered = placeOf(this.entered(entry), row);
    const returned = placeOf(this.returned(entry), row);
    const before = entered?.columns.words ?? 0;
    const words = new Uint32Array(before + (returned?.columns.words ?? 0));
    entered?.columns.copyOne(entered.i, words, 0);
    returned?.columns.copyOne(returned.i, words, before);
    return { words, entered: before };
  }
}

/** Where a row is among those of a function; null when nothing was captured of it. */
function placeOf(
  all: readonly PackedColumns[],
  row: number,
): { columns: PackedColumns; i: number } | null {
  for (const columns of all) {
    const { rows } = columns;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle] ?? 0) >= row) high = middle;
      else low = middle + 1;
    }
    if (rows[low] === row) return { columns, i: low };
  }
  return null;
}
