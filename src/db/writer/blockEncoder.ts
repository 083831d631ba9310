import { blockCalls, columns, endCode, endMask } from '../blockFormat.ts';
import type { CallRows } from './callRows.ts';

/** One block, ready to be written. Its buffers are valid until the next `encode`. */
export interface EncodedBlock {
  readonly calls: number;
  readonly startNs: number;
  readonly lastNs: number;
  /** The latest known end. */
  readonly endNs: number;
  readonly maxNs: number;
  readonly open: number;
  readonly widths: string;
  readonly dictionary: Buffer;
  /** By column number; empty columns are left out. */
  readonly columns: readonly { readonly column: number; readonly data: Buffer }[];
}

/** Turns rows into the stored form (blockFormat.ts). One per writer: it owns the scratch space. */
export class BlockEncoder {
  /** Dictionary position + 1 by function number; cleared after each block. */
  #entryOf = new Uint32Array(1024);
  readonly #fn = new Uint32Array(blockCalls);
  readonly #calls = new Uint32Array(blockCalls);
  readonly #max = new Float64Array(blockCalls);
  readonly #entry = new Uint16Array(blockCalls);
  readonly #next = new Uint32Array(blockCalls);
  readonly #posting = new Uint16Array(blockCalls);
  readonly #start = new Float64Array(blockCalls);
  #payload = Buffer.alloc(65536);
  readonly #scratch: Buffer[] = [];

  /** Rows [from, to), at least one. */
  encode(rows: CallRows, from: number, to: number): EncodedBlock {
    const count = to - from;
    const startNs = rows.start[from] ?? 0;
    const entries = this.#index(rows, from, to);
    const { endNs, maxNs, open } = this.#survey(rows, from, to);
    for (let i = 0; i < count; i++) this.#start[i] = (rows.start[from + i] ?? 0) - startNs;
    const data: { column: number; data: Buffer }[] = [];
    let widths = '';
    const put = (column: number, values: ArrayLike<number>, at: number): void => {
      const width = widthOf(values, at, count);
      widths += String(width);
      data.push({ column, data: this.#pack(column, values, at, count, width) });
    };
    put(columns.start, this.#start, 0);
    put(columns.duration, rows.duration, from);
    put(columns.child, rows.child, from);
    put(columns.fn, this.#entry, 0);
    put(columns.up, rows.up, from);
    put(columns.depth, rows.depth, from);
    put(columns.end, rows.end, from);
    put(columns.enterBytes, rows.enterBytes, from);
    put(columns.returnBytes, rows.returnBytes, from);
    const payload = this.#gather(rows, from, to);
    if (payload.length > 0) data.push({ column: columns.payload, data: payload });
    const posting = Buffer.from(this.#posting.buffer, 0, count * 2);
    data.push({ column: columns.posting, data: posting });
    return {
      calls: count,
      startNs,
      lastNs: rows.start[to - 1] ?? 0,
      endNs,
      maxNs,
      open,
      widths,
      dictionary: this.#dictionary(entries),
      columns: data,
    };
  }

  /** Fills dictionary and postings; returns the number of dictionary entries. */
  #index(rows: CallRows, from: number, to: number): number {
    let entries = 0;
    for (let r = from; r < to; r++) {
      const fn = rows.fn[r] ?? 0;
      if (fn >= this.#entryOf.length) this.#widen(fn);
      let entry = this.#entryOf[fn] ?? 0;
      if (entry === 0) {
        entry = ++entries;
        this.#entryOf[fn] = entry;
        this.#fn[entry - 1] = fn;
        this.#calls[entry - 1] = 0;
        this.#max[entry - 1] = 0;
      }
      this.#entry[r - from] = entry - 1;
      this.#calls[entry - 1] = (this.#calls[entry - 1] ?? 0) + 1;
    }
    let offset = 0;
    for (let entry = 0; entry < entries; entry++) {
      this.#entryOf[this.#fn[entry] ?? 0] = 0;
      this.#next[entry] = offset;
      offset += this.#calls[entry] ?? 0;
    }
    for (let i = 0; i < to - from; i++) {
      const entry = this.#entry[i] ?? 0;
      const at = this.#next[entry] ?? 0;
      this.#posting[at] = i;
      this.#next[entry] = at + 1;
    }
    return entries;
  }

  #survey(
    rows: CallRows,
    from: number,
    to: number,
  ): { endNs: number; maxNs: number; open: number } {
    let endNs = 0;
    let maxNs = 0;
    let open = 0;
    for (let r = from; r < to; r++) {
      const stored = rows.duration[r] ?? 0;
      if (stored === 0) {
        if (((rows.end[r] ?? 0) & endMask) === endCode.open) open++;
        continue;
      }
      const duration = stored - 1;
      const end = (rows.start[r] ?? 0) + duration;
      if (end > endNs) endNs = end;
      if (duration > maxNs) maxNs = duration;
      const entry = this.#entry[r - from] ?? 0;
      if (duration > (this.#max[entry] ?? 0)) this.#max[entry] = duration;
    }
    return { endNs, maxNs, open };
  }

  #gather(rows: CallRows, from: number, to: number): Buffer {
    let total = 0;
    for (let r = from; r < to; r++) {
      total += (rows.enterBytes[r] ?? 0) + (rows.returnBytes[r] ?? 0);
    }
    if (this.#payload.length < total) this.#payload = Buffer.alloc(total * 2);
    let at = 0;
    for (let r = from; r < to; r++) {
      at = copy(rows.payload, rows.enterAt[r] ?? 0, rows.enterBytes[r] ?? 0, this.#payload, at);
      at = copy(rows.payload, rows.returnAt[r] ?? 0, rows.returnBytes[r] ?? 0, this.#payload, at);
    }
    return this.#payload.subarray(0, total);
  }

  #dictionary(entries: number): Buffer {
    const bytes = new ArrayBuffer(entries * 16);
    new Float64Array(bytes, 0, entries).set(this.#max.subarray(0, entries));
    new Uint32Array(bytes, entries * 8, entries).set(this.#fn.subarray(0, entries));
    new Uint32Array(bytes, entries * 12, entries).set(this.#calls.subarray(0, entries));
    return Buffer.from(bytes);
  }

  #pack(
    column: number,
    values: ArrayLike<number>,
    from: number,
    count: number,
    width: number,
  ): Buffer {
    this.#scratch[column] ??= Buffer.from(new ArrayBuffer(blockCalls * 8));
    const { buffer } = this.#scratch[column];
    const out =
      width === 1
        ? new Uint8Array(buffer, 0, count)
        : width === 2
          ? new Uint16Array(buffer, 0, count)
          : width === 4
            ? new Uint32Array(buffer, 0, count)
            : new Float64Array(buffer, 0, count);
    for (let i = 0; i < count; i++) out[i] = values[from + i] ?? 0;
    return Buffer.from(buffer, 0, count * width);
  }

  #widen(fn: number): void {
    const wider = new Uint32Array(Math.max(fn + 1, this.#entryOf.length * 2));
    wider.set(this.#entryOf);
    this.#entryOf = wider;
  }
}

function widthOf(values: ArrayLike<number>, from: number, count: number): number {
  let max = 0;
  for (let i = from; i < from + count; i++) {
    const value = values[i] ?? 0;
    if (value > max) max = value;
  }
  return max < 256 ? 1 : max < 65536 ? 2 : max < 4294967296 ? 4 : 8;
}

/** Copies a few bytes and returns the position after them. */
function copy(
  source: Uint8Array,
  from: number,
  bytes: number,
  target: Uint8Array,
  at: number,
): number {
  if (bytes > 64) target.set(source.subarray(from, from + bytes), at);
  else for (let i = 0; i < bytes; i++) target[at + i] = source[from + i] ?? 0;
  return at + bytes;
}
