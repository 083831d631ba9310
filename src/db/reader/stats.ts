import { monotonicMs } from '../../base/clock.ts';
import type { CallFilter, StatsQuery, StatsResult, StatsRow } from '../../model/query.ts';
import { endCode } from '../blockFormat.ts';
import { bucketCount, bucketOf, quantile, readHistogram } from '../histogram.ts';
import type { Sqlite } from '../sqlite.ts';
import type { Block } from './blocks.ts';
import { planFilter } from './callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from './callMatcher.ts';
import { durationAt, endAt, functionNumber } from './callViews.ts';
import type { SessionTables } from './sessionTables.ts';

/** The figures of one group; times are over the `timed` calls, whose duration is known. */
interface Group {
  readonly number: number;
  count: number;
  open: number;
  unwound: number;
  timed: number;
  totalNs: number;
  selfNs: number;
  minNs: number;
  maxNs: number;
  readonly histogram: Float64Array;
}

interface CounterRow {
  readonly number: number;
  readonly calls: number;
  readonly open: number;
  readonly unwound: number;
  readonly timed: number;
  readonly total_ns: number;
  readonly self_ns: number;
  readonly min_ns: number;
  readonly max_ns: number;
  readonly histogram_from: number;
  readonly histogram: Buffer;
}

/** Group of calls without a caller. */
const NO_CALLER = -1;

const sortKeys: {
  readonly [K in StatsQuery['sortBy']]: (row: StatsRow) => number;
} = {
  total: (row) => row.totalNs,
  self: (row) => row.selfNs,
  count: (row) => row.count,
  mean: (row) => row.meanNs,
  p99: (row) => row.p99Ns,
  max: (row) => row.maxNs,
};

/** Figures per group (model/query.ts). Inside a snapshot. */
export function queryStats(tables: SessionTables, query: StatsQuery): StatsResult {
  const counted = countersFor(tables, query);
  const { groups, complete } = counted
    ? { groups: counted, complete: true }
    : scan(tables, query);
  const key = sortKeys[query.sortBy];
  const rows = groups
    .map((group) => toRow(tables, query.groupBy, group))
    .toSorted((a, b) => key(b) - key(a) || b.count - a.count || (a.key < b.key ? -1 : 1));
  return {
    rows: rows.slice(0, query.limit),
    groups: rows.length,
    source: counted ? 'counters' : 'scan',
    complete,
  };
}

/** The counters answer a question about everything that was captured. */
function countersFor(tables: SessionTables, query: StatsQuery): Group[] | null {
  const { filter, groupBy, until } = query;
  if (groupBy === 'caller' || until < tables.summary.indexedTo) return null;
  const keys: (keyof CallFilter)[] = groupBy === 'function' ? ['function', 'sourceFile'] : [];
  const others = Object.entries(filter).filter(
    ([name, value]) => value !== undefined && !keys.some((key) => key === name),
  );
  if (others.length > 0) return null;
  const { functions } = planFilter(filter, tables, until);
  const all = readCounters(tables.db, groupBy === 'function' ? 'function_counters' : 'thread_counters');
  return functions ? all.filter(({ number }) => functions[number] === 1) : all;
}

function readCounters(db: Sqlite, table: 'function_counters' | 'thread_counters'): Group[] {
  const rows = db.prepare<[], CounterRow>(`SELECT * FROM ${table} WHERE calls > 0`).all();
  return rows.map((row) => ({
    number: row.number,
    count: row.calls,
    open: row.open,
    unwound: row.unwound,
    timed: row.timed,
    totalNs: row.total_ns,
    selfNs: row.self_ns,
    minNs: row.min_ns,
    maxNs: row.max_ns,
    histogram: readHistogram(row.histogram_from, row.histogram),
  }));
}

function scan(
  tables: SessionTables,
  query: StatsQuery,
): { groups: Group[]; complete: boolean } {
  const deadline = monotonicMs() + query.deadlineMs;
  const until = Math.min(query.until, Number.MAX_SAFE_INTEGER);
  const plan = planFilter(query.filter, tables, until);
  const matcher = new CallMatcher(tables, plan, until);
  const groups = new Map<number, Group>();
  const groupOf = grouping(tables, query.groupBy);
  let complete = true;
  let any = false;
  for (const block of tables.blocks.byTime) {
    if (block.startNs > plan.timeTo) break;
    if (block.lastNs < plan.timeFrom || !matcher.mayMatch(block)) continue;
    if (any && monotonicMs() > deadline) {
      complete = false;
      break;
    }
    any = true;
    const from = firstRowFrom(block, plan.timeFrom);
    const to = firstRowAfter(block, plan.timeTo);
    matcher.each(block, from, to, (row) => {
      const number = groupOf(block, row);
      const group = groups.get(number) ?? newGroup(groups, number);
      addCall(group, block, row, until);
      return true;
    });
    tables.blocks.passed(block);
  }
  return { groups: [...groups.values()], complete };
}

function grouping(
  tables: SessionTables,
  by: StatsQuery['groupBy'],
): (block: Block, row: number) => number {
  switch (by) {
    case 'function':
      return functionNumber;
    case 'thread':
      return (block) => block.thread;
    case 'caller':
      return (block, row) => {
        const up = block.up[row] ?? 0;
        if (up === 0) return NO_CALLER;
        if (up <= row) return functionNumber(block, row - up);
        const parent = tables.blocks.find(block.thread, block.first + row - up);
        return parent ? functionNumber(parent.block, parent.row) : NO_CALLER;
      };
  }
}

function newGroup(groups: Map<number, Group>, number: number): Group {
  const group: Group = {
    number,
    count: 0,
    open: 0,
    unwound: 0,
    timed: 0,
    totalNs: 0,
    selfNs: 0,
    minNs: 0,
    maxNs: 0,
    histogram: new Float64Array(bucketCount),
  };
  groups.set(number, group);
  return group;
}

function addCall(group: Group, block: Block, row: number, until: number): void {
  group.count++;
  const end = endCode[endAt(block, row, until)];
  if (end === endCode.open) group.open++;
  if (end === endCode.unwound) group.unwound++;
  const duration = durationAt(block, row, until);
  if (duration === null) return;
  group.totalNs += duration;
  group.selfNs += duration - (block.child[row] ?? 0);
  group.minNs = group.timed === 0 ? duration : Math.min(group.minNs, duration);
  group.maxNs = Math.max(group.maxNs, duration);
  group.timed++;
  const bucket = bucketOf(duration);
  group.histogram[bucket] = (group.histogram[bucket] ?? 0) + 1;
}

function toRow(tables: SessionTables, by: StatsQuery['groupBy'], group: Group): StatsRow {
  const extremes = { count: group.timed, min: group.minNs, max: group.maxNs };
  return {
    ...named(tables, by, group.number),
    count: group.count,
    open: group.open,
    unwound: group.unwound,
    totalNs: group.totalNs,
    selfNs: group.selfNs,
    meanNs: group.timed > 0 ? Math.round(group.totalNs / group.timed) : 0,
    minNs: group.minNs,
    p50Ns: quantile(group.histogram, 0.5, extremes),
    p95Ns: quantile(group.histogram, 0.95, extremes),
    p99Ns: quantile(group.histogram, 0.99, extremes),
    maxNs: group.maxNs,
  };
}

/** `key`: the signature, `tid name` of a thread, or `(no caller)`. */
function named(
  tables: SessionTables,
  by: StatsQuery['groupBy'],
  number: number,
): Pick<StatsRow, 'key' | 'function' | 'file' | 'line'> {
  if (by === 'thread') {
    const { tid, name } = tables.thread(number);
    return { key: `${tid} ${name}`.trim(), function: null, file: null, line: null };
  }
  if (number === NO_CALLER) return { key: '(no caller)', function: null, file: null, line: null };
  const fn = tables.fn(number);
  return { key: fn.signature, function: fn.name, file: fn.file, line: fn.line };
}
