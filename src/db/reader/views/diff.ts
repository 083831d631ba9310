import { monotonicMs } from '../../../base/clock.ts';
import type { TracedFunction, TracedThread } from '../../../model/eventColumns.ts';
import type {
  CallPair,
  DiffQuery,
  DiffResult,
  DiffRow,
  ThreadDiff,
} from '../../../model/questions/diffResult.ts';
import type { CallView } from '../../../model/questions/query.ts';
import type { StatsRow } from '../../../model/questions/statsResult.ts';
import type { Block } from '../block.ts';
import { planFilter } from '../filter/callFilter.ts';
import { CallMatcher } from '../filter/callMatcher.ts';
import { functionNumber, viewCall } from './callViews.ts';
import { identify, type Identities } from '../functionIdentity.ts';
import { CallWalk } from '../filter/callWalk.ts';
import { differences, type CallPlace } from './differences.ts';
import type { SessionTables } from '../sessionTables.ts';
import { queryStats } from './stats.ts';
import { differentWrites, WatchedDifferences } from './watchedDifferences.ts';

/** Means that differ by less are taken as equal. */
const TIME_FACTOR = 2;
/** A total below it is not worth a line for its time alone. */
const TIME_FLOOR_NS = 1_000_000;
/** A single call that takes less longer than the others may have been interrupted by the machine. */
const HICCUP_NS = 100_000_000;
const ALL_FUNCTIONS = 1_000_000;
const noBytes = Buffer.alloc(0);

/** One of the two things that are compared. */
class Side {
  readonly tables: SessionTables;
  readonly until: number;
  readonly #filter: DiffQuery['here']['filter'];
  readonly #plan;
  readonly #matcher: CallMatcher;
  readonly #deadline: number;

  constructor(tables: SessionTables, { filter, until }: DiffQuery['here'], deadline: number) {
    this.tables = tables;
    this.until = Math.min(until, Number.MAX_SAFE_INTEGER);
    this.#filter = filter;
    this.#plan = planFilter(filter, tables, this.until);
    this.#matcher = new CallMatcher(tables, this.#plan, this.until);
    this.#deadline = deadline;
  }

  stats(): { rows: readonly StatsRow[]; complete: boolean } {
    return queryStats(this.tables, {
      filter: this.#filter,
      groupBy: 'function',
      sortBy: 'total',
      limit: ALL_FUNCTIONS,
      until: this.until,
      deadlineMs: Math.max(1, this.#deadline - monotonicMs()),
    });
  }

  walk(thread: TracedThread): CallWalk {
    return new CallWalk(this.tables, this.#plan, this.#matcher, thread.key, this.#deadline);
  }

  /** Whether all that is known of any call counts. */
  get isSettled(): boolean {
    return this.until >= this.tables.summary.indexedTo;
  }

  /** Ends of calls after it are not known yet. */
  get endsUntil(): number {
    return this.isSettled ? Number.POSITIVE_INFINITY : this.until;
  }

  /** Threads with calls that fit, in the order in which they began. */
  threads(): TracedThread[] {
    const began = (key: number): number =>
      this.tables.blocks.byThread.get(key)?.[0]?.startNs ?? Number.POSITIVE_INFINITY;
    return [...this.tables.threads]
      .filter((thread) => Number.isFinite(began(thread.key)) && this.walk(thread).next())
      .toSorted((a, b) => began(a.key) - began(b.key) || a.key - b.key);
  }

  functions(): readonly TracedFunction[] {
    const functions: TracedFunction[] = [];
    this.tables.functionsThat((fn) => {
      functions.push(fn);
      return false;
    });
    return functions;
  }
}

/** Compares two sessions or time ranges (model/diff.ts). Inside snapshots of both. */
export function queryDiff(
  hereTables: SessionTables,
  thereTables: SessionTables,
  query: DiffQuery,
): DiffResult {
  const deadline = monotonicMs() + query.deadlineMs;
  const here = new Side(hereTables, query.here, deadline);
  const there = new Side(thereTables, query.there, deadline);
  const [hereStats, thereStats] = [here.stats(), there.stats()];
  const names = commonNames(here, there);
  const rows = join(names, hereStats.rows, thereStats.rows);
  const different = rows.filter(isDifferent).toSorted((a, b) => weight(b) - weight(a));
  const watched = new WatchedDifferences(here, there);
  const isOneSession = hereTables === thereTables;
  const threads = matchThreads(here.threads(), there.threads(), isOneSession).map(([one, other]) =>
    diffThreads({ here, there, names, watched }, one, other),
  );
  const { writes, complete } = differentWrites(
    { ...query.here, tables: hereTables },
    { ...query.there, tables: thereTables },
    deadline,
  );
  return {
    writes,
    rows: different.slice(0, query.limit),
    different: different.length,
    functions: rows.length,
    tracedHereOnly: names.hereOnly,
    tracedThereOnly: names.thereOnly,
    threads: threads.map(({ diff }) => diff),
    complete:
      complete &&
      hereStats.complete &&
      thereStats.complete &&
      threads.every(({ isWhole }) => isWhole),
  };
}

function join(
  names: Pick<Names, 'here' | 'there'>,
  here: readonly StatsRow[],
  there: readonly StatsRow[],
): DiffRow[] {
  const rows = new Map<string, { here: StatsRow | null; there: StatsRow | null }>();
  for (const row of here)
    rows.set(names.here.get(row.number) ?? row.key, { here: row, there: null });
  for (const row of there) {
    const name = names.there.get(row.number) ?? row.key;
    const known = rows.get(name);
    if (known) known.there = row;
    else rows.set(name, { here: null, there: row });
  }
  return [...rows].map(([key, sides]) => ({ key, ...sides }));
}

function isDifferent({ here, there }: DiffRow): boolean {
  if (!here || !there) return true;
  return here.count !== there.count || here.unwound !== there.unwound || timeRatio(here, there) > 1;
}

/** What a call takes usually: a slowest one that may be a hiccup does not count. */
function usualNs({ count, totalNs, meanNs, maxNs }: StatsRow): number {
  return count > 1 && maxNs < HICCUP_NS ? (totalNs - maxNs) / (count - 1) : meanNs;
}

/** How many times longer the slower side's calls usually take, where that matters; else 1. */
function timeRatio(here: StatsRow, there: StatsRow): number {
  if (Math.max(here.totalNs, there.totalNs) < TIME_FLOOR_NS) return 1;
  const [low, high] = [usualNs(here), usualNs(there)].toSorted((a, b) => a - b);
  const ratio = (high ?? 0) / Math.max(1, low ?? 0);
  return ratio >= TIME_FACTOR ? ratio : 1;
}

/** What tells most comes first: calls on one side only, then exceptions, then counts, then time. */
function weight({ here, there }: DiffRow): number {
  if (!here || !there) return 4e9 + (here ?? there ?? { count: 0 }).count;
  const unwound = Math.abs(here.unwound - there.unwound);
  if (unwound > 0) return 3e9 + unwound;
  if (here.count !== there.count) {
    return 2e9 + (1e6 * Math.abs(here.count - there.count)) / Math.max(here.count, there.count);
  }
  return timeRatio(here, there);
}

interface Names {
  readonly here: Identities;
  readonly there: Identities;
  readonly common: ReadonlySet<string>;
  readonly hereOnly: readonly string[];
  readonly thereOnly: readonly string[];
}

function commonNames(hereSide: Side, thereSide: Side): Names {
  const { here, there } = identify(hereSide.functions(), thereSide.functions());
  const [inHere, inThere] = [new Set(here.values()), new Set(there.values())];
  return {
    here,
    there,
    common: new Set([...inHere].filter((name) => inThere.has(name))),
    hereOnly: [...inHere].filter((name) => !inThere.has(name)),
    thereOnly: [...inThere].filter((name) => !inHere.has(name)),
  };
}

type Matched = readonly [here: TracedThread | null, there: TracedThread | null];

/**
 * The n-th thread of a name here belongs to the n-th of that name there; the only one here to the
 * only one there, whatever their names. In two ranges of one session a thread belongs to itself,
 * and only those that are in one range alone are matched like that.
 */
function matchThreads(
  here: readonly TracedThread[],
  there: readonly TracedThread[],
  isOneSession: boolean,
): Matched[] {
  if (here.length === 1 && there.length === 1) return [[here[0] ?? null, there[0] ?? null]];
  const itself = new Map(isOneSession ? there.map((thread) => [thread.key, thread]) : []);
  const known = new Set(here.map(({ key }) => key));
  const left = there.filter(({ key }) => !isOneSession || !known.has(key));
  const matched = here.map((thread): Matched => {
    const same = itself.get(thread.key);
    if (same) return [thread, same];
    const at = left.findIndex(({ name }) => name === thread.name);
    return [thread, at < 0 ? null : (left.splice(at, 1)[0] ?? null)];
  });
  return [...matched, ...left.map((thread): Matched => [null, thread])];
}

interface Compared {
  readonly here: Side;
  readonly there: Side;
  readonly names: Names;
  readonly watched: WatchedDifferences;
}

function diffThreads(
  { here, there, names, watched }: Compared,
  one: TracedThread | null,
  other: TracedThread | null,
): { diff: ThreadDiff; isWhole: boolean } {
  const sides = {
    name: (one ?? other)?.name ?? '',
    here: one && { tid: one.tid, pid: one.pid },
    there: other && { tid: other.tid, pid: other.pid },
  };
  if (!one || !other) {
    const nothing = { compared: 0, order: null, before: null, values: null };
    return { diff: { ...sides, ...nothing }, isWhole: true };
  }
  const walks = { here: here.walk(one), there: there.walk(other) };
  const diff = { ...sides, ...compareWalks({ here, there, names, watched }, walks) };
  return { diff, isWhole: !walks.here.isLate && !walks.there.isLate };
}

function compareWalks(
  { here, there, names, watched }: Compared,
  walks: { readonly here: CallWalk; readonly there: CallWalk },
): Pick<ThreadDiff, 'compared' | 'order' | 'before' | 'values'> {
  const comparesDepth = names.hereOnly.length === 0 && names.thereOnly.length === 0;
  const pair = (alike: number, a: CallPlace | null, b: CallPlace | null): CallPair => ({
    alike,
    here: a && viewPlace(here, a),
    there: b && viewPlace(there, b),
  });
  const depths: { apart: number | null } = { apart: null };
  const isSame = sameCall(names, comparesDepth, depths);
  let compared = 0;
  let before: Pick<CallPlace, 'block' | 'row'> | null = null;
  let values: ThreadDiff['values'] = null;
  for (;;) {
    const block = walks.here.wholeBlock;
    const other = walks.there.wholeBlock;
    if (
      block &&
      other &&
      !depths.apart &&
      areAlike({ here, there, names, watched }, block, other, !values)
    ) {
      walks.here.skipBlock();
      walks.there.skipBlock();
      depths.apart = 0;
      compared += block.calls;
      before = walks.here.place;
      continue;
    }
    const a = nextCommon(walks.here, here, names.here, names.common);
    const b = nextCommon(walks.there, there, names.there, names.common);
    const isOver = (!a && walks.here.isLate) || (!b && walks.there.isLate) || (!a && !b);
    if (isOver) return { compared, order: null, before: null, values };
    if (!a || !b || !isSame(a, b)) {
      const order = pair(compared, a, b);
      return { compared, order, before: before && viewPlace(here, before), values };
    }
    const different: readonly string[] = values
      ? []
      : [...differences(a, b), ...watched.names(a, b)];
    if (different.length > 0) values = { ...pair(compared, a, b), names: different };
    compared++;
    before = a;
  }
}

/** Whether what two full blocks are remembered by tells that no call of them differs. */
function areAlike(
  { here, there, names, watched }: Compared,
  block: Block,
  other: Block,
  withValues: boolean,
): boolean {
  if (block.shape === null || block.shape !== other.shape || block.calls !== other.calls)
    return false;
  const areNamedAlike = block.dictionary.fn.every((fn) => {
    const name = names.here.get(fn);
    return name !== undefined && name === names.there.get(fn) && names.common.has(name);
  });
  if (!areNamedAlike) return false;
  if (!withValues) return true;
  if (!here.isSettled || !there.isSettled || block.content !== other.content) return false;
  if (!watched.areAlike(block, other)) return false;
  const placeIn = (side: Side, of: Block, i: number): CallPlace => ({
    fn: side.tables.fn(of.dictionary.fn[of.lateEntries[i] ?? 0] ?? 0),
    block: of,
    row: (of.late[i]?.ordinal ?? 0) - of.first,
    until: side.endsUntil,
  });
  return (
    block.late.length === other.late.length &&
    block.late.every((end, i) => {
      const match = other.late[i];
      if (end.ordinal - block.first !== (match?.ordinal ?? 0) - other.first) return false;
      const isSame =
        end.end === match?.end && (end.payload ?? noBytes).equals(match.payload ?? noBytes);
      return isSame || differences(placeIn(here, block, i), placeIn(there, other, i)).length === 0;
    })
  );
}

/** Whether two calls are of one function and, where all functions are the same, as deep as the first ones were apart. */
function sameCall(
  names: Names,
  comparesDepth: boolean,
  depths: { apart: number | null },
): (a: CallPlace, b: CallPlace) => boolean {
  return (a, b) => {
    if (names.here.get(a.fn.number) !== names.there.get(b.fn.number)) return false;
    const now = (a.block.depth[a.row] ?? 0) - (b.block.depth[b.row] ?? 0);
    depths.apart ??= now;
    return !comparesDepth || now === depths.apart;
  };
}

function viewPlace(side: Side, { block, row }: Pick<CallPlace, 'block' | 'row'>): CallView {
  const call = viewCall(side.tables, block, row, side.until);
  const watched = side.tables.watches.ofCall(block.thread, block.first + row, side.until);
  return watched ? { ...call, watched } : call;
}

/** The next call of a function that was traced on both sides. */
function nextCommon(
  walk: CallWalk,
  side: Side,
  names: ReadonlyMap<number, string>,
  common: ReadonlySet<string>,
): CallPlace | null {
  while (walk.next()) {
    const { block, row } = walk.place;
    const number = functionNumber(block, row);
    if (common.has(names.get(number) ?? ''))
      return { fn: side.tables.fn(number), block, row, until: side.endsUntil };
  }
  return null;
}
