import type { SessionNs } from '../ids.ts';
import type { CallFilter, CallView } from './query.ts';

export interface TreeQuery {
  readonly filter: CallFilter;
  /** A call id or function pattern that becomes the root; null: all roots. */
  readonly root: string | null;
  readonly maxDepth: number;
  /** Whether lines tell the time spent in themselves. */
  readonly selfTime: boolean;
  /** Stop collecting after about this many nodes after folding; the rest is counted. */
  readonly maxNodes: number;
  /** Lines of a thread whose values are read: those shown first (treeRank.ts). */
  readonly maxRead: number;
  readonly until: SessionNs;
  readonly deadlineMs: number;
}

/** A call, or several equal siblings folded into one line. */
export interface TreeNode {
  /** The first of the folded calls. */
  readonly call: CallView;
  /** False: it has no values here, nor `varying`, and cannot be shown. */
  readonly isRead: boolean;
  /** How many siblings this line stands for (1 = not folded). */
  readonly times: number;
  /** Over the folded calls. */
  readonly totalNs: number;
  readonly minNs: number | null;
  readonly maxNs: number | null;
  /** Over the folded calls: for how long they were suspended; absent: they were not. */
  readonly suspendedNs?: number;
  /** Of `totalNs`, what was not spent in traced calls below, shown or not; null: not asked for. */
  readonly selfNs: number | null;
  /** Arguments (and `return`) that differ among the folded calls: `cents=1..36` for numbers, `channel=card|wallet` for up to six short values, `return=ok(35)|busy(2)` for results, else `id=47 different`, `this=0x7ff0{47 different}` when it is one object; `~` after the sign where only a part was looked at, `?` where none was. */
  readonly varying: readonly string[];
  readonly children: readonly TreeNode[];
  /** Calls below that maxDepth or maxNodes left out. */
  readonly omitted: number;
}

export interface TreeResult {
  readonly threads: readonly {
    readonly thread: number;
    readonly tid: number;
    readonly name: string;
    readonly pid: number;
    readonly calls: number;
    /** Of these, hits of breakpoints, invariants and lines; absent: none. */
    readonly hits?: number;
    readonly roots: readonly TreeNode[];
    readonly omitted: number;
  }[];
  readonly calls: number;
  readonly complete: boolean;
  /** Lines of which the deadline left open which values differ. */
  readonly uncompared: number;
}
