import { kindBit, packCallEvents } from '../callEventFormat.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

/** Events of one thread since the last commit. */
class Pending {
  count = 0;
  kinds = 0;
  time = new Float64Array(64);
  ordinal = new Float64Array(64);
  kind = new Uint32Array(64);
  detail = new Uint32Array(64);
  payloadEnd = new Uint32Array(64);
  payload = Buffer.alloc(1024);

  grow(): void {
    const size = this.time.length * 2;
    this.time = larger(this.time, new Float64Array(size));
    this.ordinal = larger(this.ordinal, new Float64Array(size));
    this.kind = larger(this.kind, new Uint32Array(size));
    this.detail = larger(this.detail, new Uint32Array(size));
    this.payloadEnd = larger(this.payloadEnd, new Uint32Array(size));
  }
}

function larger<T extends Float64Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}

/** An event of a call that neither begins nor ends it. */
export interface CallEvent {
  readonly kind: number;
  readonly ordinal: number;
  readonly time: number;
  readonly detail: number;
}

/** What a row holds at most: a commit may come late. */
const ROW_BYTES = 64 << 20;
const ROW_EVENTS = 1 << 20;

/** Suspensions, exceptions and switches of strands: rows of the file per thread and commit (callEventFormat.ts). */
export class CallEvents {
  readonly #pending = new Map<number, Pending>();
  readonly #insert: Statement<
    [
      thread: number,
      first: number,
      last: number,
      start: number,
      end: number,
      count: number,
      kinds: number,
      data: Buffer,
    ]
  >;
  readonly #oldest: Statement<[], { id: number; start_ns: number; last_ns: number; count: number }>;
  readonly #remove: Statement<[id: number]>;
  readonly #db: Sqlite;
  /** Events in the file and to come. */
  stored = 0;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#insert = db.prepare(
      `INSERT INTO call_events (thread, first, last, start_ns, last_ns, count, kinds, data)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#oldest = db.prepare(
      'SELECT id, start_ns, last_ns, count FROM call_events ORDER BY start_ns, id LIMIT 1',
    );
    this.#remove = db.prepare('DELETE FROM call_events WHERE id = ?');
  }

  /** Goes on from what the file holds. */
  continue(): void {
    this.stored = this.#db.number('SELECT coalesce(sum(count), 0) FROM call_events');
  }

  /** An event with the value in bytes [from, to). */
  add(thread: number, event: CallEvent, bytes: Uint8Array, from: number, to: number): void {
    let pending = this.#pending.get(thread);
    if (!pending) this.#pending.set(thread, (pending = new Pending()));
    if (pending.count === pending.time.length) pending.grow();
    const i = pending.count++;
    const before = i > 0 ? (pending.payloadEnd[i - 1] ?? 0) : 0;
    const end = before + (to - from);
    if (end > pending.payload.length)
      pending.payload = Buffer.concat([pending.payload], Math.max(end, before * 2));
    pending.payload.set(bytes.subarray(from, to), before);
    pending.time[i] = event.time;
    pending.ordinal[i] = event.ordinal;
    pending.kind[i] = event.kind;
    pending.detail[i] = event.detail;
    pending.payloadEnd[i] = end;
    pending.kinds |= kindBit(event.kind);
    this.stored++;
    if (end > ROW_BYTES || pending.count >= ROW_EVENTS) this.#writeOf(thread, pending);
  }

  /** Start of the oldest events in the file; null when there are none. */
  get oldestNs(): number | null {
    return this.#oldest.get()?.start_ns ?? null;
  }

  /** Gives up the oldest row of the file; returns how many events that were and until when. */
  dropOldest(): { events: number; untilNs: number } {
    const row = this.#oldest.get();
    if (!row) return { events: 0, untilNs: 0 };
    this.#remove.run(row.id);
    this.stored -= row.count;
    return { events: row.count, untilNs: row.last_ns };
  }

  write(): void {
    for (const [thread, pending] of this.#pending) this.#writeOf(thread, pending);
  }

  #writeOf(thread: number, pending: Pending): void {
    const { count, time, ordinal, kinds } = pending;
    let [first, last] = [Infinity, -1];
    for (let i = 0; i < count; i++) {
      const call = ordinal[i] ?? -1;
      if (call > last) last = call;
      if (call >= 0 && call < first) first = call;
    }
    const data = packCallEvents(count, pending);
    const [start, end] = [time[0] ?? 0, time[count - 1] ?? 0];
    this.#insert.run(thread, Math.min(first, last), last, start, end, count, kinds, data);
    this.#pending.delete(thread);
  }
}
