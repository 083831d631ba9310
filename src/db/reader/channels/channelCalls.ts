import { monotonicMs } from '../../../base/clock.ts';
import type { SessionNs } from '../../../model/ids.ts';
import type { CallFilter, CallView } from '../../../model/questions/query.ts';
import { planFilter, type CallPlan } from '../filter/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../filter/callMatcher.ts';
import type { SessionTables } from '../sessionTables.ts';
import { viewCall } from '../views/callViews.ts';

/** Calls that are read at once. */
const MOST_CALLS = 200_000;

export interface ChannelCalls {
  /** That began from `from` on and before `before`. */
  readonly calls: readonly CallView[];
  readonly before: SessionNs;
  /** False: there are later ones. */
  readonly complete: boolean;
}

interface Wanted {
  /** 1 for each function that is meant. */
  readonly functions: Uint8Array;
  readonly filter: CallFilter;
  /** Those that began earlier are known. */
  readonly from: SessionNs;
  /** Those that began at it or later are for another time; null: as many as can be read at once. */
  readonly before: SessionNs | null;
  readonly until: SessionNs;
  /** Of the monotonic clock, in ms. */
  readonly deadline: number;
}

/** The calls that went through channels. Inside a snapshot. */
export function channelCalls(tables: SessionTables, wanted: Wanted): ChannelCalls {
  const { until, deadline } = wanted;
  const plan = planFilter(wanted.filter, tables, until);
  plan.functions = both(plan, wanted.functions);
  const first = Math.max(wanted.from, plan.timeFrom);
  const last = wanted.before ?? Number.POSITIVE_INFINITY;
  const matcher = new CallMatcher(tables, plan, until);
  const calls: CallView[] = [];
  let cut: SessionNs | null = null;
  for (const block of tables.blocks.byTime) {
    if (block.startNs > plan.timeTo) break;
    if (block.startNs >= last) {
      cut = last;
      break;
    }
    if (block.lastNs < first || !matcher.mayMatch(block)) continue;
    const isFull =
      (wanted.before === null && calls.length >= MOST_CALLS) || monotonicMs() > deadline;
    if (isFull && block.startNs > first) {
      cut = block.startNs;
      break;
    }
    matcher.each(block, firstRowFrom(block, first), firstRowAfter(block, plan.timeTo), (row) => {
      calls.push(viewCall(tables, block, row, until));
      return true;
    });
    tables.blocks.passed(block);
  }
  const end = Math.min(until, tables.summary.indexedTo);
  if (cut === null && last > end) return { calls, before: end, complete: true };
  const before = cut ?? last;
  return { calls: calls.filter(({ time }) => time < before), before, complete: false };
}

function both({ functions }: CallPlan, others: Uint8Array): Uint8Array {
  return functions === null ? others : functions.map((one, at) => one & (others[at] ?? 0));
}
