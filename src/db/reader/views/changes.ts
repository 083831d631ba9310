import { isDeepStrictEqual } from 'node:util';
import { monotonicMs } from '../../../base/clock.ts';
import { StrobeError } from '../../../model/errors.ts';
import { watchFlags } from '../../../model/eventColumns.ts';
import type {
  ChangesPage,
  ChangesQuery,
  ChangeView,
  Value,
} from '../../../model/questions/query.ts';
import type { WatchDefinition } from '../../../model/watches/watch.ts';
import { viewCall } from './callViews.ts';
import { suspectsOf } from './changeSuspects.ts';
import { watchesNamed } from '../filter/watchedFilter.ts';
import { hexadecimal } from '../../../model/decoding/scalars.ts';
import type { SessionTables } from '../sessionTables.ts';
import { samplesInOrder, type Sample } from '../samplesInOrder.ts';
import { sampledValue } from '../storedWatches.ts';
import { isChange, viewWrite, writesInOrder, type WrittenRow } from './writtenChanges.ts';

/** Samples that are looked at in one question. */
const mostSamples = 4_000_000;
const deadlineEvery = 4096;

/** Two samples of the same place that follow each other and differ. */
interface Change {
  readonly watch: WatchDefinition;
  readonly before: Sample;
  readonly after: Sample;
}

/** A write that changed the value, or may have. */
interface Written {
  readonly watch: WatchDefinition;
  readonly row: WrittenRow;
}

/**
 * Finds a page of changes of watched values, in the order in which they were seen. The samples of one place
 * (a variable in a process, a member of one object, a thread-local of one thread) follow each other
 * whatever thread took them. An argument is a place of its own in each call. Inside a snapshot.
 */
export function queryChanges(tables: SessionTables, query: ChangesQuery): ChangesPage {
  const wanted = watchesNamed(tables, query.watch);
  const { skip, until } = readCursor(query);
  const found = findChanges(tables, query, { wanted, until });
  const page = found.changes.slice(skip, skip + query.limit);
  const write = (count: number): string => `w${(skip + count).toString(36)}.${until.toString(36)}`;
  const hasMore = found.changes.length > skip + page.length;
  return {
    changes: page.map((change) =>
      'row' in change ? viewWrite(tables, change, until) : viewOf(tables, change, until),
    ),
    cursors: page.map((_change, i) => write(i + 1)),
    cursor: hasMore ? write(page.length) : null,
    hasMore,
    total: found.changes.length,
    complete: found.complete,
    lookedUntil: found.complete ? until : found.lookedUntil,
    accepted: wanted.size,
    watches: [...found.samples]
      .map(([label, samples]) => {
        const named = [...wanted.values()].filter((one) => one.label === label);
        return {
          label,
          samples,
          changes: found.counts.get(label) ?? 0,
          isWritten: named.some((one) => one.isWritten === true),
          isOfCall: named.every((one) => one.isOfCall),
        };
      })
      .toSorted((a, b) => b.changes - a.changes),
    pids: [...new Set([...tables.threads].map(({ pid }) => pid))].toSorted((a, b) => a - b),
  };
}

function readCursor({ cursor, until }: ChangesQuery): { skip: number; until: number } {
  if (cursor === null) return { skip: 0, until: Math.min(until, Number.MAX_SAFE_INTEGER) };
  const [, skip, end] = /^w([\da-z]{1,11})\.([\da-z]{1,11})$/.exec(cursor) ?? [];
  if (skip === undefined || end === undefined)
    throw new StrobeError('BAD_CURSOR', 'The cursor does not belong to this query.');
  return { skip: Number.parseInt(skip, 36), until: Number.parseInt(end, 36) };
}

interface Found {
  readonly changes: readonly (Change | Written)[];
  readonly complete: boolean;
  readonly lookedUntil: number;
  /** By label. */
  readonly samples: ReadonlyMap<string, number>;
  readonly counts: ReadonlyMap<string, number>;
}

function findChanges(
  tables: SessionTables,
  query: ChangesQuery,
  {
    wanted,
    until,
  }: { readonly wanted: ReadonlyMap<number, WatchDefinition>; readonly until: number },
): Found {
  const to = Math.min(until, query.timeTo ?? until);
  const deadline = monotonicMs() + query.deadlineMs;
  const last = new Map<string, Sample>();
  const changes: Change[] = [];
  const samples = new Map<string, number>();
  const counts = new Map<string, number>();
  let looked = 0;
  let complete = true;
  let lookedUntil = 0;
  for (const sample of samplesInOrder(tables, 0, to)) {
    const watch = wanted.get(sample.from.watch[sample.at] ?? -1);
    if (!watch) continue;
    const { pid } = tables.thread(sample.from.thread);
    if (query.pid !== null && pid !== query.pid) continue;
    samples.set(watch.label, (samples.get(watch.label) ?? 0) + 1);
    if (++looked % deadlineEvery === 0 && (looked >= mostSamples || monotonicMs() > deadline)) {
      complete = false;
      lookedUntil = sample.time;
      break;
    }
    if (watch.isOfCall) continue;
    const key = placeOf(watch, pid, sample);
    const before = last.get(key);
    last.set(key, sample);
    if (!before || isSame(tables, watch, before, sample)) continue;
    if (query.timeFrom !== null && sample.time < query.timeFrom) continue;
    changes.push({ watch, before, after: sample });
    counts.set(watch.label, (counts.get(watch.label) ?? 0) + 1);
  }
  const written = findWritten(
    tables,
    query,
    { wanted, until: complete ? to : lookedUntil },
    { samples, counts },
  );
  const all = written.length === 0 ? changes : inOrder([...changes, ...written]);
  return { changes: all, complete, lookedUntil, samples, counts };
}

/** Adds to the sums, which are by label. */
function findWritten(
  tables: SessionTables,
  query: ChangesQuery,
  {
    wanted,
    until,
  }: { readonly wanted: ReadonlyMap<number, WatchDefinition>; readonly until: number },
  { samples, counts }: Record<'samples' | 'counts', Map<string, number>>,
): Written[] {
  const written: Written[] = [];
  for (const { label, isWritten } of wanted.values())
    if (isWritten === true && !samples.has(label)) samples.set(label, 0);
  for (const row of writesInOrder(tables, query, until)) {
    const watch = wanted.get(row.watch);
    if (!watch) continue;
    samples.set(watch.label, (samples.get(watch.label) ?? 0) + 1);
    if (!isChange(row) || (query.timeFrom !== null && row.time_ns < query.timeFrom)) continue;
    written.push({ watch, row });
    counts.set(watch.label, (counts.get(watch.label) ?? 0) + 1);
  }
  return written;
}

function inOrder(changes: readonly (Change | Written)[]): readonly (Change | Written)[] {
  const timeOf = (change: Change | Written): number =>
    'row' in change ? change.row.time_ns : change.after.time;
  return changes.toSorted((a, b) => timeOf(a) - timeOf(b));
}

/** What follows each other in time. What could not be read has no place of its own, so no address. */
function placeOf(watch: WatchDefinition, pid: number, { from, at }: Sample): string {
  const flags = from.flags[at] ?? 0;
  const hasAddress = (flags & watchFlags.address) !== 0;
  const isRead = (flags & watchFlags.unreadable) === 0;
  return `${watch.number} ${pid} ${isRead && hasAddress ? String(from.address[at] ?? 0n) : ''}`;
}

function isSame(tables: SessionTables, watch: WatchDefinition, a: Sample, b: Sample): boolean {
  const unreadable = watchFlags.unreadable;
  const isLost = ((a.from.flags[a.at] ?? 0) & unreadable) !== 0;
  if (isLost !== (((b.from.flags[b.at] ?? 0) & unreadable) !== 0)) return false;
  if (isLost) return a.from.address[a.at] === b.from.address[b.at];
  if (((a.from.flags[a.at] ?? 0) & watchFlags.text) === 0)
    return a.from.value[a.at] === b.from.value[b.at];
  const [one, other] = [a, b].map(({ from, at }) => from.texts[Number(from.value[at] ?? 0n)]);
  if (one?.text === other?.text && one?.truncated === other?.truncated) return true;
  if (watch.type.kind !== 'tree' && watch.type.kind !== 'dynamic') return false;
  // Memory that a value does not mean was copied with it; an object may have been replaced by its like.
  const [old, now] = [a, b].map((sample) => valueOf(tables, watch, sample));
  return isDeepStrictEqual(old, now);
}

function valueOf(tables: SessionTables, watch: WatchDefinition, { from, at }: Sample): Value {
  return sampledValue(watch, from, at, tables.names(from.thread));
}

function viewOf(tables: SessionTables, change: Change, until: number): ChangeView {
  const { watch, before, after } = change;
  const flags = after.from.flags[after.at] ?? 0;
  const seenBy = tables.blocks.find(after.from.thread, after.from.ordinal[after.at] ?? -1);
  const address = (flags & watchFlags.address) === 0 ? 0n : (after.from.address[after.at] ?? 0n);
  const { pid } = tables.thread(after.from.thread);
  return {
    watch: watch.label,
    from: before.time,
    to: after.time,
    old: valueOf(tables, watch, before),
    now: valueOf(tables, watch, after),
    address: address === 0n ? null : hexadecimal(address),
    pid,
    atReturn: isAtReturn(after),
    seenBy: seenBy ? viewCall(tables, seenBy.block, seenBy.row, until) : null,
    write: null,
    ...suspectsOf(tables, {
      from: before.time,
      to: after.time,
      pid,
      until,
      thread: after.from.thread,
      without: [
        ...(isAtReturn(before) ? [callOf(before)] : []),
        ...(isAtReturn(after) ? [] : [callOf(after)]),
      ],
    }),
  };
}

function isAtReturn({ from, at }: Sample): boolean {
  return ((from.flags[at] ?? 0) & watchFlags.atReturn) !== 0;
}

function callOf({ from, at }: Sample): { readonly thread: number; readonly ordinal: number } {
  return { thread: from.thread, ordinal: from.ordinal[at] ?? -1 };
}
