import type { TracedThread } from '../../model/eventColumns.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { CallFilter, EventType } from '../../model/questions/query.ts';
import type { Block } from '../reader/block.ts';
import { planFilter, type CallPlan } from '../reader/filter/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../reader/filter/callMatcher.ts';
import { beginning, comparison, ranks, type Position } from '../reader/positions.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import { SnapshotRows } from '../reader/snapshotRows.ts';
import { TimedRows, type TimedRow } from '../reader/timedRows.ts';
import type { Sqlite } from '../sqlite.ts';
import { NearestCallers } from './nearestCallers.ts';
import type { ExportedCall, ExportedEvent } from './port.ts';
import { StoredCall, type CallSource } from './storedCall.ts';
import { WatchedInCalls } from './watchedInCalls.ts';

/** What is given out, one after the other. */
export type StreamItem =
  | { readonly kind: 'call'; readonly call: ExportedCall }
  | { readonly kind: 'event'; readonly event: ExportedEvent }
  | { readonly kind: 'threadEnd'; readonly thread: TracedThread };

export interface StreamQuery {
  readonly filter: CallFilter;
  /** Of model/exportFormat `exportEventTypes`. */
  readonly eventTypes: readonly EventType[];
  readonly order: 'time' | 'thread';
  /** Nothing later is given, and ends after it are not known. */
  readonly until: SessionNs;
  /** Calls read at a time in order `time`, about; default 32,768. */
  readonly windowCalls?: number;
}

const WINDOW_CALLS = 32_768;
/** Events that are no calls, read at a time. */
const ROWS = 4096;

interface CallPlace {
  readonly block: Block;
  readonly row: number;
  readonly time: number;
  readonly thread: number;
  readonly ordinal: number;
}

/**
 * Goes through everything that fits, in slices: each is read in a snapshot of its own, so that a
 * session may be written, and its log be taken over, while a long export goes on. Between slices
 * nothing is kept but where it stands. What the session drops meanwhile is counted.
 */
export class CallStream {
  readonly #db: Sqlite;
  readonly #tables: SessionTables;
  readonly #query: StreamQuery;
  readonly #until: number;
  readonly #windowCalls: number;
  readonly #plan: CallPlan;
  readonly #matcher: CallMatcher;
  readonly #callers: NearestCallers;
  /** Null: they are not wanted. */
  readonly #snapshots: SnapshotRows | null;
  readonly #watched: WatchedInCalls;
  readonly #source: CallSource;
  readonly #types: ReadonlySet<EventType>;
  readonly #takesCalls: boolean;
  /** Next ordinal by thread. */
  readonly #next = new Map<number, number>();
  /** Ordinal after the last call in time, by thread, when it began. */
  readonly #end = new Map<number, number>();
  /** Blocks of which the window gives the last calls. */
  readonly #allGiven: Block[] = [];
  /** Calls that went while it was read. */
  dropped = 0;
  /** Blocks done, of so many. */
  done = 0;
  readonly of: number;

  constructor(db: Sqlite, tables: SessionTables, query: StreamQuery) {
    this.#db = db;
    this.#tables = tables;
    this.#query = query;
    this.#until = Math.min(query.until, Number.MAX_SAFE_INTEGER - 1);
    this.#windowCalls = query.windowCalls ?? WINDOW_CALLS;
    this.#types = new Set(query.eventTypes);
    this.#takesCalls = this.#types.has('call');
    this.#plan = this.#snapshot(() => planFilter(query.filter, tables, this.#until));
    this.#matcher = new CallMatcher(tables, this.#plan, this.#until);
    this.#callers = new NearestCallers(tables);
    const wanted = { filter: query.filter, until: this.#until, types: this.#types };
    this.#snapshots = this.#types.has('variable_snapshot')
      ? this.#snapshot(() => new SnapshotRows(tables, wanted))
      : null;
    this.#watched = this.#snapshot(() => new WatchedInCalls(tables, this.#until));
    this.#source = { tables, watched: this.#watched, until: this.#until };
    this.of = tables.blocks.byTime.length;
    this.#snapshot(() => this.#findEnds());
  }

  #findEnds(): void {
    const { threads, timeFrom, timeTo } = this.#plan;
    for (const [thread, blocks] of this.#tables.blocks.byThread) {
      const first = blocks.find(({ lastNs }) => lastNs >= timeFrom);
      const last = blocks.findLast(({ startNs }) => startNs <= timeTo);
      if (!first || !last || (threads && !threads.has(thread))) continue;
      this.#next.set(thread, first.first);
      this.#end.set(thread, last.first + firstRowAfter(last, timeTo));
    }
  }

  /** Gives all items, slice by slice. What one holds can be read while it is given: its block may go afterwards. */
  *slices(give: (item: StreamItem) => void): Generator<void> {
    if (this.#query.order === 'time') yield* this.#byTime(give);
    else {
      yield* this.#allRows(give);
      if (this.#takesCalls) yield* this.#byThread(give);
    }
  }

  #snapshot<T>(work: () => T): T {
    return this.#db.snapshot(() => {
      this.#tables.refresh();
      const result = work();
      this.#tables.blocks.shrink();
      return result;
    });
  }

  *#byThread(give: (item: StreamItem) => void): Generator<void> {
    for (const thread of this.#next.keys()) {
      let any = false;
      for (;;) {
        const given = this.#snapshot(() => {
          return this.#nextOfThread(thread, give);
        });
        if (given === undefined) break;
        any ||= given > 0;
        if (given > 0) yield;
      }
      if (any) give({ kind: 'threadEnd', thread: this.#tables.thread(thread) });
      this.#callers.forget(thread);
    }
  }

  /** Gives what fits of the thread's next block and tells how much it is; undefined: there is none. */
  #nextOfThread(thread: number, give: (item: StreamItem) => void): number | undefined {
    const block = this.#blockFrom(thread, this.#next.get(thread) ?? 0);
    if (!block || block.startNs > this.#plan.timeTo) {
      this.#missed(thread, Number.POSITIVE_INFINITY);
      return undefined;
    }
    const from = this.#enter(block);
    this.#next.set(thread, block.first + block.calls);
    this.done++;
    const rows = this.#rowsOf(block, from, block.calls);
    for (const row of rows) give(this.#item(block, row));
    this.#tables.blocks.done(block);
    return rows.length;
  }

  /** The first row that was not given yet; calls before it that went are counted. */
  #enter(block: Block): number {
    this.#missed(block.thread, block.first);
    return Math.max(0, (this.#next.get(block.thread) ?? 0) - block.first);
  }

  /** Counts calls in time that are gone: what comes next is the call of that ordinal. */
  #missed(thread: number, ordinal: number): void {
    const next = this.#next.get(thread) ?? 0;
    const missed = Math.min(ordinal, this.#end.get(thread) ?? 0) - next;
    if (missed <= 0) return;
    this.dropped += missed;
    this.#next.set(thread, next + missed);
  }

  #rowsOf(block: Block, least: number, end: number): number[] {
    const rows: number[] = [];
    const { timeFrom, timeTo } = this.#plan;
    if (block.lastNs < timeFrom || !this.#matcher.mayMatch(block)) return rows;
    const from = Math.max(least, firstRowFrom(block, timeFrom));
    this.#matcher.each(block, from, Math.min(end, firstRowAfter(block, timeTo)), (row) => {
      rows.push(row);
      return true;
    });
    return rows;
  }

  /** The block with the call, or the one after it. */
  #blockFrom(thread: number, ordinal: number): Block | null {
    const blocks = this.#tables.blocks.byThread.get(thread) ?? [];
    return blocks.find((block) => block.first + block.calls > ordinal) ?? null;
  }

  #item(block: Block, row: number): StreamItem {
    return { kind: 'call', call: this.#call(block, row) };
  }

  #call(block: Block, row: number): ExportedCall {
    return new StoredCall(this.#source, block, row, this.#callers.place(block, row));
  }

  *#allRows(give: (item: StreamItem) => void): Generator<void> {
    let after: Position = beginning;
    for (;;) {
      const rows = this.#snapshot(() => this.#timedRows(after, this.#plan.timeTo));
      const last = rows.at(-1);
      if (!last) return;
      after = last.position;
      rows.flatMap(eventItem).forEach(give);
      yield;
    }
  }

  /** In order; all of them up to the last one given. */
  #timedRows(after: Position, to: number): TimedRow[] {
    const window = { from: this.#plan.timeFrom, to, after };
    const pidOf = (thread: number): number => this.#tables.thread(thread).pid;
    const rows = new TimedRows(this.#db, this.#plan, window, this.#types, pidOf).read(ROWS);
    rows.push(...this.#snapshotRows(after, to));
    // Of each kind the first ROWS were read: up to the earliest last one of a full kind all are there.
    const kinds = new Map<string, TimedRow[]>();
    for (const row of rows) {
      const kind = row.position.rank === ranks.output ? 'output' : row.view.type;
      kinds.set(kind, [...(kinds.get(kind) ?? []), row]);
    }
    const compare = comparison('time');
    let end: Position | null = null;
    for (const list of kinds.values()) {
      const last = list.length >= ROWS ? list.at(-1)?.position : undefined;
      if (last && (!end || compare(last, end) < 0)) end = last;
    }
    const limit = end;
    return rows
      .filter(({ position }) => !limit || compare(position, limit) <= 0)
      .toSorted((a, b) => compare(a.position, b.position));
  }

  /** The first ones after the position, up to a time. */
  #snapshotRows(after: Position, to: number): TimedRow[] {
    const rows: TimedRow[] = [];
    const place = { after, order: 'time' } as const;
    for (const row of this.#snapshots?.rows(place) ?? []) {
      if (row.position.time > to || rows.push(row) >= ROWS) break;
    }
    return rows;
  }

  /** Writes that no recorded call held: formats of calls have no place for them. */
  get writesOutside(): number {
    return this.#watched.outside;
  }

  *#byTime(give: (item: StreamItem) => void): Generator<void> {
    let from = this.#plan.timeFrom;
    let after: Position = beginning;
    while (from <= this.#plan.timeTo) {
      const { given, next, rowAfter } = this.#snapshot(() => {
        const { places, rows, ...rest } = this.#window(from, after);
        this.#giveInOrder(places, rows, give);
        for (const block of this.#allGiven.splice(0)) this.#tables.blocks.done(block);
        return { ...rest, given: places.length + rows.length };
      });
      if (given > 0) yield;
      if (next === null) break;
      from = next;
      after = rowAfter;
    }
    if (!this.#takesCalls) return;
    for (const thread of this.#next.keys()) this.#missed(thread, Number.POSITIVE_INFINITY);
  }

  /** Everything from `from` on that lies in a window of suitable length; `next`: where it ends. */
  #window(
    from: number,
    after: Position,
  ): { places: CallPlace[]; rows: TimedRow[]; next: number | null; rowAfter: Position } {
    const end = this.#takesCalls ? this.#windowEnd(from) : null;
    const rows = this.#timedRows(after, (end ?? this.#plan.timeTo + 1) - 1);
    const lastRow = rows.length >= ROWS ? rows.at(-1)?.position : undefined;
    // Rows that did not all come end the window: the next one goes on behind the last of them.
    const to = lastRow ? lastRow.time + 1 : end;
    const places = this.#takesCalls ? [...this.#placesIn(from, to)].toSorted(byTime) : [];
    return { places, rows, next: to, rowAfter: rows.at(-1)?.position ?? after };
  }

  /** Both are in order of time. */
  #giveInOrder(
    places: readonly CallPlace[],
    rows: readonly TimedRow[],
    give: (item: StreamItem) => void,
  ): void {
    const compare = comparison('time');
    const left = rows.values();
    let row = left.next().value;
    const giveRows = (isDue: (position: Position) => boolean): void => {
      for (; row && isDue(row.position); row = left.next().value) eventItem(row).forEach(give);
    };
    for (const { block, row: at, time, thread, ordinal } of places) {
      const here = { time, rank: ranks.call, thread, ordinal };
      giveRows((position) => compare(position, here) < 0);
      give(this.#item(block, at));
    }
    giveRows(() => true);
  }

  /** Ends before about as many stored calls have begun as are read at a time; null: at the end of all. */
  #windowEnd(from: number): number | null {
    const blocks = this.#openBlocks(from);
    const expected = (to: number): number =>
      blocks.reduce((sum, block) => sum + block.calls * shareOf(block, from, to), 0);
    let low = from + 1;
    let high = blocks.reduce((latest, { lastNs }) => Math.max(latest, lastNs), from) + 1;
    high = Math.min(high, this.#plan.timeTo + 1);
    if (expected(high) <= this.#windowCalls || high <= low) return null;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (expected(middle) > this.#windowCalls) high = middle;
      else low = middle;
    }
    return low;
  }

  #openBlocks(from: number): Block[] {
    const { threads, timeTo } = this.#plan;
    const open: Block[] = [];
    for (const block of this.#tables.blocks.byTime) {
      if (block.startNs > timeTo) break;
      if (block.lastNs < from || (threads && !threads.has(block.thread))) continue;
      open.push(block);
    }
    return open;
  }

  *#placesIn(from: number, end: number | null): Generator<CallPlace> {
    const to = end === null ? this.#plan.timeTo : end - 1;
    for (const block of this.#openBlocks(from)) {
      if (block.startNs > to) break;
      const first = this.#enter(block);
      const last = firstRowAfter(block, to);
      this.#next.set(block.thread, Math.max(this.#next.get(block.thread) ?? 0, block.first + last));
      if (last === block.calls) {
        this.done++;
        this.#allGiven.push(block);
      }
      for (const row of this.#rowsOf(block, first, last)) {
        yield {
          block,
          row,
          time: block.start[row] ?? 0,
          thread: block.thread,
          ordinal: block.first + row,
        };
      }
      this.#tables.blocks.passed(block);
    }
  }
}

function byTime(a: CallPlace, b: CallPlace): number {
  return a.time - b.time || a.thread - b.thread || a.ordinal - b.ordinal;
}

/** The part of a block's calls that begin in [from, to), were they evenly spread. */
function shareOf({ startNs, lastNs }: Block, from: number, to: number): number {
  const length = lastNs - startNs + 1;
  const inside = Math.min(to, lastNs + 1) - Math.max(from, startNs);
  return Math.max(0, Math.min(1, inside / length));
}

function eventItem(row: TimedRow): StreamItem[] {
  return 'call' in row.view ? [] : [{ kind: 'event', event: row.view }];
}
