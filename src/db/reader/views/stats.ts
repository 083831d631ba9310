import { monotonicMs } from '../../../base/clock.ts';
import type { CallFilter } from '../../../model/questions/query.ts';
import type { StatsQuery, StatsResult, StatsRow } from '../../../model/questions/statsResult.ts';
import { endCode, endMask } from '../../blockFormat.ts';
import { bucketCount, bucketOf, quantile, readHistogram } from '../../histogram.ts';
import type { Sqlite } from '../../sqlite.ts';
import type { Block } from '../block.ts';
import { planFilter, type CallPlan } from '../filter/callFilter.ts';
import {
  CallMatcher,
  firstRowAfter,
  firstRowFrom,
  type MatchingRows,
} from '../filter/callMatcher.ts';
import { functionNumber } from './callViews.ts';
import { addContexts, type Figures } from './contextFigures.ts';
import type { SessionTables } from '../sessionTables.ts';

/** The figures of one group. */
interface Group extends Figures {
  suspendedNs: number;
  readonly number: number;
  /** The first bucket of its histogram. */
  readonly histogramFrom: number;
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
  readonly suspended_ns: number;
  readonly histogram_from: number;
  readonly histogram: Buffer;
}

/** Group of calls without a caller. */
const NO_CALLER = -1;

const sortKeys: {
  readonly [K in StatsQuery['sortBy']]: (group: Group) => number;
} = {
  total: (group) => group.totalNs,
  self: (group) => group.selfNs,
  count: (group) => group.count,
  mean: (group) => (group.timed > 0 ? group.totalNs / group.timed : 0),
  p50: (group) => quantileOf(group, 0.5),
  p95: (group) => quantileOf(group, 0.95),
  p99: (group) => quantileOf(group, 0.99),
  max: (group) => group.maxNs,
};

/** Figures per group (model/query.ts). Inside a snapshot. */
export function queryStats(tables: SessionTables, query: StatsQuery): StatsResult {
  const counted = countersFor(tables, query);
  const { groups, complete } = counted ? { groups: counted, complete: true } : scan(tables, query);
  const key = sortKeys[query.sortBy];
  const sorted = groups
    .map((group) => ({ group, key: key(group) }))
    .toSorted(
      (a, b) => b.key - a.key || b.group.count - a.group.count || a.group.number - b.group.number,
    );
  return {
    rows: sorted.slice(0, query.limit).map(({ group }) => toRow(tables, query.groupBy, group)),
    groups: groups.length,
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
  const all = readCounters(
    tables.db,
    groupBy === 'function' ? 'function_counters' : 'thread_counters',
  );
  return functions ? all.filter(({ number }) => functions[number] === 1) : all;
}

function readCounters(db: Sqlite, table: 'function_counters' | 'thread_counters'): Group[] {
  const rows = db.prepared<[], CounterRow>(`SELECT * FROM ${table} WHERE calls > 0`).all();
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
    suspendedNs: row.suspended_ns,
    histogram: readHistogram(row.histogram),
    histogramFrom: row.histogram_from,
  }));
}

function scan(tables: SessionTables, query: StatsQuery): { groups: Group[]; complete: boolean } {
  const deadline = monotonicMs() + query.deadlineMs;
  const until = Math.min(query.until, Number.MAX_SAFE_INTEGER);
  const plan = planFilter(query.filter, tables, until);
  const matcher = new CallMatcher(tables, plan, until);
  const groups = new Map<number, Group>();
  const groupFor = (number: number): Group => groups.get(number) ?? newGroup(groups, number);
  let any = false;
  for (const block of tables.blocks.byTime) {
    if (block.startNs > plan.timeTo) break;
    if (block.lastNs < plan.timeFrom) continue;
    if (any && monotonicMs() > deadline) return { groups: [...groups.values()], complete: false };
    any = true;
    if (!matcher.mayMatch(block)) continue;
    const isWhole =
      block.startNs >= plan.timeFrom && block.lastNs <= plan.timeTo && matcher.takesByFunction;
    if (isWhole && addWhole(tables, block, { by: query.groupBy, plan, until }, groupFor)) continue;
    const groupOf = grouping(tables, query.groupBy, block, groupFor);
    const from = firstRowFrom(block, plan.timeFrom);
    const { rows, runs } = matcher.rows(block, from, firstRowAfter(block, plan.timeTo));
    // Calls of one function have many callers.
    addRows(block, { rows, runs: query.groupBy === 'caller' ? [] : runs }, groupOf, until);
    tables.blocks.passed(block);
  }
  return { groups: [...groups.values()], complete: true };
}

/** Adds all calls of a block that the functions asked for take; false when they have to be looked at. */
function addWhole(
  tables: SessionTables,
  block: Block,
  asked: { readonly by: StatsQuery['groupBy']; readonly plan: CallPlan; readonly until: number },
  groupFor: (number: number) => Group,
): boolean {
  const { by, plan, until } = asked;
  if (block.open > 0 || block.endsAfter(until) || block.suspended) return false;
  const { contexts } = block;
  if (!contexts || (by === 'caller' && contexts.deepest < Infinity)) return false;
  const { functions } = plan;
  const functionAt = (ordinal: number): number | null => {
    const found = by === 'caller' ? tables.blocks.find(block.thread, ordinal) : null;
    return found && functionNumber(found.block, found.row);
  };
  return addContexts(contexts, functionAt, ({ fn, caller }) => {
    if (functions && functions[fn] !== 1) return null;
    switch (by) {
      case 'function':
        return groupFor(fn);
      case 'thread':
        return groupFor(block.thread);
      case 'caller':
        return groupFor(caller ?? NO_CALLER);
    }
  });
}

/** The group of each row of a block. */
function grouping(
  tables: SessionTables,
  by: StatsQuery['groupBy'],
  block: Block,
  groupFor: (number: number) => Group,
): (row: number) => Group {
  const { entry, dictionary } = block;
  switch (by) {
    case 'function': {
      const groups: (Group | undefined)[] = [];
      return (row) => {
        const at = entry[row] ?? 0;
        return (groups[at] ??= groupFor(dictionary.fn[at] ?? 0));
      };
    }
    case 'thread': {
      // Made with its first call: a block may hold none that fits.
      let group: Group | undefined;
      return () => (group ??= groupFor(block.thread));
    }
    case 'caller': {
      const { up } = block;
      return (row) => groupFor(callerOf(tables, block, row, up[row] ?? 0));
    }
  }
}

function callerOf(tables: SessionTables, block: Block, row: number, up: number): number {
  if (up === 0) return NO_CALLER;
  if (up <= row) return functionNumber(block, row - up);
  const parent = tables.blocks.find(block.thread, block.first + row - up);
  return parent ? functionNumber(parent.block, parent.row) : NO_CALLER;
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
    suspendedNs: 0,
    histogram: new Float64Array(bucketCount),
    histogramFrom: 0,
  };
  groups.set(number, group);
  return group;
}

/** Adds rows of a block to their groups, as things stood at `until`. */
function addRows(
  block: Block,
  { rows, runs }: MatchingRows,
  groupOf: (row: number) => Group,
  until: number,
): void {
  const isSettled = !block.endsAfter(until);
  const add = (run: Uint16Array, group: Group): void =>
    addRun(block, isSettled ? run : settledRows(block, run, group, until), group);
  for (const { from, to } of runs) add(rows.subarray(from, to), groupOf(rows[from] ?? 0));
  const mixed = rows.subarray(runs.at(-1)?.to ?? 0);
  for (const { group, rows: alike } of sortedByGroup(mixed, groupOf)) add(alike, group);
}

/** Groups have many rows, which come in turns. */
function sortedByGroup(
  rows: Uint16Array,
  groupOf: (row: number) => Group,
): { group: Group; rows: Uint16Array }[] {
  const numbers = new Map<Group, number>();
  const counts: number[] = [];
  const numberOf = new Uint16Array(rows.length);
  let last: Group | null = null;
  let number = 0;
  for (let i = 0; i < rows.length; i++) {
    const group = groupOf(rows[i] ?? 0);
    if (group !== last) {
      number = numbers.get(group) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(group, number);
        counts.push(0);
      }
      last = group;
    }
    numberOf[i] = number;
    counts[number] = (counts[number] ?? 0) + 1;
  }
  if (last && numbers.size === 1) return [{ group: last, rows }];
  let from = 0;
  const starts = counts.map((count) => (from += count) - count);
  const filled = [...starts];
  const sorted = new Uint16Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const at = filled[numberOf[i] ?? 0] ?? 0;
    sorted[at] = rows[i] ?? 0;
    filled[numberOf[i] ?? 0] = at + 1;
  }
  return [...numbers.keys()].map((group, i) => ({
    group,
    rows: sorted.subarray(starts[i], filled[i]),
  }));
}

/** Counts the rows that end after `until` as open and leaves them out. */
function settledRows(block: Block, rows: Uint16Array, group: Group, until: number): Uint16Array {
  const { start, duration } = block;
  const settled = rows.filter((row) => (start[row] ?? 0) + (duration[row] ?? -1) <= until);
  group.count += rows.length - settled.length;
  group.open += rows.length - settled.length;
  return settled;
}

/** Adds rows of one group; the sums stay in registers meanwhile. */
function addRun(block: Block, rows: Uint16Array, group: Group): void {
  const { duration: durations, end: ends, child, suspended } = block;
  const { histogram } = group;
  let open = 0;
  let unwound = 0;
  let timed = 0;
  let totalNs = 0;
  let childNs = 0;
  let suspendedNs = 0;
  let minNs = group.timed > 0 ? group.minNs : Number.POSITIVE_INFINITY;
  let { maxNs } = group;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0;
    const end = (ends[row] ?? 0) & endMask;
    if (end === endCode.open) open++;
    if (end === endCode.unwound) unwound++;
    const duration = durations[row] ?? -1;
    if (duration < 0) continue;
    timed++;
    totalNs += duration;
    childNs += child[row] ?? 0;
    if (suspended) suspendedNs += suspended[row] ?? 0;
    if (duration < minNs) minNs = duration;
    if (duration > maxNs) maxNs = duration;
    const bucket = bucketOf(duration);
    histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  }
  group.count += rows.length;
  group.open += open;
  group.unwound += unwound;
  group.timed += timed;
  group.totalNs += totalNs;
  group.selfNs += totalNs - childNs - suspendedNs;
  group.suspendedNs += suspendedNs;
  if (group.timed > 0) group.minNs = minNs;
  group.maxNs = maxNs;
}

function quantileOf(group: Group, q: number): number {
  const { timed, minNs, maxNs, histogram, histogramFrom } = group;
  // Calls that were only counted are not in it.
  const count = Math.min(timed, Math.round(histogram.reduce((sum, calls) => sum + calls, 0)));
  return quantile({ histogram, from: histogramFrom }, q, { count, min: minNs, max: maxNs });
}

function toRow(tables: SessionTables, by: StatsQuery['groupBy'], group: Group): StatsRow {
  return {
    ...named(tables, by, group.number),
    number: group.number,
    count: group.count,
    timed: group.timed,
    open: group.open,
    unwound: group.unwound,
    totalNs: group.totalNs,
    selfNs: group.selfNs,
    meanNs: group.timed > 0 ? Math.round(group.totalNs / group.timed) : 0,
    minNs: group.minNs,
    p50Ns: quantileOf(group, 0.5),
    p95Ns: quantileOf(group, 0.95),
    p99Ns: quantileOf(group, 0.99),
    maxNs: group.maxNs,
    ...(group.suspendedNs > 0 ? { suspendedNs: group.suspendedNs } : {}),
  };
}

/** `key`: the signature, `tid name` of a thread, or `(no caller)`. */
function named(
  tables: SessionTables,
  by: StatsQuery['groupBy'],
  number: number,
): Pick<StatsRow, 'key' | 'function' | 'file' | 'line' | 'probe'> {
  if (by === 'thread') {
    const { tid, name } = tables.thread(number);
    return { key: `${tid} ${name}`.trim(), function: null, file: null, line: null };
  }
  if (number === NO_CALLER) return { key: '(no caller)', function: null, file: null, line: null };
  const fn = tables.fn(number);
  const { signature, name, file, line, probe } = fn;
  return { key: signature, function: name, file, line, ...(probe ? { probe: probe.id } : {}) };
}
