import { monotonicMs } from '../../base/clock.ts';
import { callId } from '../../model/ids.ts';
import type { CallFilter, EventsQuery, EventType } from '../../model/questions/query.ts';
import { openCallAt } from './views/changeSuspects.ts';
import { planFilter } from './filter/callFilter.ts';
import { PassingCalls } from './filter/passingCalls.ts';
import { WatchedTest } from './filter/watchedFilter.ts';
import { fitsWords, wordsOf } from './filter/words.ts';
import { comparison, ranks, type Position } from './positions.ts';
import { samplesInOrder, type Sample } from './samplesInOrder.ts';
import type { SessionTables } from './sessionTables.ts';
import type { TimedRow } from './timedRows.ts';
import { plainText } from './values/capturedValues.ts';
import { framesOf, writesInOrder, writtenValue, type WrittenRow } from './views/writtenChanges.ts';
import { watchedValue } from './storedWatches.ts';

/** Samples a row of the store holds at most, for positions that are unique. */
const samplesPerRow = 1 << 22;
const deadlineEvery = 4096;

/** Which snapshots are wanted. */
export interface SnapshotQuery {
  readonly filter: CallFilter;
  readonly until: number;
  readonly types: ReadonlySet<EventType>;
}

/** Where to go on, in which order. */
export interface SnapshotsAfter {
  readonly after: Position;
  readonly order: EventsQuery['order'];
}

/** What was looked at; null: it does not pass. */
interface Looked {
  readonly position: Position;
  readonly row: TimedRow | null;
}

/**
 * What watches saw, sampled or as it was written, as events: variable_snapshot. Time, thread, process, text
 * and value are the snapshot's own; every other filter has to hold for the call it was taken or written in.
 */
export class SnapshotRows {
  readonly #tables: SessionTables;
  readonly #isWanted: boolean;
  readonly #timeFrom: number;
  readonly #timeTo: number;
  readonly #pid: number | null;
  readonly #threads: ReadonlySet<number> | null;
  readonly #words: readonly string[] | null;
  readonly #watched: WatchedTest | null;
  /** Null: whatever the call. */
  readonly #calls: PassingCalls | null;

  /** Throws BAD_PARAMETER, BAD_REGEX or BAD_PATTERN for a filter that cannot be answered. */
  constructor(tables: SessionTables, { filter, until, types }: SnapshotQuery) {
    this.#tables = tables;
    this.#isWanted = types.has('variable_snapshot');
    const { timeFrom, timeTo, text, watched, threadId, threadName, pid, ...ofCall } = filter;
    this.#timeFrom = timeFrom ?? 0;
    this.#timeTo = Math.min(timeTo ?? until, until);
    this.#pid = pid ?? null;
    const place = {
      ...(threadId === undefined ? {} : { threadId }),
      ...(threadName ? { threadName } : {}),
    };
    this.#threads = planFilter(place, tables, until).threads;
    this.#words = text === undefined ? null : wordsOf(text);
    this.#watched = this.#isWanted && watched ? new WatchedTest(tables, watched) : null;
    this.#calls =
      this.#isWanted && Object.keys(ofCall).length > 0
        ? new PassingCalls(tables, ofCall, until)
        : null;
  }

  /** In order, those after the position. A deadline ends it, and `late` is told before which one. */
  *rows(
    place: SnapshotsAfter,
    deadline = Number.POSITIVE_INFINITY,
    late: (position: Position) => void = () => undefined,
  ): Generator<TimedRow> {
    if (!this.#isWanted) return;
    let looked = 0;
    for (const { position, row } of place.order === 'time'
      ? this.#byTime(place)
      : this.#byThread(place)) {
      if (++looked % deadlineEvery === 0 && monotonicMs() > deadline) {
        late(position);
        return;
      }
      if (row) yield row;
    }
  }

  *#byTime(place: SnapshotsAfter): Generator<Looked> {
    const written = this.#allWritten(place);
    try {
      let next = written.next();
      for (const sample of this.#allSampled(place, place.after.time, null)) {
        for (
          ;
          !next.done && next.value.position.time <= sample.position.time;
          next = written.next()
        )
          yield next.value;
        yield sample;
      }
      for (; !next.done; next = written.next()) yield next.value;
    } finally {
      written.return(undefined); // Or the store stays busy where its rows are left early.
    }
  }

  /** What was written is no thread's (`Position`). */
  *#byThread(place: SnapshotsAfter): Generator<Looked> {
    const { thread: first, time } = place.after;
    if (first <= 0) yield* this.#allWritten(place);
    const threads = [...this.#tables.threads].map(({ key }) => key).toSorted((a, b) => a - b);
    for (const thread of threads) {
      if (thread < first || this.#threads?.has(thread) === false) continue;
      yield* this.#allSampled(place, thread === first ? time : 0, thread);
    }
  }

  *#allSampled(
    { after, order }: SnapshotsAfter,
    least: number,
    thread: number | null,
  ): Generator<Looked> {
    const compare = comparison(order);
    const from = Math.max(this.#timeFrom, least);
    for (const sample of samplesInOrder(this.#tables, from, this.#timeTo, thread)) {
      const position = positionOf(sample);
      if (sample.time < from || compare(position, after) <= 0) continue;
      yield { position, row: this.#sampled(sample, position) };
    }
  }

  *#allWritten({ after, order }: SnapshotsAfter): Generator<Looked> {
    const compare = comparison(order);
    for (const row of writesInOrder(this.#tables, { pid: this.#pid }, this.#timeTo)) {
      const position = {
        time: row.time_ns,
        rank: ranks.variable_snapshot,
        thread: 0,
        ordinal: row.id,
      };
      if (compare(position, after) <= 0) continue;
      yield { position, row: this.#written(row, position) };
    }
  }

  #sampled(sample: Sample, position: Position): TimedRow | null {
    const { from, at, time } = sample;
    const thread = this.#tables.thread(from.thread);
    if (this.#threads && !this.#threads.has(from.thread)) return null;
    if (this.#pid !== null && thread.pid !== this.#pid) return null;
    if (this.#watched && !this.#watched.sample(sample)) return null;
    const ordinal = from.ordinal[at] ?? -1;
    if (this.#calls && !this.#calls.has(from.thread, ordinal)) return null;
    const watch = this.#tables.watches.definitions().get(from.watch[at] ?? -1);
    if (!watch) return null;
    const watched = watchedValue(watch, from, at, this.#tables.names(from.thread));
    const text = `${watched.label} = ${plainText(watched.value)}`;
    if (this.#words && !fitsWords(text, this.#words)) return null;
    return {
      position,
      view: {
        type: 'variable_snapshot',
        time,
        pid: thread.pid,
        tid: thread.tid,
        within: callId(from.thread, ordinal),
        isWritten: false,
        text,
        watched,
      },
    };
  }

  #written(row: WrittenRow, position: Position): TimedRow | null {
    if (row.time_ns < this.#timeFrom || !this.#isOnThread(row)) return null;
    if (this.#watched && !this.#watched.write(row)) return null;
    const watch = this.#tables.watches.definitions().get(row.watch);
    if (!watch) return null;
    const value = writtenValue(watch, row.now);
    const [first] = framesOf(this.#tables, row.site);
    const by = first?.function == null ? '' : `, written by ${first.function}`;
    const text = `${watch.label} = ${plainText(value)}${by}`;
    if (this.#words && !fitsWords(text, this.#words)) return null;
    const call = openCallAt(this.#tables, row, row.time_ns);
    const ordinal = call ? call.block.first + call.row : -1;
    if (this.#calls && !(call && this.#calls.has(call.block.thread, ordinal))) return null;
    return {
      position,
      view: {
        type: 'variable_snapshot',
        time: row.time_ns,
        pid: row.pid,
        tid: row.tid,
        isWritten: true,
        text,
        within: call ? callId(call.block.thread, ordinal) : null,
        watched: { label: watch.label, atReturn: false, value },
      },
    };
  }

  #isOnThread({ pid, tid }: WrittenRow): boolean {
    if (!this.#threads) return true;
    for (const key of this.#threads) {
      const thread = this.#tables.thread(key);
      if (thread.pid === pid && thread.tid === tid) return true;
    }
    return false;
  }
}

function positionOf({ from, at, time }: Sample): Position {
  const { thread, id } = from;
  return { time, rank: ranks.variable_snapshot, thread, ordinal: id * samplesPerRow + at };
}
