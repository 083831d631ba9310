import { isUnwound, NONE, type BlockContexts, type ContextColumns } from '../tree/blockContexts.ts';

/** The figures of some calls; times are over the `timed` ones, whose duration is known. */
export interface Figures {
  count: number;
  open: number;
  unwound: number;
  timed: number;
  totalNs: number;
  selfNs: number;
  minNs: number;
  maxNs: number;
  /** Calls per bucket (histogram.ts). */
  readonly histogram: Float64Array;
}

/** What a context's calls have in common: their function, and that of their caller. */
export interface ContextOf {
  readonly fn: number;
  /** Null: none was traced. */
  readonly caller: number | null;
}

/**
 * Adds all calls of a block without open ones to their figures, context by context: none of them is
 * looked at. `functionOf` finds a call of an earlier block. False where contexts do not tell enough.
 */
export function addContexts(
  { columns, count }: BlockContexts,
  functionOf: (ordinal: number) => number | null,
  figuresOf: (of: ContextOf) => Figures | null,
): boolean {
  const { outer, above, fn, calls, childNs } = columns;
  if (childNs === null) return false;
  for (let context = 0; context < count; context++) {
    if (calls[context] === 0) continue;
    const higher = above[context] ?? NONE;
    const ordinal = outer[higher] ?? NONE;
    const caller = higher < 0 ? null : ordinal < 0 ? (fn[higher] ?? 0) : functionOf(ordinal);
    const figures = figuresOf({ fn: fn[context] ?? 0, caller });
    if (figures) addContext(columns, context, childNs[context] ?? 0, figures);
  }
  return true;
}

function addContext(
  columns: ContextColumns,
  context: number,
  childNs: number,
  figures: Figures,
): void {
  const calls = columns.calls[context] ?? 0;
  const timed = columns.timed[context] ?? 0;
  figures.count += calls;
  if (isUnwound(columns.end[context] ?? 0)) figures.unwound += calls;
  if (timed === 0) return;
  const totalNs = columns.totalNs[context] ?? 0;
  const leastNs = columns.leastNs[context] ?? 0;
  figures.minNs = figures.timed === 0 ? leastNs : Math.min(figures.minNs, leastNs);
  figures.maxNs = Math.max(figures.maxNs, columns.mostNs[context] ?? 0);
  figures.timed += timed;
  figures.totalNs += totalNs;
  figures.selfNs += totalNs - childNs;
  const { bucketsAt, buckets, inBucket } = columns;
  const { histogram } = figures;
  const to = bucketsAt[context + 1] ?? 0;
  for (let at = bucketsAt[context] ?? 0; at < to; at++) {
    const bucket = buckets[at] ?? 0;
    histogram[bucket] = (histogram[bucket] ?? 0) + (inBucket[at] ?? 0);
  }
}
