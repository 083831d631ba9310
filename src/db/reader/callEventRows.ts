import { monotonicMs } from '../../base/clock.ts';
import { eventKind } from '../../model/eventColumns.ts';
import { parkReasonOf } from '../../model/functions/parkReasons.ts';
import { callId } from '../../model/ids.ts';
import type { CallEventView } from '../../model/questions/eventView.ts';
import type { CallEventType, EventType, Value } from '../../model/questions/query.ts';
import { strandText } from '../../model/values/valueWords.ts';
import { kindBit, unpackCallEvents, type CallEventColumns } from '../callEventFormat.ts';
import type { SqlValue } from '../sqlite.ts';
import { planFilter } from './filter/callFilter.ts';
import { PassingCalls } from './filter/passingCalls.ts';
import { fitsWords, wordsOf } from './filter/words.ts';
import { comparison, ranks, type Position } from './positions.ts';
import type { SessionTables } from './sessionTables.ts';
import type { SnapshotQuery, SnapshotsAfter } from './snapshotRows.ts';
import type { TimedRow } from './timedRows.ts';
import { decodeValue, plainText } from './values/capturedValues.ts';
import { functionNumber } from './views/callViews.ts';

/** Events a row of the store holds at most, for positions that are unique. */
const eventsPerRow = 1 << 22;
const deadlineEvery = 1024;

const typeOf: Readonly<Record<number, CallEventType>> = {
  [eventKind.suspend]: 'suspend',
  [eventKind.resume]: 'resume',
  [eventKind.throwIn]: 'resume',
  [eventKind.handled]: 'handled',
  [eventKind.raise]: 'raise',
  [eventKind.context]: 'strand',
};

interface StoredRow {
  readonly id: number;
  readonly thread: number;
  readonly start_ns: number;
  readonly count: number;
}

/** One event, by its place. */
interface Place {
  readonly row: StoredRow;
  readonly columns: CallEventColumns;
  readonly at: number;
  readonly position: Position;
}

/**
 * What happens within calls, as events. Time, thread, process and text are the event's own; every other filter has to
 * hold for the call it happened in.
 */
export class CallEventRows {
  readonly #tables: SessionTables;
  readonly #kinds: number;
  readonly #timeFrom: number;
  readonly #timeTo: number;
  readonly #pid: number | null;
  readonly #threads: ReadonlySet<number> | null;
  readonly #words: readonly string[] | null;
  /** Null: whatever the call. */
  readonly #calls: PassingCalls | null;

  /** Throws BAD_PARAMETER, BAD_REGEX or BAD_PATTERN for a filter that cannot be answered. */
  constructor(tables: SessionTables, { filter, until, types }: SnapshotQuery) {
    this.#tables = tables;
    this.#kinds = kindsOf(types);
    const { timeFrom, timeTo, text, threadId, threadName, pid, ...ofCall } = filter;
    this.#timeFrom = timeFrom ?? 0;
    this.#timeTo = Math.min(timeTo ?? until, until);
    this.#pid = pid ?? null;
    const place = {
      ...(threadId === undefined ? {} : { threadId }),
      ...(threadName ? { threadName } : {}),
    };
    this.#threads = this.#kinds === 0 ? null : planFilter(place, tables, until).threads;
    this.#words = text === undefined ? null : wordsOf(text);
    this.#calls =
      this.#kinds !== 0 && Object.keys(ofCall).length > 0
        ? new PassingCalls(tables, ofCall, until)
        : null;
  }

  /** In order, those after the position. A deadline ends it, and `late` is told before which one. */
  *rows(
    { after, order }: SnapshotsAfter,
    deadline = Number.POSITIVE_INFINITY,
    late: (position: Position) => void = () => undefined,
  ): Generator<TimedRow> {
    if (this.#kinds === 0) return;
    const compare = comparison(order);
    let looked = 0;
    for (const place of order === 'time' ? this.#byTime() : this.#byThread()) {
      if (++looked % deadlineEvery === 0 && monotonicMs() > deadline) {
        late(place.position);
        return;
      }
      if (compare(place.position, after) <= 0) continue;
      const view = this.#view(place);
      if (view) yield { position: place.position, view };
    }
  }

  *#byThread(): Generator<Place> {
    for (const rows of this.#threadRows()) yield* this.#ofThread(rows);
  }

  /** Each thread's events are in order: the earliest of their next ones comes next. */
  *#byTime(): Generator<Place> {
    const threads = this.#threadRows().map((rows) => this.#ofThread(rows));
    const heads = threads.map((events) => ({ events, next: events.next() }));
    for (;;) {
      let first: (typeof heads)[number] | null = null;
      for (const head of heads) {
        if (head.next.done) continue;
        const time = head.next.value.position.time;
        if (!first || first.next.done || time < first.next.value.position.time) first = head;
      }
      if (!first || first.next.done) return;
      yield first.next.value;
      first.next = first.events.next();
    }
  }

  /** By thread, in order of their keys. */
  #threadRows(): StoredRow[][] {
    const rows = this.#tables.db
      .prepared<SqlValue[], StoredRow>(
        `SELECT id, thread, start_ns, count FROM call_events
         WHERE kinds & ? != 0 AND last_ns >= ? AND start_ns <= ? ORDER BY thread, id`,
      )
      .all(this.#kinds, this.#timeFrom, Math.min(this.#timeTo, Number.MAX_SAFE_INTEGER));
    const byThread = new Map<number, StoredRow[]>();
    for (const row of rows) {
      if (this.#threads?.has(row.thread) === false) continue;
      if (this.#pid !== null && this.#tables.thread(row.thread).pid !== this.#pid) continue;
      const known = byThread.get(row.thread);
      if (known) known.push(row);
      else byThread.set(row.thread, [row]);
    }
    return [...byThread.values()];
  }

  *#ofThread(rows: readonly StoredRow[]): Generator<Place> {
    for (const row of rows) {
      const columns = this.#columns(row);
      for (let at = 0; at < columns.count; at++) {
        const time = columns.time[at] ?? 0;
        if (time > this.#timeTo) return;
        if (time < this.#timeFrom || (kindBit(columns.kind[at] ?? 0) & this.#kinds) === 0) continue;
        const position = { time, rank: ranks.callEvent, thread: row.thread };
        yield { row, columns, at, position: { ...position, ordinal: row.id * eventsPerRow + at } };
      }
    }
  }

  #columns({ id, count }: StoredRow): CallEventColumns {
    const sql = 'SELECT data FROM call_events WHERE id = ?';
    const data = this.#tables.db.prepared<SqlValue[], { data: Buffer }>(sql).get(id)?.data;
    return unpackCallEvents(count, data ?? Buffer.alloc(0));
  }

  /** Null: it does not pass. */
  #view({ row, columns, at, position }: Place): CallEventView | null {
    const kind = columns.kind[at] ?? 0;
    const type = typeOf[kind];
    const ordinal = columns.ordinal[at] ?? -1;
    if (!type || this.#calls?.has(row.thread, ordinal) === false) return null;
    const { pid, tid } = this.#tables.thread(row.thread);
    const view = {
      type,
      time: position.time,
      pid,
      tid,
      ...this.#ofCall(row.thread, ordinal, payloadAt(columns, at)),
      ...this.#detail(row.thread, type, columns.detail[at] ?? 0),
    };
    const reason = type === 'suspend' ? parkReasonOf(columns.detail[at] ?? 0) : null;
    const text = textOf(view, kind === eventKind.throwIn, reason);
    return this.#words && !fitsWords(text, this.#words) ? null : { ...view, text };
  }

  #ofCall(
    thread: number,
    ordinal: number,
    payload: Buffer,
  ): Pick<CallEventView, 'within' | 'function' | 'value'> {
    const call = ordinal < 0 ? null : this.#tables.blocks.find(thread, ordinal);
    if (!call) return { within: null, function: null, value: null };
    const { name, returns } = this.#tables.fn(functionNumber(call.block, call.row));
    const names = this.#tables.names(thread);
    const value =
      payload.length > 0 && returns.kind === 'dynamic'
        ? decodeValue(returns, payload, 0, payload.length, names).value
        : null;
    return { within: callId(thread, ordinal), function: name, value };
  }

  #detail(
    thread: number,
    type: CallEventType,
    detail: number,
  ): Pick<CallEventView, 'line' | 'strand'> {
    if (detail === 0 || type === 'suspend') return { line: null, strand: null };
    return type === 'strand'
      ? { line: null, strand: this.#tables.strand(thread, detail) }
      : { line: detail, strand: null };
  }
}

function payloadAt({ payload, payloadEnd }: CallEventColumns, at: number): Buffer {
  return payload.subarray(at > 0 ? payloadEnd[at - 1] : 0, payloadEnd[at]);
}

function kindsOf(types: ReadonlySet<EventType>): number {
  let kinds = 0;
  for (const [kind, type] of Object.entries(typeOf))
    if (types.has(type)) kinds |= kindBit(Number(kind));
  return kinds;
}

function textOf(
  view: Omit<CallEventView, 'text'>,
  isThrown: boolean,
  reason: string | null,
): string {
  const name = view.function ?? 'a call that is not kept';
  const value = view.value && !isNothing(view.value) ? plainText(view.value) : null;
  const line = view.line === null ? '' : `, line ${view.line}`;
  switch (view.type) {
    case 'suspend':
      if (reason !== null) return `${name} is suspended: ${reason}`;
      return value === null ? `${name} is suspended` : `${name} is suspended with ${value}`;
    case 'resume':
      if (isThrown) return `${name} is resumed by an exception: ${value ?? 'unknown'}`;
      return value === null ? `${name} is resumed` : `${name} is resumed with ${value}`;
    case 'raise':
      return `${value ?? 'an exception'} is raised in ${name}${line}`;
    case 'handled':
      return `${value ?? 'an exception'} is handled in ${name}${line}`;
    case 'strand': {
      const { strand } = view;
      return strand === null
        ? 'no strand runs on the thread'
        : `${strandText(strand)} runs on the thread`;
    }
  }
}

function isNothing(value: Value): boolean {
  return value.kind === 'word' && value.isNull === true;
}
