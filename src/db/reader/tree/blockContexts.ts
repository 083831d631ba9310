import { endCode, endMask } from '../../blockFormat.ts';
import { bucketCount, bucketFrom, bucketOf } from '../../histogram.ts';

/** Key of a context whose calls are inner recursion of the one above; no kind has it. */
export const INNER = -1;
/** No context, or none above. */
export const NONE = -1;
/** A call took long that took at least so many times as long as the usual one. */
export const SLOW_FACTOR = 10;
/** Long calls are noted in every block from a lower limit on: the usual call of a block is not that of all. */
const NOTED_FACTOR = 4;
/** Places for the kinds of calls below one context: dictionary entry * 32 + end. */
const KINDS = 2 ** 20;
const INNER_KIND = KINDS - 1;

/** The columns of contexts, by their numbers; a context comes after the one above it. */
export interface ContextColumns {
  /** The call in an earlier block on which these hang, by its ordinal; -1: they have an own context. */
  readonly outer: Float64Array;
  readonly above: Int32Array;
  /** How many contexts are above it in the block; recursion counts as one. */
  readonly level: Int32Array;
  /** Dictionary entry * 32 + end, or INNER. */
  readonly kind: Int32Array;
  readonly entry: Int32Array;
  /** How its first call ended. */
  readonly end: Uint8Array;
  readonly fn: Int32Array;
  readonly calls: Int32Array;
  /** Calls of known duration. */
  readonly timed: Int32Array;
  readonly totalNs: Float64Array;
  /** Of the timed calls, what was spent in direct children; null: not asked for. */
  readonly childNs: Float64Array | null;
  readonly leastNs: Float64Array;
  readonly mostNs: Float64Array;
  /** Row of the first call. */
  readonly first: Int32Array;
  /** Where a context's buckets begin; one more than there are contexts. */
  readonly bucketsAt: Int32Array;
  readonly buckets: Uint16Array;
  readonly inBucket: Int32Array;
  /** From which bucket on all calls of a context are in `long`. */
  readonly longFrom: Uint16Array;
  readonly long: Uint16Array;
  /** Ascending. */
  readonly longOf: Int32Array;
  readonly longNs: Float64Array;
}

/**
 * The kinds of calls in one block, each with what lies above it (contextForest.ts), and what a tree tells
 * of them. What lies above the block is not known here: its calls begin contexts of their own.
 */
export class BlockContexts {
  readonly columns: ContextColumns;
  /** The context of the only call that may be a root; -1: none is meant. */
  readonly root: number;
  /** Levels below this one are not told apart: what is there hangs on the context of this level. */
  readonly deepest: number;
  /** 1: calls were taken out, so that its extremes and its first call are bounds only. */
  readonly areBounds: Uint8Array;
  #index: Map<number, number> | null = null;

  constructor(columns: ContextColumns, root: number, deepest: number) {
    this.columns = columns;
    this.root = root;
    this.deepest = deepest;
    this.areBounds = new Uint8Array(columns.above.length);
  }

  get count(): number {
    return this.columns.above.length;
  }

  /** Roughly, of its columns. */
  get bytes(): number {
    return this.count * 80 + this.columns.buckets.length * 6 + this.columns.long.length * 14;
  }

  /** One to take calls out of. */
  copy(): BlockContexts {
    const { columns } = this;
    return new BlockContexts(
      {
        ...columns,
        calls: columns.calls.slice(),
        timed: columns.timed.slice(),
        totalNs: columns.totalNs.slice(),
        childNs: columns.childNs && columns.childNs.slice(),
        leastNs: columns.leastNs.slice(),
        mostNs: columns.mostNs.slice(),
        first: columns.first.slice(),
        inBucket: columns.inBucket.slice(),
      },
      this.root,
      this.deepest,
    );
  }

  /** The context of calls that hang on a call of an earlier block; -1: there are none. */
  ofOuter(ordinal: number): number {
    return this.#indexed().get(-1 - ordinal) ?? NONE;
  }

  /** The context of a call below another context; -1: there is none. */
  below(higher: number, entry: number, end: number): number {
    const { columns } = this;
    const isDeep = (columns.level[higher] ?? 0) > this.deepest;
    const above = isDeep ? (columns.above[higher] ?? NONE) : higher;
    const isInner =
      above >= 0 &&
      columns.entry[above] === entry &&
      isUnwound(columns.end[above] ?? 0) === isUnwound(end);
    if (isInner && columns.kind[above] === INNER) return above;
    const kind = isInner ? INNER_KIND : entry * 32 + end;
    return this.#indexed().get((above + 1) * KINDS + kind) ?? NONE;
  }

  /** Takes a call out; `duration` -1 when it is not known. */
  takeOut(context: number, row: number, duration: number, child: number): void {
    const { calls, timed, totalNs, childNs, leastNs, mostNs, first } = this.columns;
    calls[context] = (calls[context] ?? 0) - 1;
    if (first[context] === row) this.areBounds[context] = 1;
    if (duration < 0) return;
    timed[context] = (timed[context] ?? 0) - 1;
    totalNs[context] = (totalNs[context] ?? 0) - duration;
    if (childNs) childNs[context] = (childNs[context] ?? 0) - child;
    if (leastNs[context] === duration || mostNs[context] === duration) this.areBounds[context] = 1;
    const { bucketsAt, buckets, inBucket } = this.columns;
    const bucket = bucketOf(duration);
    const to = bucketsAt[context + 1] ?? 0;
    for (let at = bucketsAt[context] ?? 0; at < to; at++) {
      if ((buckets[at] ?? 0) < bucket) continue;
      inBucket[at] = (inBucket[at] ?? 0) - 1;
      return;
    }
  }

  /** Sets the extremes and the first call of a context right. */
  settle(context: number, { first, leastNs, mostNs }: ContextBounds): void {
    this.columns.first[context] = first;
    this.columns.leastNs[context] = leastNs;
    this.columns.mostNs[context] = mostNs;
    this.areBounds[context] = 0;
  }

  /** Between which limits all durations of a context lie; exact unless they are bounds. */
  least(context: number): number {
    const { leastNs, bucketsAt, buckets, inBucket } = this.columns;
    const least = leastNs[context] ?? 0;
    if (this.areBounds[context] === 0) return least;
    let at = bucketsAt[context] ?? 0;
    while (at < (bucketsAt[context + 1] ?? 0) && inBucket[at] === 0) at++;
    return Math.max(least, bucketFrom(buckets[at] ?? 0));
  }

  most(context: number): number {
    const { mostNs, bucketsAt, buckets, inBucket } = this.columns;
    const most = mostNs[context] ?? 0;
    if (this.areBounds[context] === 0) return most;
    let at = (bucketsAt[context + 1] ?? 0) - 1;
    while (at > (bucketsAt[context] ?? 0) && inBucket[at] === 0) at--;
    const bucket = buckets[at] ?? 0;
    return bucket === bucketCount - 1 ? most : Math.min(most, bucketFrom(bucket + 1) - 1);
  }

  #indexed(): Map<number, number> {
    if (this.#index) return this.#index;
    const index = new Map<number, number>();
    const { outer, above, kind } = this.columns;
    for (let context = 0; context < above.length; context++) {
      const ordinal = outer[context] ?? NONE;
      // A root is no one's equal.
      if (ordinal >= 0) index.set(-1 - ordinal, context);
      else if (context !== this.root) {
        const key = kind[context] ?? INNER;
        index.set(
          ((above[context] ?? 0) + 1) * KINDS + (key === INNER ? INNER_KIND : key),
          context,
        );
      }
    }
    return (this.#index = index);
  }
}

/** What takes a look at all calls of a context to know. */
export interface ContextBounds {
  readonly first: number;
  readonly leastNs: number;
  readonly mostNs: number;
}

export function isUnwound(end: number): boolean {
  return (end & endMask) === endCode.unwound;
}

/** The bucket of the middle one of so many durations; `inBucket`: how many each bucket has. */
export function middleBucket(inBucket: ArrayLike<number>, count: number): number {
  let left = ((count - 1) >> 1) + 1;
  let bucket = -1;
  while (left > 0 && bucket + 1 < inBucket.length) left -= inBucket[++bucket] ?? 0;
  return bucket;
}

/** The least duration that is `factor` times as long as all that share a bucket with the usual one. */
export function longLimit(usual: number, factor: number): number {
  return factor * Math.max(1, bucketFrom(usual + 1) - 1);
}

export const notedFactor = NOTED_FACTOR;
