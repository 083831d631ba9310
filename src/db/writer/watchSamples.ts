import { stringFlags, watchFlags, watchNumberBits } from '../../model/eventColumns.ts';
import type { WatchDefinition } from '../../model/watches/watch.ts';
import type { Sqlite, Statement } from '../sqlite.ts';
import { emptySamples, packSamples, type SampledText } from '../watchFormat.ts';

/** Low and high word of value and address, watch, flags. */
const wordsEach = 6;

/** Samples of one thread since the last commit, in arrays that grow: there are as many as events. */
class Pending {
  count = 0;
  time = new Float64Array(256);
  ordinal = new Float64Array(256);
  words = new Uint32Array(256 * wordsEach);
  readonly texts: SampledText[] = [];
  readonly #textIds = new Map<string, number>();
  /** By watch. */
  readonly lastTexts = new Map<
    number,
    { readonly payload: Uint8Array; readonly text: SampledText | undefined; readonly id: number }
  >();

  grow(): void {
    const size = this.time.length * 2;
    this.time = larger(this.time, new Float64Array(size));
    this.ordinal = larger(this.ordinal, new Float64Array(size));
    this.words = larger(this.words, new Uint32Array(size * wordsEach));
  }

  idOf(text: SampledText): number {
    const key = text ? `${text.truncated ? 't' : 'w'}${text.text}` : '';
    const known = this.#textIds.get(key);
    if (known !== undefined) return known;
    this.#textIds.set(key, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** As a row holds them. */
  packed(): Buffer {
    const { count, words } = this;
    const columns = emptySamples(count);
    columns.time.set(this.time.subarray(0, count));
    columns.ordinal.set(this.ordinal.subarray(0, count));
    const value = new Uint32Array(columns.buffer, columns.value.byteOffset, count * 2);
    const address = new Uint32Array(columns.buffer, columns.address.byteOffset, count * 2);
    for (let i = 0, at = 0; i < count; i++, at += wordsEach) {
      value[i * 2] = words[at] ?? 0;
      value[i * 2 + 1] = words[at + 1] ?? 0;
      address[i * 2] = words[at + 2] ?? 0;
      address[i * 2 + 1] = words[at + 3] ?? 0;
      columns.watch[i] = words[at + 4] ?? 0;
      columns.flags[i] = words[at + 5] ?? 0;
    }
    return packSamples(columns.buffer);
  }
}

function larger<T extends Float64Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** What watches saw: one row of the file per thread and commit (watchFormat.ts). */
export class WatchSamples {
  readonly #pending = new Map<number, Pending>();
  readonly #insert: Statement<
    [
      thread: number,
      first: number,
      last: number,
      start: number,
      end: number,
      count: number,
      data: Buffer,
      texts: string | null,
    ]
  >;
  readonly #define: Statement<[number: number, label: string, json: string]>;
  readonly #oldest: Statement<[], { id: number; start_ns: number; last_ns: number; count: number }>;
  readonly #remove: Statement<[id: number]>;
  readonly #db: Sqlite;
  readonly #decoder = new TextDecoder();
  /** Samples in the file and to come. */
  stored = 0;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#insert = db.prepare(
      `INSERT INTO watch_samples (thread, first, last, start_ns, last_ns, count, data, texts)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#define = db.prepare(
      'INSERT OR REPLACE INTO watches (number, label, json) VALUES (?, ?, ?)',
    );
    this.#oldest = db.prepare(
      'SELECT id, start_ns, last_ns, count FROM watch_samples ORDER BY start_ns, id LIMIT 1',
    );
    this.#remove = db.prepare('DELETE FROM watch_samples WHERE id = ?');
  }

  /** Goes on from what the file holds. */
  continue(): void {
    this.stored = this.#db.number('SELECT coalesce(sum(count), 0) FROM watch_samples');
  }

  define(watches: readonly WatchDefinition[]): void {
    for (const watch of watches) this.#define.run(watch.number, watch.label, JSON.stringify(watch));
  }

  /** A sample's record for the call it belongs to: its tag, and its payload as bytes and as words. */
  add(
    thread: number,
    {
      tag,
      ordinal,
      time,
    }: { readonly tag: number; readonly ordinal: number; readonly time: number },
    { bytes, words }: { readonly bytes: Uint8Array; readonly words: Uint32Array },
    from: number,
    to: number,
  ): void {
    let pending = this.#pending.get(thread);
    if (!pending) {
      pending = new Pending();
      this.#pending.set(thread, pending);
    }
    if (pending.count === pending.time.length) pending.grow();
    const i = pending.count++;
    pending.time[i] = time;
    pending.ordinal[i] = ordinal;
    const kept = pending.words;
    const at = i * wordsEach;
    const first = from >>> 2;
    let flags = tag >>> watchNumberBits;
    kept.fill(0, at, at + wordsEach);
    kept[at + 4] = tag & ((1 << watchNumberBits) - 1);
    // The first word is the value, or of a text and of what could not be read the address.
    const isOwn = (flags & (watchFlags.text | watchFlags.tree)) === watchFlags.tree;
    const isValue = (flags & (watchFlags.text | watchFlags.unreadable)) === 0 && !isOwn;
    kept[at + (isValue ? 0 : 2)] = words[first] ?? 0;
    kept[at + (isValue ? 1 : 3)] = words[first + 1] ?? 0;
    if (isValue && (flags & watchFlags.address) !== 0 && to - from >= 16) {
      kept[at + 2] = words[first + 2] ?? 0;
      kept[at + 3] = words[first + 3] ?? 0;
    }
    if (isOwn) {
      // What is behind it is left of other records.
      const length = words[(from + 8) >>> 2] ?? 0;
      const payload = bytes.subarray(from + 8, Math.min(to, from + 16 + length));
      kept[at] = pending.idOf({ text: Buffer.from(payload).toString('base64'), truncated: false });
      flags |= watchFlags.text;
    } else if ((flags & watchFlags.text) !== 0) {
      const watch = kept[at + 4] ?? 0;
      const id = this.#textId(pending, watch, { bytes, words }, from + 8, to, flags);
      if (id === null) flags |= watchFlags.unreadable;
      else kept[at] = id;
    }
    kept[at + 5] = flags;
    this.stored++;
  }

  /** Start of the oldest samples in the file; null when there are none. */
  get oldestNs(): number | null {
    return this.#oldest.get()?.start_ns ?? null;
  }

  /** Gives up the oldest row of the file; returns how many samples that were and until when. */
  dropOldest(): { events: number; untilNs: number } {
    const row = this.#oldest.get();
    if (!row) return { events: 0, untilNs: 0 };
    this.#remove.run(row.id);
    this.stored -= row.count;
    return { events: row.count, untilNs: row.last_ns };
  }

  write(): void {
    for (const [thread, pending] of this.#pending) {
      const { count, time, ordinal, texts } = pending;
      let [first, last] = [Infinity, -1];
      for (let i = 0; i < count; i++) {
        const call = ordinal[i] ?? 0;
        if (call < first) first = call;
        if (call > last) last = call;
      }
      this.#insert.run(
        thread,
        first,
        last,
        time[0] ?? 0,
        time[count - 1] ?? 0,
        count,
        pending.packed(),
        texts.length > 0 ? JSON.stringify(texts) : null,
      );
    }
    this.#pending.clear();
  }

  /** Null: it could not be read. */
  #textId(
    pending: Pending,
    watch: number,
    payloads: { readonly bytes: Uint8Array; readonly words: Uint32Array },
    from: number,
    to: number,
    flags: number,
  ): number | null {
    const payload = payloads.bytes.subarray(from, to);
    const last = pending.lastTexts.get(watch);
    const isSame = last !== undefined && Buffer.compare(last.payload, payload) === 0;
    const text = isSame ? last.text : this.#text(payloads, from, to, flags);
    const id = isSame ? last.id : text === undefined ? 0 : pending.idOf(text);
    // Most samples of a text are like the one before: those are not decoded anew.
    if (!isSame) pending.lastTexts.set(watch, { payload: payload.slice(), text, id });
    return text === undefined ? null : id;
  }

  /** As captured texts and trees are (model/eventColumns); undefined: it could not be read. */
  #text(
    { bytes, words }: { readonly bytes: Uint8Array; readonly words: Uint32Array },
    at: number,
    to: number,
    flags: number,
  ): SampledText | undefined {
    if (at + 8 > to) return undefined;
    const length = words[at >>> 2] ?? 0;
    const captured = words[(at >>> 2) + 1] ?? 0;
    if (captured & stringFlags.isNull) return null;
    if (captured & stringFlags.unreadable) return undefined;
    const truncated = (captured & stringFlags.truncated) !== 0;
    const end = Math.min(to, at + 8 + length);
    if ((flags & watchFlags.tree) !== 0)
      return {
        text: Buffer.from(bytes.subarray(at + 8, end)).toString('base64'),
        truncated,
        ...((captured & stringFlags.deeperCut) !== 0 ? { deeperCut: true } : {}),
      };
    return { text: this.#decoder.decode(bytes.subarray(at + 8, end)), truncated };
  }
}
