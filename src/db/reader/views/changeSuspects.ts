import { firstAtOrAfter } from '../../../base/sorted.ts';
import type { ChangeView, SuspectCall } from '../../../model/questions/query.ts';
import { columns, endCode, endMask } from '../../blockFormat.ts';
import type { Block } from '../block.ts';
import { viewCall } from './callViews.ts';
import type { SessionTables } from '../sessionTables.ts';

/** Calls of one thread that are looked at for one change. */
const mostCalls = 2000;
const shownSuspects = 3;

/** Between two samples, in one process. `thread`: the one that took the second sample. */
export interface Interval {
  readonly from: number;
  readonly to: number;
  readonly pid: number;
  readonly thread: number;
  readonly until: number;
  /** Calls that took the samples and had not begun their own code at the second, or ended it at the first. */
  readonly without: readonly { readonly thread: number; readonly ordinal: number }[];
}

interface Overlap {
  readonly block: Block;
  readonly row: number;
  /** Of the interval: while it ran, and while nothing it called did. */
  whole: number;
  own: number;
}

/**
 * The calls, on any thread of the process, during which a value can have changed between two times, those
 * first that ran longest in their own code meanwhile: what happened while a callee ran was done by that.
 */
export function suspectsOf(
  tables: SessionTables,
  interval: Interval,
): Pick<ChangeView, 'calls' | 'others' | 'bounded'> {
  const all: Overlap[] = [];
  let bounded = false;
  for (const [thread, blocks] of tables.blocks.byThread) {
    if (tables.thread(thread).pid !== interval.pid) continue;
    const found = overlapsOf(tables, blocks, interval);
    bounded ||= found.bounded;
    all.push(...found.overlaps);
  }
  const running = all.filter(({ own }) => own > 0);
  const isOwn = ({ block }: Overlap): number => (block.thread === interval.thread ? 0 : 1);
  running.sort((a, b) => b.own - a.own || isOwn(a) - isOwn(b) || a.block.thread - b.block.thread);
  const shown = running.slice(0, shownSuspects);
  return {
    calls: shown.map(({ block, row, own }): SuspectCall => {
      const call = viewCall(tables, block, row, interval.until);
      return { call, ownNs: own };
    }),
    others: running.length - shown.length,
    bounded,
  };
}

/** The innermost call of a thread that was open at a time; null: none was recorded. */
export function openCallAt(
  tables: SessionTables,
  { pid, tid }: { readonly pid: number; readonly tid: number },
  time: number,
): Spot | null {
  for (const key of tables.threadsOf(pid, tid)) {
    for (let at = lastBefore(tables.blocks.byThread.get(key) ?? [], time); at;) {
      if (endOf(at.block, at.row) >= time) return at;
      const up = at.block.up[at.row] ?? 0;
      at = up > 0 ? tables.blocks.find(key, at.block.first + at.row - up) : null;
    }
  }
  return null;
}

/** The calls of one thread that ran in the interval, with their own share of it. */
function overlapsOf(
  tables: SessionTables,
  blocks: readonly Block[],
  { from, to, without }: Interval,
): { readonly overlaps: readonly Overlap[]; readonly bounded: boolean } {
  const byOrdinal = new Map<number, Overlap>();
  let bounded = false;
  const add = (block: Block, row: number): void => {
    const start = block.startOf(row);
    const end = endOf(block, row);
    const whole = Math.min(end, to) - Math.max(start, from);
    if (whole < 0 || end < from || start > to) return;
    const ordinal = block.first + row;
    if (without.some((one) => one.thread === block.thread && one.ordinal === ordinal)) return;
    byOrdinal.set(ordinal, { block, row, whole, own: whole });
  };
  const first = lastBefore(blocks, from);
  // What was open when the interval began are ancestors of the call entered last before.
  for (let at = first; at;) {
    add(at.block, at.row);
    const up = at.block.up[at.row] ?? 0;
    at = up > 0 ? tables.blocks.find(at.block.thread, at.block.first + at.row - up) : null;
  }
  let at = first ? next(blocks, first) : firstOf(blocks);
  for (; at && at.block.startOf(at.row) < to; at = next(blocks, at)) {
    if (byOrdinal.size >= mostCalls) {
      bounded = true;
      break;
    }
    add(at.block, at.row);
  }
  for (const [ordinal, { block, row, whole }] of byOrdinal) {
    const up = block.up[row] ?? 0;
    const parent = up > 0 ? byOrdinal.get(ordinal - up) : undefined;
    if (parent) parent.own -= whole;
  }
  return { overlaps: [...byOrdinal.values()], bounded };
}

/** Infinity while it is open; of one whose end is not known its start. */
function endOf(block: Block, row: number): number {
  const duration = block.durationOf(row);
  if (duration >= 0) return block.startOf(row) + duration;
  const end = (block.end[row] ?? 0) & endMask;
  return end === endCode.open ? Infinity : block.startOf(row);
}

interface Spot {
  readonly block: Block;
  readonly row: number;
}

/** The call that was entered last at or before a time. */
function lastBefore(blocks: readonly Block[], time: number): Spot | null {
  let found: Block | null = null;
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (block && block.startNs <= time) {
      found = block;
      low = middle + 1;
    } else high = middle;
  }
  if (!found) return null;
  const starts = found.narrow(columns.start);
  // Times are whole nanoseconds.
  const from = firstAtOrAfter(starts, Math.floor(time) + 1 - found.startNs, 0, found.calls);
  return from > 0 ? { block: found, row: from - 1 } : null;
}

function firstOf(blocks: readonly Block[]): Spot | null {
  const [block] = blocks;
  return block ? { block, row: 0 } : null;
}

function next(blocks: readonly Block[], { block, row }: Spot): Spot | null {
  if (row + 1 < block.calls) return { block, row: row + 1 };
  const following = blocks[blocks.indexOf(block) + 1];
  return following ? { block: following, row: 0 } : null;
}
