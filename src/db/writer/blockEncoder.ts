import { blockCalls, columns, endCode, endMask } from '../blockFormat.ts';
import type { CallRows } from './callRows.ts';
import { ColumnPacker, type PackedColumn } from './columnPacker.ts';
import { ContentPrint } from './contentPrint.ts';
import { DigestBuilder } from './digestBuilder.ts';
import { Fingerprint } from './fingerprint.ts';
import type { FunctionFacts } from './functionFacts.ts';
import { PayloadPacker } from './payloadPacker.ts';

/** One block, ready to be written. Its buffers are valid until the next `encode`. */
export interface EncodedBlock {
  readonly calls: number;
  readonly startNs: number;
  readonly lastNs: number;
  /** The latest known end. */
  readonly endNs: number;
  readonly maxNs: number;
  readonly open: number;
  /** Calls whose duration is known. */
  readonly timed: number;
  readonly widths: string;
  readonly dictionary: Buffer;
  /** Equal for blocks with the same calls in the same order; null of a block that is not full. */
  readonly shape: number | null;
  /** The same with what was captured and how calls ended, as far as that was known. */
  readonly content: number | null;
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
  readonly #entry = new Uint32Array(blockCalls);
  readonly #next = new Uint32Array(blockCalls);
  readonly #posting = new Uint16Array(blockCalls);
  readonly #digest: DigestBuilder;
  readonly #packer = new ColumnPacker();
  readonly #payloadPacker = new PayloadPacker();
  readonly #content: ContentPrint;
  #payload = new Uint32Array(16384);

  constructor(facts: FunctionFacts) {
    this.#digest = new DigestBuilder(facts);
    this.#content = new ContentPrint((fn) => facts.of(fn));
  }

  /** Rows [from, to), at least one. `isFull`: they will not be encoded again. */
  encode(rows: CallRows, from: number, to: number, isFull: boolean): EncodedBlock {
    const count = to - from;
    const startNs = rows.start[from] ?? 0;
    const entries = this.#index(rows, from, to);
    const { endNs, maxNs, open, timed } = this.#survey(rows, from, to);
    const data: { column: number; data: Buffer }[] = [];
    let widths = '';
    const put = (column: number, packed: PackedColumn): void => {
      widths += String(packed.width);
      data.push({ column, data: packed.data });
    };
    const pack = this.#packer;
    put(columns.start, pack.floats(columns.start, rows.start, from, count, startNs));
    put(columns.duration, pack.floats(columns.duration, rows.duration, from, count));
    put(columns.child, pack.floats(columns.child, rows.child, from, count));
    put(columns.fn, pack.words(columns.fn, this.#entry, 0, count));
    put(columns.up, pack.floats(columns.up, rows.up, from, count));
    put(columns.depth, pack.words(columns.depth, rows.depth, from, count));
    const ends = rows.end.subarray(from, to);
    put(columns.end, { width: 1, data: Buffer.from(ends.buffer, ends.byteOffset, count) });
    put(columns.enterBytes, pack.words(columns.enterBytes, rows.enterBytes, from, count));
    put(columns.returnBytes, pack.words(columns.returnBytes, rows.returnBytes, from, count));
    const payload = isFull ? this.#pack(rows, from, entries) : this.#gather(rows, from, to);
    if (payload.length > 0) {
      data.push({ column: isFull ? columns.packed : columns.payload, data: payload });
    }
    if (rows.strand.length > 0 || rows.suspended.length > 0) {
      for (const packed of this.#ofActivations(rows, from, count)) {
        widths += String(packed?.width ?? 0);
        if (packed) data.push(packed);
      }
    }
    const posting = Buffer.from(this.#posting.buffer, 0, count * 2);
    data.push({ column: columns.posting, data: posting });
    const digest = isFull ? this.#digestOf(rows, from, count, entries) : null;
    if (digest) data.push({ column: columns.digest, data: digest });
    return {
      calls: count,
      startNs,
      lastNs: rows.start[to - 1] ?? 0,
      endNs,
      maxNs,
      open,
      timed,
      widths,
      dictionary: this.#dictionary(entries),
      shape: isFull ? this.#shapeOf(rows, from, to) : null,
      content: isFull ? this.#content.number(rows, from, to) : null,
      columns: data,
    };
  }

  /** The columns that only blocks with activations have, or with calls that waited; their widths come last. */
  #ofActivations(
    { suspended, strand }: CallRows,
    from: number,
    count: number,
  ): readonly (({ readonly column: number } & PackedColumn) | null)[] {
    const { suspended: waited, strand: numbered } = columns;
    const hasWaited = suspended.subarray(from, from + count).some((ns) => ns > 0);
    const isNumbered = strand.subarray(from, from + count).some((number) => number > 0);
    const pack = this.#packer;
    return [
      hasWaited ? { column: waited, ...pack.floats(waited, suspended, from, count) } : null,
      isNumbered ? { column: numbered, ...pack.words(numbered, strand, from, count) } : null,
    ];
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
  ): { endNs: number; maxNs: number; open: number; timed: number } {
    const { start, duration: durations, end: ends } = rows;
    let endNs = 0;
    let maxNs = 0;
    let open = 0;
    let timed = 0;
    for (let r = from; r < to; r++) {
      const stored = durations[r] ?? 0;
      if (stored === 0) {
        if (((ends[r] ?? 0) & endMask) === endCode.open) open++;
        continue;
      }
      timed++;
      const duration = stored - 1;
      const end = (start[r] ?? 0) + duration;
      if (end > endNs) endNs = end;
      if (duration > maxNs) maxNs = duration;
      const entry = this.#entry[r - from] ?? 0;
      if (duration > (this.#max[entry] ?? 0)) this.#max[entry] = duration;
    }
    return { endNs, maxNs, open, timed };
  }

  #pack(rows: CallRows, from: number, entries: number): Buffer {
    const grouped = { entries, calls: this.#calls, posting: this.#posting };
    return this.#payloadPacker.pack(rows, from, grouped);
  }

  #shapeOf(rows: CallRows, from: number, to: number): number {
    const shape = new Fingerprint();
    shape.addAll(rows.fn, from, to);
    shape.addAll(rows.depth, from, to);
    return shape.number;
  }

  #gather(rows: CallRows, from: number, to: number): Buffer {
    const { enterAt, enterBytes, returnAt, returnBytes, payload } = rows;
    let total = 0;
    for (let r = from; r < to; r++) total += (enterBytes[r] ?? 0) + (returnBytes[r] ?? 0);
    if (this.#payload.length * 4 < total) this.#payload = new Uint32Array(total / 2);
    const target = this.#payload;
    let at = 0;
    for (let r = from; r < to; r++) {
      at = copy(payload, enterAt[r] ?? 0, (enterBytes[r] ?? 0) >>> 2, target, at);
      at = copy(payload, returnAt[r] ?? 0, (returnBytes[r] ?? 0) >>> 2, target, at);
    }
    return Buffer.from(target.buffer, 0, total);
  }

  #digestOf(rows: CallRows, base: number, count: number, entries: number): Buffer | null {
    const digest = this.#digest;
    const posting = this.#posting;
    digest.begin(count);
    for (let entry = 0; entry < entries; entry++) {
      const to = this.#next[entry] ?? 0;
      const from = to - (this.#calls[entry] ?? 0);
      digest.add({ entry, fn: this.#fn[entry] ?? 0, posting, from, to, base }, rows);
    }
    return digest.finish();
  }

  #dictionary(entries: number): Buffer {
    const bytes = new ArrayBuffer(entries * 16);
    new Float64Array(bytes, 0, entries).set(this.#max.subarray(0, entries));
    new Uint32Array(bytes, entries * 8, entries).set(this.#fn.subarray(0, entries));
    new Uint32Array(bytes, entries * 12, entries).set(this.#calls.subarray(0, entries));
    return Buffer.from(bytes);
  }

  #widen(fn: number): void {
    const wider = new Uint32Array(Math.max(fn + 1, this.#entryOf.length * 2));
    wider.set(this.#entryOf);
    this.#entryOf = wider;
  }
}

/** Copies a few words and returns the position after them. */
function copy(
  source: Uint32Array,
  from: number,
  words: number,
  target: Uint32Array,
  at: number,
): number {
  const end = at + words;
  if (words > 16) target.set(source.subarray(from, from + words), at);
  else for (let i = from, o = at; o < end; i++, o++) target[o] = source[i] ?? 0;
  return end;
}
