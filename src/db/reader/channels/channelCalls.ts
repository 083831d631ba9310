import { monotonicMs } from '../../../base/clock.ts';
import type { SessionNs } from '../../../model/ids.ts';
import type { CallFilter, CallView } from '../../../model/questions/query.ts';
import { planFilter, type CallPlan } from '../filter/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../filter/callMatcher.ts';
import type { SessionTables } from '../sessionTables.ts';
import { functionNumber, viewCall } from '../views/callViews.ts';
import { endOfCall } from './callValues.ts';

/** Calls that are looked through. */
const MOST_CALLS = 200_000;

export interface ChannelCalls {
  /** In the order in which they took effect. */
  readonly calls: readonly CallView[];
  /** False: the deadline or the limit of calls ended the search. */
  readonly complete: boolean;
  /** All that began before it are among them. */
  readonly lookedUntil: SessionNs;
}

interface Wanted {
  /** 1 for each function that is meant. */
  readonly functions: Uint8Array;
  readonly filter: CallFilter;
  /** Of what reads and writes only what began in it; null: all. */
  readonly window: { readonly from: SessionNs; readonly to: SessionNs } | null;
  readonly until: SessionNs;
  readonly deadlineMs: number;
}

/** The calls that went through channels. Inside a snapshot. */
export function channelCalls(tables: SessionTables, wanted: Wanted): ChannelCalls {
  const { window, until } = wanted;
  const deadline = monotonicMs() + wanted.deadlineMs;
  const plan = planFilter(wanted.filter, tables, until);
  plan.functions = both(plan, wanted.functions);
  const carrying = window && tables.functionsThat(({ name }) => carries.test(name));
  const matcher = new CallMatcher(tables, plan, until);
  const found: { readonly call: CallView; readonly effect: number }[] = [];
  let any = false;
  let cut: SessionNs | null = null;
  for (const block of tables.blocks.byTime) {
    if (block.startNs > plan.timeTo) break;
    if (!matcher.mayMatch(block)) continue;
    if (any && (found.length >= MOST_CALLS || monotonicMs() > deadline)) {
      cut = block.startNs;
      break;
    }
    // Before the window there is little to read.
    any ||= block.lastNs >= (window?.from ?? 0);
    const from = firstRowFrom(block, plan.timeFrom);
    matcher.each(block, from, firstRowAfter(block, plan.timeTo), (row) => {
      const time = block.startOf(row);
      const isOutside = window && (time < window.from || time > window.to);
      if (isOutside && carrying?.[functionNumber(block, row)] === 1) return true;
      const call = viewCall(tables, block, row, until);
      found.push({ call, effect: effectOf(call) });
      return true;
    });
    tables.blocks.passed(block);
  }
  const calls = found.toSorted((a, b) => a.effect - b.effect).map(({ call }) => call);
  const lookedUntil = cut ?? Math.min(until, tables.summary.indexedTo);
  return {
    calls: cut === null ? calls : calls.filter(({ time }) => time < lookedUntil),
    complete: cut === null,
    lookedUntil,
  };
}

/** What moves bytes, and is most of the calls: the others say what a descriptor is. */
const carries = /[Rr]ead|[Ww]rite|send|recv|SendFile|Splice|take_received/;

function both({ functions }: CallPlan, others: Uint8Array): Uint8Array {
  return functions === null ? others : functions.map((one, at) => one & (others[at] ?? 0));
}

/** What makes something exist counts when it is done, what ends it when it begins. */
function effectOf(call: CallView): SessionNs {
  return endsSomething(call.function) ? call.time : endOfCall(call);
}

const known = new Map<string, boolean>();

function endsSomething(name: string): boolean {
  let ends = known.get(name);
  if (ends === undefined) {
    ends =
      /^(?:close|send|write|pwrite|SSL_write|gnutls_record_send)|\)\.(?:[Ww]rite\w*|Close)$/.test(
        name,
      );
    known.set(name, ends);
  }
  return ends;
}
