import { monotonicMs } from '../../../base/clock.ts';
import type { EventsPage, EventView } from '../../../model/questions/eventView.ts';
import type { EventsQuery, EventType } from '../../../model/questions/query.ts';
import { columns } from '../../blockFormat.ts';
import type { Block, Numbers } from '../block.ts';
import { dependsOnEnd, planFilter, type CallPlan } from '../filter/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../filter/callMatcher.ts';
import { functionNumber, viewCall } from './callViews.ts';
import {
  beginning,
  comparison,
  cursorWriter,
  ranks,
  readCursor,
  type Compare,
  type Cursor,
  type Position,
} from '../positions.ts';
import type { SessionTables } from '../sessionTables.ts';
import { CallEventRows } from '../callEventRows.ts';
import { SnapshotRows, type SnapshotsAfter } from '../snapshotRows.ts';
import { TimedRows } from '../timedRows.ts';

/** What is asked for when no types are named. */
const usualTypes: readonly EventType[] = [
  'call',
  'logpoint',
  'stdout',
  'stderr',
  'process',
  'exception',
  'crash',
];
/** Counting beyond the page may take this long. */
const COUNT_MS = 3;
/** It stops early when the first blocks (TELLING_BLOCKS) predict more than so many times the limit. */
const HOPELESS = 9;
const TELLING_BLOCKS = 128;

/** A found event: a call's row, or a row of its own. */
type Found =
  | {
      readonly position: Position;
      readonly type: 'call' | 'function_enter' | 'function_exit' | 'logpoint';
      readonly block: Block;
      readonly row: number;
    }
  | { readonly position: Position; readonly type: 'row'; readonly view: EventView };

/** What is placed where a call or a hit begins. */
type StartType = 'call' | 'function_enter' | 'logpoint';

/** Keeps the first `size` of all that is offered. */
class Selection {
  readonly #size: number;
  readonly #compare: Compare;
  #found: Found[] = [];
  /** Nothing after it is wanted. */
  worst: Position | null = null;

  constructor(size: number, compare: Compare) {
    this.#size = size;
    this.#compare = compare;
  }

  add(found: Found): void {
    if (this.worst && this.#compare(found.position, this.worst) > 0) return;
    this.#found.push(found);
    if (this.#found.length >= this.#size * 2) this.#cut();
  }

  sorted(): readonly Found[] {
    this.#cut();
    return this.#found;
  }

  #cut(): void {
    this.#found.sort((a, b) => this.#compare(a.position, b.position));
    if (this.#found.length < this.#size) return;
    this.#found.length = this.#size;
    this.worst = this.#found[this.#size - 1]?.position ?? null;
  }
}

/** Finds a page of events (model/query.ts). Inside a snapshot. */
export function queryEvents(tables: SessionTables, query: EventsQuery): EventsPage {
  return new EventSearch(tables, query).page();
}

class EventSearch {
  readonly #tables: SessionTables;
  readonly #query: EventsQuery;
  readonly #types: ReadonlySet<EventType>;
  /** The call-like types that are placed at the call's start. */
  readonly #startTypes: readonly StartType[];
  /** 1 for each function number that is a breakpoint's; null: there are none. */
  readonly #probes: Uint8Array | null;
  readonly #cursor: Cursor;
  readonly #after: Position;
  readonly #until: number;
  readonly #plan: CallPlan;
  readonly #matcher: CallMatcher;
  /** What is read in order, besides calls. */
  readonly #streams: readonly (SnapshotRows | CallEventRows)[];
  readonly #compare: Compare;
  readonly #byTime: boolean;
  readonly #blocks: readonly Block[];
  readonly #deadline: number;
  /** Matching events of the blocks that were searched to their end. */
  readonly #counted = new Map<Block, number>();

  constructor(tables: SessionTables, query: EventsQuery) {
    this.#tables = tables;
    this.#query = query;
    this.#deadline = monotonicMs() + query.deadlineMs;
    this.#types = new Set(query.eventTypes.length > 0 ? query.eventTypes : usualTypes);
    const probes = tables.functionsThat(({ probe }) => probe !== undefined);
    this.#probes = probes.includes(1) ? probes : null;
    this.#startTypes = (['function_enter', 'call', 'logpoint'] as const).filter(
      (type) => this.#types.has(type) && (type !== 'logpoint' || this.#probes !== null),
    );
    const picture =
      dependsOnEnd(query.filter) &&
      (this.#startTypes.length > 0 || this.#types.has('variable_snapshot'));
    this.#cursor =
      query.cursor === null ? firstCursor(query, picture) : readCursor(query.cursor, query);
    this.#after = this.#cursor.position;
    this.#until = Math.min(query.until, this.#cursor.until ?? Number.MAX_SAFE_INTEGER);
    const { timeFrom, timeTo } = this.#cursor;
    const filter = { ...query.filter, timeFrom, ...(timeTo === null ? {} : { timeTo }) };
    this.#plan = planFilter(filter, tables, this.#until);
    this.#matcher = new CallMatcher(tables, this.#plan, this.#until);
    const wanted = { filter, until: this.#until, types: this.#types };
    this.#streams = [new SnapshotRows(tables, wanted), new CallEventRows(tables, wanted)];
    this.#compare = comparison(query.order);
    this.#byTime = query.order === 'time';
    this.#blocks = this.#byTime
      ? tables.blocks.byTime
      : [...tables.blocks.byThread.values()].flat();
  }

  page(): EventsPage {
    const size = this.#query.limit + 1;
    const selection = new Selection(size, this.#compare);
    const rows = this.#timedRows();
    for (const { position, view } of rows?.read(size) ?? []) {
      selection.add({ position, type: 'row', view });
    }
    const cutAt = this.#selectStreams(selection);
    const cut = earlier(cutAt, this.#select(selection), this.#compare);
    let found = selection.sorted();
    if (cut) found = found.filter(({ position }) => this.#compare(position, cut) < 0);
    const isAll = selection.worst === null && cut === null;
    const { count, isExact } = isAll
      ? { count: found.length, isExact: true }
      : this.#count(rows, found.length);
    const { limit } = this.#query;
    const shown = found.slice(0, limit);
    const write = cursorWriter(this.#query);
    const cursorAt = (position: Position, before: number): string =>
      write({ ...this.#cursor, position, before: this.#cursor.before + before });
    const cursors = shown.map(({ position }, at) => cursorAt(position, at + 1));
    const afterLast = cut && cursorAt(cut, shown.length);
    return {
      events: shown.map((event) => this.#view(event)),
      cursors,
      cursor: found.length > limit ? (cursors.at(-1) ?? null) : afterLast,
      hasMore: found.length > limit || cut !== null,
      total: this.#cursor.before + count,
      totalIsExact: isExact,
      pids: this.#pids(),
      complete: cut === null,
      lookedUntil: cut ? cut.time : Math.min(this.#until, this.#tables.summary.indexedTo),
    };
  }

  /** Returns where the deadline ended the search, else null. */
  #selectStreams(selection: Selection): Position | null {
    let cut: Position | null = null;
    const late = ({ time, thread }: Position): void => {
      const place = { time, rank: -1, thread: this.#byTime ? -1 : thread, ordinal: -1 };
      cut = earlier(cut, place, this.#compare);
    };
    for (const stream of this.#streams) {
      for (const { position, view } of stream.rows(this.#snapshotsAfter, this.#deadline, late)) {
        if (selection.worst && this.#compare(position, selection.worst) > 0) break;
        selection.add({ position, type: 'row', view });
      }
    }
    return cut;
  }

  /** Returns where the deadline ended the search, else null. */
  #select(selection: Selection): Position | null {
    const wantsExits = this.#types.has('function_exit');
    if (this.#startTypes.length === 0 && !wantsExits) return null;
    let any = false;
    for (const block of this.#blocks) {
      if (block.startNs > this.#plan.timeTo) {
        if (this.#byTime) break;
        continue;
      }
      if (selection.worst && this.#isBeyond(block, selection.worst)) break;
      // What watches saw is read to know whether a block may match.
      if (any && this.#isAhead(block) && monotonicMs() > this.#deadline) return this.#before(block);
      any = true;
      if (!this.#matcher.mayMatch(block)) continue;
      let count = this.#startTypes.length > 0 ? this.#selectStarts(block, selection) : 0;
      if (wantsExits) count += this.#selectExits(block, selection);
      if (!Number.isNaN(count)) this.#counted.set(block, count);
      this.#tables.blocks.passed(block);
    }
    return null;
  }

  /** Returns how many events match, NaN when the block was left early. */
  #selectStarts(block: Block, selection: Selection): number {
    const { from, to } = this.#rowsInTime(block);
    if (from >= to) return 0;
    // Of most blocks no row passes.
    let starts: Numbers | null = null;
    let count = 0;
    this.#matcher.each(block, from, to, (row) => {
      starts ??= block.narrow(columns.start);
      const time = block.startNs + (starts[row] ?? 0);
      if (selection.worst && time > selection.worst.time && this.#byTime) {
        count = Number.NaN;
        return false;
      }
      for (const type of this.#startTypesOf(block, row)) {
        const position = this.#position(block, row, time, ranks[type]);
        if (this.#compare(position, this.#after) <= 0) continue;
        count++;
        selection.add({ position, type, block, row });
      }
      return true;
    });
    return count;
  }

  /** Returns how many events match. */
  #selectExits(block: Block, selection: Selection): number {
    let count = 0;
    this.#eachExit(block, (row, time) => {
      count++;
      if (selection.worst && time > selection.worst.time && this.#byTime) return;
      const position = this.#exit(block, row, time);
      selection.add({ position, type: 'function_exit', block, row });
    });
    return count;
  }

  #exit(block: Block, row: number, time: number): Position {
    return this.#position(block, row, time, ranks.function_exit);
  }

  #eachExit(block: Block, visit: (row: number, time: number) => void): void {
    const { timeFrom, timeTo } = this.#plan;
    const least = Math.max(timeFrom, this.#byTime ? this.#after.time : 0);
    if (block.endNs < least) return;
    const { start, duration } = block;
    const latest = Math.min(timeTo, this.#until);
    const isAhead = this.#isAhead(block);
    this.#matcher.each(block, 0, firstRowAfter(block, timeTo), (row) => {
      const lasted = duration[row] ?? -1;
      const time = (start[row] ?? 0) + lasted;
      if (lasted < 0 || time < least || time > latest) return true;
      if (isAhead || this.#compare(this.#exit(block, row, time), this.#after) > 0) visit(row, time);
      return true;
    });
  }

  /** All matching events after the cursor, or as many as could be counted in the time. */
  #count(rows: TimedRows | null, atLeast: number): { count: number; isExact: boolean } {
    const began = monotonicMs();
    const stopAt = Math.min(this.#deadline, began + COUNT_MS);
    let count = rows?.count() ?? 0;
    let isLate = false;
    for (const stream of this.#streams)
      for (const _row of stream.rows(this.#snapshotsAfter, stopAt, () => (isLate = true)))
        if (++count % 1024 === 0 && monotonicMs() > stopAt) return { count, isExact: false };
    if (isLate) return { count: Math.max(count, atLeast), isExact: false };
    let looked = 0;
    for (const [at, block] of this.#blocks.entries()) {
      if (block.startNs > this.#plan.timeTo && this.#byTime) break;
      const counted = this.#counted.get(block);
      if (counted !== undefined) {
        count += counted;
        continue;
      }
      const now = monotonicMs();
      const spent = now - began;
      const left = (spent / Math.max(1, looked)) * (this.#blocks.length - at);
      const slack = Math.max(1, Math.min(HOPELESS, TELLING_BLOCKS / looked));
      const isHopeless = spent > COUNT_MS / 6 && spent + left > COUNT_MS * slack;
      if (isHopeless || now > stopAt) return { count: Math.max(count, atLeast), isExact: false };
      looked++;
      if (!this.#matcher.mayMatch(block)) continue;
      if (this.#startTypes.length > 0) count += this.#countStarts(block);
      if (this.#types.has('function_exit')) this.#eachExit(block, () => count++);
      this.#tables.blocks.passed(block);
    }
    return { count, isExact: true };
  }

  #countStarts(block: Block): number {
    const { timeFrom, timeTo } = this.#plan;
    const inWindow = block.startNs >= timeFrom && block.lastNs <= timeTo;
    if (inWindow && this.#isAhead(block) && this.#probes === null) {
      const whole = this.#matcher.countWhole(block);
      if (whole !== null) return whole * this.#startTypes.length;
    }
    const { from, to } = this.#rowsInTime(block);
    const isAhead = this.#isAhead(block);
    let count = 0;
    this.#matcher.each(block, from, to, (row) => {
      const types = this.#startTypesOf(block, row);
      if (isAhead) {
        count += types.length;
        return true;
      }
      for (const type of types) {
        const position = this.#position(block, row, block.startOf(row), ranks[type]);
        if (this.#compare(position, this.#after) > 0) count++;
      }
      return true;
    });
    return count;
  }

  /** A hit is no call. */
  #startTypesOf(block: Block, row: number): readonly StartType[] {
    if (this.#probes === null) return this.#startTypes;
    const isHit = this.#probes[functionNumber(block, row)] === 1;
    return this.#startTypes.filter((type) => (type === 'logpoint') === isHit);
  }

  #rowsInTime(block: Block): { from: number; to: number } {
    const { timeFrom, timeTo } = this.#plan;
    const isReached = this.#byTime || block.thread === this.#after.thread;
    if (!this.#byTime && block.thread < this.#after.thread) return { from: 0, to: 0 };
    const least = isReached ? Math.max(timeFrom, this.#after.time) : timeFrom;
    return { from: firstRowFrom(block, least), to: firstRowAfter(block, timeTo) };
  }

  #position(block: Block, row: number, time: number, rank: number): Position {
    return { time, rank, thread: block.thread, ordinal: block.first + row };
  }

  /** Whether all events of the block come after the cursor. */
  #isAhead(block: Block): boolean {
    if (this.#byTime || block.thread === this.#after.thread) {
      return block.startNs > this.#after.time;
    }
    return block.thread > this.#after.thread;
  }

  #isBeyond(block: Block, worst: Position): boolean {
    if (this.#byTime || block.thread === worst.thread) return block.startNs > worst.time;
    return block.thread > worst.thread;
  }

  #before(block: Block): Position {
    const thread = this.#byTime ? -1 : block.thread;
    return { time: block.startNs, rank: -1, thread, ordinal: -1 };
  }

  /** Rows without a thread come first in order of thread, so a later page has none of them. */
  #timedRows(): TimedRows | null {
    if (!this.#byTime && this.#after.thread > 0) return null;
    const { timeFrom, timeTo } = this.#plan;
    const window = { from: timeFrom, to: timeTo, after: this.#after };
    return new TimedRows(
      this.#tables.db,
      this.#plan,
      window,
      this.#types,
      (thread) => this.#tables.thread(thread).pid,
    );
  }

  get #snapshotsAfter(): SnapshotsAfter {
    return { after: this.#after, order: this.#query.order };
  }

  #view(found: Found): EventView {
    if (found.type === 'row') return found.view;
    const { type, position, block, row } = found;
    const call = viewCall(this.#tables, block, row, this.#until);
    const watched = this.#tables.watches.ofCall(block.thread, block.first + row, this.#until);
    return { type, time: position.time, call: watched ? { ...call, watched } : call };
  }

  #pids(): number[] {
    const pids = new Set<number>();
    for (const thread of this.#tables.threads) pids.add(thread.pid);
    for (const { pid } of this.#tables.processPids()) pids.add(pid);
    return [...pids].toSorted((a, b) => a - b);
  }
}

function earlier(a: Position | null, b: Position | null, compare: Compare): Position | null {
  if (!a || !b) return a ?? b;
  return compare(a, b) < 0 ? a : b;
}

function firstCursor(query: EventsQuery, picture: boolean): Cursor {
  const { timeFrom, timeTo } = query.filter;
  return {
    position: beginning,
    until: picture ? Math.min(query.until, Number.MAX_SAFE_INTEGER - 1) : null,
    timeFrom: Math.max(0, Math.floor(timeFrom ?? 0)),
    timeTo: timeTo === undefined ? null : Math.floor(timeTo),
    before: 0,
  };
}
