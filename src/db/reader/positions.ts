import { StrobeError } from '../../model/errors.ts';
import type { CallFilter, EventsQuery } from '../../model/questions/query.ts';

/** Where an event stands in the order of an answer. `thread` is 0 for what has none. */
export interface Position {
  readonly time: number;
  /** Of events at the same time: `ranks`. */
  readonly rank: number;
  readonly thread: number;
  /** Ordinal of the call, or the row's id. */
  readonly ordinal: number;
}

export const ranks = {
  process: 0,
  loss: 1,
  function_enter: 2,
  call: 3,
  output: 4,
  function_exit: 5,
  exception: 6,
  crash: 7,
  variable_snapshot: 8,
  callEvent: 9,
  logpoint: 10,
} as const;

export type Compare = (a: Position, b: Position) => number;

function byTime(a: Position, b: Position): number {
  return a.time - b.time || a.rank - b.rank || a.thread - b.thread || a.ordinal - b.ordinal;
}

function byThread(a: Position, b: Position): number {
  return a.thread - b.thread || byTime(a, b);
}

export function comparison(order: EventsQuery['order']): Compare {
  return order === 'time' ? byTime : byThread;
}

/** Before everything. */
export const beginning: Position = { time: -1, rank: -1, thread: -1, ordinal: -1 };

/**
 * Where a list of events goes on. Kept outside: replaying a cursor gives the same page again.
 * `until` is set when the list is a picture of one moment, because its filter depends on how
 * calls end; without it the list goes on with what is captured meanwhile.
 */
export interface Cursor {
  readonly position: Position;
  readonly until: number | null;
  readonly timeFrom: number;
  readonly timeTo: number | null;
  /** Events on the pages before. */
  readonly before: number;
}

/** Makes opaque texts that belong to this query and no other. */
export function cursorWriter(query: EventsQuery): (cursor: Cursor) => string {
  const head = `e${fingerprint(query)}`;
  return ({ position, until, timeFrom, timeTo, before }) => {
    const { time, rank, thread, ordinal } = position;
    const numbers = [time, rank, thread, ordinal, until ?? -1, timeFrom, timeTo ?? -1, before];
    return [head, ...numbers.map((number) => (number + 1).toString(36))].join('.');
  };
}

/** Throws BAD_CURSOR for any other text than `cursorWriter` made for the same query. */
export function readCursor(text: string, query: EventsQuery): Cursor {
  const [head, ...parts] = text.split('.');
  const numbers = parts.map((part) => Number.parseInt(part, 36) - 1);
  const isWhole = parts.length === 8 && parts.every((part) => /^[\da-z]{1,11}$/.test(part));
  if (!isWhole || head !== `e${fingerprint(query)}`) {
    throw new StrobeError('BAD_CURSOR', 'The cursor does not belong to this query.');
  }
  const [time = 0, rank = 0, thread = 0, ordinal = 0, until = 0, timeFrom = 0, timeTo = 0] =
    numbers;
  return {
    position: { time, rank, thread, ordinal },
    until: until < 0 ? null : until,
    timeFrom,
    timeTo: timeTo < 0 ? null : timeTo,
    before: numbers[7] ?? 0,
  };
}

/** Times are left out: a relative one differs on each page, and the cursor holds the first. */
function fingerprint(query: EventsQuery): string {
  const { timeFrom: _from, timeTo: _to, ...filter }: CallFilter = query.filter;
  const text = JSON.stringify([sorted(filter), [...query.eventTypes].toSorted(), query.order]);
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}
