import { blockCalls } from '../../blockFormat.ts';
import { bucketCount, bucketFrom, bucketOf } from '../../histogram.ts';
import type { Numbers } from '../block.ts';
import {
  BlockContexts,
  INNER,
  isUnwound,
  longLimit,
  middleBucket,
  NONE,
  notedFactor,
} from './blockContexts.ts';

/** A block as a tree sees it. */
export interface TreeRows {
  /** Ordinal of row 0. */
  readonly first: number;
  /** Rows from here on do not count. */
  readonly rows: number;
  readonly entry: Numbers;
  readonly up: Numbers;
  readonly ends: Numbers;
  /** ns + 1; 0 = not known. */
  readonly durations: Numbers;
  /** Time in direct children; null: not asked for. */
  readonly child: Numbers | null;
  /** Function numbers by dictionary entry. */
  readonly functions: Uint32Array;
  /** 1 for the rows the filter takes; null: all. */
  readonly taken: Uint8Array | null;
  /** The only call that may be a root, and is taken in any case; -1: any may be, or it lies elsewhere. */
  readonly rootRow: number;
  /** Levels below this one need not be told apart. */
  readonly deepest: number;
}

/** Finds the contexts of blocks. One per question: it owns the scratch space. */
export class ContextBuilder {
  /** The context of each row, + 1. */
  readonly #of = new Uint16Array(blockCalls);
  readonly #sorted = new Uint16Array(blockCalls);
  readonly #inBucket = new Int32Array(bucketCount);
  #slots = new Int32Array(512);
  #used = 0;
  // Growing columns of contexts.
  #outer: number[] = [];
  #above: number[] = [];
  #kind: number[] = [];
  #entry: number[] = [];
  #end: number[] = [];
  #calls: number[] = [];
  #level: number[] = [];
  #deepest = 0;
  #inner: number[] = [];
  readonly #outerAt = new Map<number, number>();

  build(rows: TreeRows): BlockContexts {
    this.#slots.fill(0);
    this.#used = 0;
    for (const column of [this.#outer, this.#above, this.#kind, this.#entry, this.#end])
      column.length = 0;
    this.#calls.length = this.#inner.length = this.#level.length = 0;
    this.#deepest = rows.deepest;
    this.#outerAt.clear();
    const root = this.#assign(rows);
    return this.#summarise(rows, root);
  }

  /** Of the block that was built last, the context of each row (or of its nearest taken ancestor) + 1. */
  contextsOfRows(rows: number): Uint16Array {
    return this.#of.slice(0, rows);
  }

  /** Gives each row its context; returns that of the root. */
  #assign({ first, rows, entry: entries, up, ends, taken, rootRow }: TreeRows): number {
    const of = this.#of;
    const calls = this.#calls;
    let root = NONE;
    for (let row = 0; row < rows; row++) {
      const distance = up[row] ?? 0;
      let above = NONE;
      if (distance > 0)
        above =
          distance <= row ? (of[row - distance] ?? 0) - 1 : this.#outerOf(first + row - distance);
      if (taken !== null && taken[row] !== 1 && row !== rootRow) {
        of[row] = above + 1;
        continue;
      }
      const entry = entries[row] ?? 0;
      const end = ends[row] ?? 0;
      let context: number;
      if (row === rootRow) root = context = this.#add(above, entry * 32 + end, entry, end);
      else context = this.#below(above, entry, end);
      of[row] = context + 1;
      calls[context] = (calls[context] ?? 0) + 1;
    }
    return root;
  }

  #below(higher: number, entry: number, end: number): number {
    const isDeep = (this.#level[higher] ?? 0) > this.#deepest;
    const above = isDeep ? (this.#above[higher] ?? NONE) : higher;
    if (
      above >= 0 &&
      this.#entry[above] === entry &&
      isUnwound(this.#end[above] ?? 0) === isUnwound(end)
    ) {
      if (this.#kind[above] === INNER) return above;
      const inner = this.#inner[above] ?? NONE;
      return inner >= 0 ? inner : (this.#inner[above] = this.#add(above, INNER, entry, end));
    }
    const kind = entry * 32 + end;
    const last = this.#slots.length - 1;
    let slot = hashOf(above, kind) & last;
    for (;;) {
      const context = (this.#slots[slot] ?? 0) - 1;
      if (context < 0) break;
      if (this.#above[context] === above && this.#kind[context] === kind) return context;
      slot = (slot + 1) & last;
    }
    const made = this.#add(above, kind, entry, end);
    this.#slots[slot] = made + 1;
    if (++this.#used * 2 > this.#slots.length) this.#widen();
    return made;
  }

  #outerOf(ordinal: number): number {
    const known = this.#outerAt.get(ordinal);
    if (known !== undefined) return known;
    const made = this.#add(NONE, INNER, NONE, 0);
    this.#outer[made] = ordinal;
    this.#outerAt.set(ordinal, made);
    return made;
  }

  #add(above: number, kind: number, entry: number, end: number): number {
    this.#outer.push(NONE);
    this.#above.push(above);
    this.#kind.push(kind);
    this.#entry.push(entry);
    this.#end.push(end);
    this.#calls.push(0);
    const level = above < 0 ? NONE : (this.#level[above] ?? NONE);
    this.#level.push(kind === INNER ? level : level + 1);
    return this.#inner.push(NONE) - 1;
  }

  #widen(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const last = slots.length - 1;
    for (const place of this.#slots) {
      if (place === 0) continue;
      let slot = hashOf(this.#above[place - 1] ?? 0, this.#kind[place - 1] ?? 0) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = place;
    }
    this.#slots = slots;
  }

  /** Adds up context by context, because that needs one place each for the sums. */
  #summarise(
    { rows, durations, child, functions, taken, rootRow }: TreeRows,
    root: number,
  ): BlockContexts {
    const count = this.#above.length;
    const starts = new Int32Array(count + 1);
    for (let c = 0; c < count; c++) starts[c + 1] = (starts[c] ?? 0) + (this.#calls[c] ?? 0);
    const of = this.#of;
    const sorted = this.#sorted;
    const filled = starts.slice();
    for (let row = 0; row < rows; row++) {
      if (taken !== null && taken[row] !== 1 && row !== rootRow) continue;
      const context = (of[row] ?? 0) - 1;
      const to = filled[context] ?? 0;
      filled[context] = to + 1;
      sorted[to] = row;
    }
    const timed = new Int32Array(count);
    const totalNs = new Float64Array(count);
    const childNs = child && new Float64Array(count);
    const leastNs = new Float64Array(count);
    const mostNs = new Float64Array(count).fill(-1);
    const first = new Int32Array(count);
    const bucketsAt = new Int32Array(count + 1);
    const longFrom = new Uint16Array(count);
    const found: Found = { buckets: [], inBucket: [], long: [], longOf: [], longNs: [] };
    for (let context = 0; context < count; context++) {
      const from = starts[context] ?? 0;
      const to = starts[context + 1] ?? 0;
      first[context] = sorted[from] ?? 0;
      const sums = this.#sums(durations, from, to);
      timed[context] = sums.timed;
      totalNs[context] = sums.totalNs;
      leastNs[context] = sums.timed === 0 ? 0 : sums.leastNs;
      mostNs[context] = sums.mostNs;
      if (childNs && child) childNs[context] = this.#childTime(durations, child, from, to);
      longFrom[context] = this.#note(found, durations, { context, from, to, ...sums });
      bucketsAt[context + 1] = found.buckets.length;
    }
    return new BlockContexts(
      {
        outer: Float64Array.from(this.#outer),
        above: Int32Array.from(this.#above),
        level: Int32Array.from(this.#level),
        kind: Int32Array.from(this.#kind),
        entry: Int32Array.from(this.#entry),
        end: Uint8Array.from(this.#end),
        fn: Int32Array.from(this.#entry, (entry) => functions[entry] ?? NONE),
        calls: Int32Array.from(this.#calls),
        timed,
        totalNs,
        childNs,
        leastNs,
        mostNs,
        first,
        bucketsAt,
        longFrom,
        buckets: Uint16Array.from(found.buckets),
        inBucket: Int32Array.from(found.inBucket),
        long: Uint16Array.from(found.long),
        longOf: Int32Array.from(found.longOf),
        longNs: Float64Array.from(found.longNs),
      },
      root,
      this.#level.some((level) => level > this.#deepest) ? this.#deepest : Infinity,
    );
  }

  /** Of the calls in `sorted` [from, to), which are put into buckets. */
  #sums(durations: Numbers, from: number, to: number): Sums {
    const sorted = this.#sorted;
    const inBucket = this.#inBucket;
    let timed = 0;
    let totalNs = 0;
    let leastNs = Number.POSITIVE_INFINITY;
    let mostNs = -1;
    for (let i = from; i < to; i++) {
      const duration = (durations[sorted[i] ?? 0] ?? 0) - 1;
      if (duration < 0) continue;
      timed++;
      totalNs += duration;
      if (duration < leastNs) leastNs = duration;
      if (duration > mostNs) mostNs = duration;
      const bucket = bucketOf(duration);
      inBucket[bucket] = (inBucket[bucket] ?? 0) + 1;
    }
    return { timed, totalNs, leastNs, mostNs };
  }

  #childTime(durations: Numbers, child: Numbers, from: number, to: number): number {
    let total = 0;
    for (let i = from; i < to; i++) {
      const row = this.#sorted[i] ?? 0;
      if ((durations[row] ?? 0) > 0) total += child[row] ?? 0;
    }
    return total;
  }

  /** Takes the buckets over, empties them and lists the long calls; returns from which bucket on those are long. */
  #note(
    found: Found,
    durations: Numbers,
    {
      context,
      from,
      to,
      timed,
      leastNs,
      mostNs,
    }: Sums & { context: number; from: number; to: number },
  ): number {
    if (timed === 0) return 0;
    const inBucket = this.#inBucket;
    const usual = middleBucket(inBucket, timed);
    const longFrom = bucketOf(longLimit(usual, notedFactor));
    const last = bucketOf(mostNs);
    for (let bucket = bucketOf(leastNs); bucket <= last; bucket++) {
      const calls = inBucket[bucket] ?? 0;
      if (calls === 0) continue;
      found.buckets.push(bucket);
      found.inBucket.push(calls);
      inBucket[bucket] = 0;
    }
    if (last < longFrom) return longFrom;
    const least = bucketFrom(longFrom);
    for (let i = from; i < to; i++) {
      const row = this.#sorted[i] ?? 0;
      const duration = (durations[row] ?? 0) - 1;
      if (duration < least) continue;
      found.long.push(row);
      found.longOf.push(context);
      found.longNs.push(duration);
    }
    return longFrom;
  }
}

interface Sums {
  readonly timed: number;
  readonly totalNs: number;
  readonly leastNs: number;
  readonly mostNs: number;
}

interface Found {
  readonly buckets: number[];
  readonly inBucket: number[];
  readonly long: number[];
  readonly longOf: number[];
  readonly longNs: number[];
}

function hashOf(above: number, kind: number): number {
  const mixed = Math.imul(above ^ Math.imul(kind, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
