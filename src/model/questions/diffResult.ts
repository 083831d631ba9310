import type { SessionNs } from '../ids.ts';
import type { EventView } from './eventView.ts';
import type { CallFilter, CallView } from './query.ts';
import type { StatsRow } from './statsResult.ts';

/** Two sessions, or two time ranges of one: `here` is the one that is asked about. */
export interface DiffQuery {
  readonly here: { readonly filter: CallFilter; readonly until: SessionNs };
  readonly there: { readonly filter: CallFilter; readonly until: SessionNs };
  /** Functions listed at most. */
  readonly limit: number;
  readonly deadlineMs: number;
}

/** A function's figures on both sides; null: it was not called there. */
export interface DiffRow {
  /** Its signature, of namesakes with the file or module that tells them apart: `step(int) (a.c)`. */
  readonly key: string;
  readonly here: StatsRow | null;
  readonly there: StatsRow | null;
}

/** A call on each side at the same place of the order; null: that side's thread had no more calls. */
export interface CallPair {
  /** Calls of the thread before it that were alike on both sides. */
  readonly alike: number;
  readonly here: CallView | null;
  readonly there: CallView | null;
}

/** Two threads, matched by name and by the order in which they began. */
export interface ThreadDiff {
  readonly name: string;
  /** Null: the thread exists on the other side only. */
  readonly here: { readonly tid: number; readonly pid: number } | null;
  readonly there: { readonly tid: number; readonly pid: number } | null;
  /** Calls compared: all, or up to where the order differs or the deadline ended it. */
  readonly compared: number;
  /** The first call in which the order of functions differs. */
  readonly order: CallPair | null;
  /** The last call both had before `order`. */
  readonly before: CallView | null;
  /** The first pair of calls of one function that differ in `names`: arguments, `return`, `end` or `total at return` of a watch; addresses are not compared. */
  readonly values: (CallPair & { readonly names: readonly string[] }) | null;
}

/** The first write to a watched place that left another value than the one at its place on the other side. */
export interface WriteDiff {
  /** Of the watch. */
  readonly label: string;
  /** Writes before it that were alike. */
  readonly alike: number;
  /** Null: there were no more. */
  readonly here: WriteEvent | null;
  readonly there: WriteEvent | null;
}

type WriteEvent = Extract<EventView, { readonly type: 'variable_snapshot' }>;

export interface DiffResult {
  /** Functions that differ in being called, in calls, in exceptions or in time, the most telling first. */
  readonly rows: readonly DiffRow[];
  /** How many functions differ, and how many there are on either side. */
  readonly different: number;
  readonly functions: number;
  /** Functions that were traced on one side only: they are left out of the order. */
  readonly tracedHereOnly: readonly string[];
  readonly tracedThereOnly: readonly string[];
  readonly threads: readonly ThreadDiff[];
  /** Of places whose writes both sides watched: those that differ. */
  readonly writes: readonly WriteDiff[];
  readonly complete: boolean;
}
