import { bucketCount, bucketFrom, bucketOf } from '../../histogram.ts';
import type { Block } from '../block.ts';
import { INNER, longLimit, middleBucket, NONE, SLOW_FACTOR } from './blockContexts.ts';
import { Bounds } from './bounds.ts';
import { CallBuffer, type CallList } from './callBuffer.ts';
import type { ContextBuilder } from './contextBuilder.ts';
import { ABOVE_ROOTS, Contexts } from './contexts.ts';
import { COUNTED, PASSED, Piece, SHOWN, type PieceRows } from './piece.ts';

/** Which calls of a forest may be roots. */
export interface ForestRoots {
  /** Calls of these functions, with what lies below them; null: all calls. */
  readonly functions: Uint8Array | null;
  /** The only one, which is shown even when it is not taken; -1: any may be. */
  readonly ordinal: number;
}

/** The calls of some contexts in one piece: those of its contexts, and rows that were moved. */
export interface Share {
  readonly piece: Piece;
  readonly calls: number;
  readonly parts: readonly number[];
  readonly single: readonly number[];
}

/** What a line tells of all calls of some contexts. */
export interface ContextSums {
  readonly calls: number;
  readonly first: number;
  readonly totalNs: number;
  readonly childNs: number;
  readonly minNs: number | null;
  readonly maxNs: number | null;
}

/**
 * The calls of one thread that a tree shows, by context: what kinds of calls (function and
 * end) lie above a call, up to its root, and its own kind. A call hangs on its nearest shown
 * ancestor. Calls deeper than `maxDepth` are only counted, at the context of the shown ancestor
 * above them. A function that calls itself, and ends like it, does not get deeper: such calls
 * have one context below the outer one's, whatever they return.
 *
 *   load                  1  kind load, above: 0
 *     read                2  kind read, above: 1
 *     load                3  inner, above: 1
 *       read → null       4  kind read that returned null, above: 3
 *
 * Each block has contexts of its own (blockContexts.ts), which are added up: of all blocks in which nothing
 * is out of the ordinary, not one call is looked at. What calls of earlier blocks lie above those of a block is known by
 * their ordinals. Calls that are moved to a context of their own are taken out of their block's sums.
 */
export class ContextForest {
  readonly #deepest: number;
  readonly #roots: ForestRoots;
  readonly #contexts = new Contexts();
  readonly #builder: ContextBuilder;
  readonly #firstOrdinal: number;
  readonly #pieces: Piece[] = [];
  /** Of the piece that was asked for last. */
  #pieceAt = 0;
  /** By context: in which pieces it is which context; those that were moved since are left out when read. */
  readonly #parts: number[][] = [];
  /** Calls that were moved by themselves, by context; likewise. */
  readonly #single: (CallBuffer | undefined)[] = [];
  /** Contexts that calls were moved from since those were read. */
  readonly #left: (boolean | undefined)[] = [];
  #reach: Int32Array | null = null;
  /** Whether any of its calls was suspended. */
  #areSuspended: boolean | null = null;
  /** All zero between two uses. */
  readonly #inBucket = new Float64Array(bucketCount + 1);
  /** Shown or counted. */
  calls = 0;

  /** `first`: no ordinal is below it. */
  constructor(maxDepth: number, first: number, roots: ForestRoots, builder: ContextBuilder) {
    this.#deepest = Math.max(1, maxDepth) - 1;
    this.#firstOrdinal = first;
    this.#roots = roots;
    this.#builder = builder;
  }

  /** Adds a block's calls, in the order of entering; all of them before anything is asked. */
  add(block: Block, rows: PieceRows): void {
    const base = block.first - this.#firstOrdinal;
    const piece = new Piece(block, { index: this.#pieces.length, base }, rows, this.#builder);
    const { contexts, entries } = piece;
    const { outer, above: aboveOf, fn, end, calls } = contexts.columns;
    for (let context = 0; context < entries.length; context++) {
      const ordinal = outer[context] ?? NONE;
      if (ordinal >= 0) {
        entries[context] = this.#entryOf(ordinal - this.#firstOrdinal) & ~3;
        continue;
      }
      const higher = aboveOf[context] ?? NONE;
      const above = higher < 0 ? ABOVE_ROOTS : (entries[higher] ?? 0) >>> 2;
      if (above === ABOVE_ROOTS && !this.#mayBeRoot(fn[context] ?? 0, context === contexts.root))
        continue;
      const alike = { fn: fn[context] ?? 0, end: end[context] ?? 0, calls: calls[context] ?? 0 };
      const made = this.#contexts.below(above, alike, this.#deepest);
      this.calls += alike.calls;
      entries[context] = made < 0 ? (above << 2) | COUNTED : (made << 2) | SHOWN;
      if (made >= 0) this.#addPart(made, piece.index, context);
    }
    this.#pieces.push(piece);
  }

  /** Contexts directly below one that have calls; `inner`: those of recursion, or all others. */
  below(context: number, inner: boolean): number[] {
    const { key, next, shown, hidden } = this.#contexts;
    const found: number[] = [];
    for (let at = this.#contexts.firstBelow(context); at >= 0; at = next[at] ?? NONE) {
      const isEmpty = (shown[at] ?? 0) + (hidden[at] ?? 0) === 0;
      if (!isEmpty && (key[at] === INNER) === inner) found.push(at);
    }
    return found;
  }

  /** Equal for contexts of calls of one function that ended alike. */
  kind(context: number): number {
    return this.#contexts.key[context] ?? INNER;
  }

  fn(context: number): number {
    return this.#contexts.fn[context] ?? 0;
  }

  /** Calls below the context's calls that are deeper than the tree. */
  hidden(context: number): number {
    return this.#contexts.hidden[context] ?? 0;
  }

  /** All calls of a context and below it, shown and hidden. */
  total(context: number): number {
    const { shown, hidden, next } = this.#contexts;
    let total = 0;
    const waiting = [context];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      total += (shown[one] ?? 0) + (hidden[one] ?? 0);
      for (let at = this.#contexts.firstBelow(one); at >= 0; at = next[at] ?? NONE)
        waiting.push(at);
    }
    return total;
  }

  /** What the calls of these contexts add up to. */
  sums(contexts: readonly number[]): ContextSums {
    let calls = 0;
    let totalNs = 0;
    let childNs = 0;
    const bounds = new Bounds();
    for (const context of contexts) {
      this.#eachPart(context, (piece, part) => {
        const { columns } = piece.contexts;
        calls += columns.calls[part] ?? 0;
        totalNs += columns.totalNs[part] ?? 0;
        childNs += columns.childNs?.[part] ?? 0;
        bounds.addPart(piece, part);
      });
      const { calls: single, durations } = this.#singleOf(context);
      for (let i = 0; i < single.length; i++) {
        const call = single[i] ?? 0;
        const duration = durations[i] ?? -1;
        calls++;
        bounds.addCall(call, duration);
        if (duration < 0) continue;
        totalNs += duration;
        const piece = this.#pieceOf(call);
        childNs += piece.childOf(call - piece.base);
      }
    }
    return { calls, totalNs, childNs, ...bounds.settled() };
  }

  /** The calls of siblings that took much longer than the usual one, in order; null when none did. */
  slow(contexts: readonly number[]): Int32Array | null {
    const inBucket = this.#inBucket;
    let calls = 0;
    let timed = 0;
    let last = -1;
    const count = (bucket: number, times: number): void => {
      inBucket[bucket] = (inBucket[bucket] ?? 0) + times;
      timed += times;
      if (times > 0 && bucket > last) last = bucket;
    };
    for (const context of contexts) {
      this.#eachPart(context, ({ contexts: { columns } }, part) => {
        calls += columns.calls[part] ?? 0;
        const to = columns.bucketsAt[part + 1] ?? 0;
        for (let at = columns.bucketsAt[part] ?? 0; at < to; at++)
          count(columns.buckets[at] ?? 0, columns.inBucket[at] ?? 0);
      });
      const { durations } = this.#singleOf(context);
      calls += durations.length;
      for (const duration of durations) if (duration >= 0) count(bucketOf(duration), 1);
    }
    const usual = middleBucket(inBucket, timed);
    inBucket.fill(0, 0, last + 1);
    // Of two calls, one of unknown duration, nothing is told.
    if (timed === 0 || (timed < 2 && calls === 2)) return null;
    const from = bucketOf(longLimit(usual, SLOW_FACTOR)) + 1;
    return last < from ? null : this.#longCalls(contexts, from);
  }

  /**
   * Moves calls that are siblings into a context of their own, and what lies below them into
   * contexts below that; returns it.
   */
  apart(siblings: Int32Array): number {
    const made = this.#contexts.copy(this.#entryOfCall(siblings[0] ?? 0) >>> 2, NONE);
    const copies = new Map<number, number>();
    for (const call of siblings) copies.set(this.#entryOfCall(call) >>> 2, made);
    for (const call of siblings) {
      const piece = this.#pieceOf(call);
      const row = call - piece.base;
      this.#move(piece, row, piece.entryOf(row), made);
      this.#moveBelow(piece, row, copies, made);
    }
    return made;
  }

  /** Where the calls of these contexts are, in order. */
  spread(contexts: readonly number[]): Share[] {
    const shares = new Map<
      Piece,
      { piece: Piece; calls: number; parts: number[]; single: number[] }
    >();
    const shareOf = (piece: Piece): { calls: number; parts: number[]; single: number[] } => {
      let share = shares.get(piece);
      if (!share) shares.set(piece, (share = { piece, calls: 0, parts: [], single: [] }));
      return share;
    };
    for (const context of contexts) {
      this.#eachPart(context, (piece, part) => {
        const share = shareOf(piece);
        share.calls += piece.contexts.columns.calls[part] ?? 0;
        share.parts.push(part);
      });
      for (const call of this.#singleOf(context).calls) {
        const piece = this.#pieceOf(call);
        const share = shareOf(piece);
        share.calls++;
        share.single.push(call - piece.base);
      }
    }
    return [...shares.values()].toSorted((a, b) => a.piece.base - b.piece.base);
  }

  /** For how long the calls of these contexts were suspended. */
  suspendedNs(contexts: readonly number[]): number {
    this.#areSuspended ??= this.#pieces.some(({ block }) => block.suspended !== null);
    if (!this.#areSuspended) return 0;
    let ns = 0;
    for (const { piece, parts, single } of this.spread(contexts)) {
      const { suspended } = piece.block;
      if (!suspended) continue;
      const add = (row: number): boolean => {
        // One that ended later than is asked for waits still.
        if ((piece.durations[row] ?? 0) > 0) ns += suspended[row] ?? 0;
        return true;
      };
      for (const part of parts) piece.eachOf(part, add);
      single.forEach(add);
    }
    return ns;
  }

  /** Calls of the functions that are meant. */
  callsOf(isMeant: (fn: number) => boolean): number {
    const { fn, shown } = this.#contexts;
    let calls = 0;
    for (let i = ABOVE_ROOTS + 1; i < fn.length; i++)
      if (isMeant(fn[i] ?? 0)) calls += shown[i] ?? 0;
    return calls;
  }

  /** How many blocks there are. */
  get size(): number {
    return this.#pieces.length;
  }

  /** Where a call lies. */
  placeOf(call: number): { readonly block: Block; readonly row: number } {
    const piece = this.#pieceOf(call);
    return { block: piece.block, row: call - piece.base };
  }

  #mayBeRoot(fn: number, isRoot: boolean): boolean {
    const { functions, ordinal } = this.#roots;
    if (ordinal >= 0) return isRoot;
    return functions === null || functions[fn] === 1;
  }

  #longCalls(contexts: readonly number[], from: number): Int32Array {
    const found = new CallBuffer();
    const least = bucketFrom(from);
    for (const context of contexts) {
      this.#eachPart(context, (piece, part) => {
        if (piece.contexts.most(part) < least) return;
        const { long, longOf, longNs, longFrom } = piece.contexts.columns;
        const add = (row: number, duration: number): void => {
          if (duration >= least && !piece.isMoved(row)) found.add(piece.base + row, duration);
        };
        if (from < (longFrom[part] ?? 0)) {
          const { durations } = piece;
          piece.eachOf(part, (row) => {
            add(row, (durations[row] ?? 0) - 1);
            return true;
          });
          return;
        }
        for (let i = firstFrom(longOf, part); longOf[i] === part; i++)
          add(long[i] ?? 0, longNs[i] ?? 0);
      });
      const { calls, durations } = this.#singleOf(context);
      for (let i = 0; i < calls.length; i++) {
        const duration = durations[i] ?? -1;
        if (duration >= least) found.add(calls[i] ?? 0, duration);
      }
    }
    return found.list().calls.toSorted();
  }

  /** Moves all below a call that was moved. A call begins while the one above it is open. */
  #moveBelow(piece: Piece, call: number, copies: Map<number, number>, made: number): void {
    let openUntil = piece.endOf(call);
    let last = piece.rows - 1;
    const { up, starts, durations } = piece;
    const { startNs } = piece.block;
    for (let row = call + 1; row <= last; row++) {
      const start = startNs + (starts[row] ?? 0);
      if (start > openUntil) return;
      const distance = up[row] ?? 0;
      // All contexts from `made` on are below it.
      if (distance === 0 || row - distance < call || piece.entryOf(row - distance) >>> 2 < made)
        continue;
      const old = piece.entryOf(row);
      this.#move(piece, row, old, this.#copyOf(old >>> 2, copies));
      const duration = durations[row] ?? 0;
      const end = duration === 0 ? Number.POSITIVE_INFINITY : start + duration - 1;
      if (end === Number.POSITIVE_INFINITY && openUntil < end) last = piece.lastBelow(call);
      openUntil = Math.max(openUntil, end);
    }
    let isOpen = true;
    const reach = this.#reachOf(piece);
    for (let at = piece.index + 1; at <= reach && isOpen; at++) {
      const later = this.#pieces[at];
      const isMoved =
        later !== undefined && this.#moveWhole(later, piece.base + call, copies, made);
      isOpen = isMoved || (later?.block.startNs ?? 0) <= openUntil;
      if (isMoved) openUntil = Number.POSITIVE_INFINITY;
    }
  }

  /** Moves what of a later piece lies below a call that was moved; false: nothing does. */
  #moveWhole(piece: Piece, call: number, copies: Map<number, number>, made: number): boolean {
    const { entries, contexts } = piece;
    const { outer, above, calls } = contexts.columns;
    let isMoved = false;
    for (let context = 0; context < entries.length; context++) {
      const ordinal = outer[context] ?? NONE;
      const old = entries[context] ?? 0;
      if (ordinal >= 0) {
        if (ordinal - this.#firstOrdinal < call) continue;
        const entry = this.#entryOf(ordinal - this.#firstOrdinal) & ~3;
        if (entry >>> 2 < made) continue;
        entries[context] = entry;
        isMoved = true;
        continue;
      }
      const higher = above[context] ?? NONE;
      const isBelow = higher >= 0 && (entries[higher] ?? 0) >>> 2 >= made;
      if (!isBelow || old >>> 2 >= made) continue;
      const to = this.#copyOf(old >>> 2, copies);
      const how = old & 3;
      entries[context] = (to << 2) | how;
      this.#recount(old >>> 2, to, how, calls[context] ?? 0);
      if (how === SHOWN) this.#addPart(to, piece.index, context);
    }
    return isMoved;
  }

  /** The last piece with calls that hang, over others, on calls of a piece. */
  #reachOf({ index }: Piece): number {
    this.#reach ??= this.#findReach();
    return this.#reach[index] ?? index;
  }

  #findReach(): Int32Array {
    const reach = Int32Array.from(this.#pieces, ({ index }) => index);
    for (const { index, contexts } of this.#pieces.toReversed()) {
      for (const ordinal of contexts.columns.outer) {
        if (ordinal < Math.max(0, this.#firstOrdinal)) continue;
        const above = this.#pieceOf(ordinal - this.#firstOrdinal).index;
        reach[above] = Math.max(reach[above] ?? 0, reach[index] ?? 0);
      }
    }
    return reach;
  }

  #copyOf(context: number, copies: Map<number, number>): number {
    const known = copies.get(context);
    if (known !== undefined) return known;
    const above = copies.get(this.#contexts.above[context] ?? 0);
    const copy = this.#contexts.copy(context, above ?? NONE);
    copies.set(context, copy);
    return copy;
  }

  #move(piece: Piece, row: number, old: number, to: number): void {
    const how = old & 3;
    this.#recount(old >>> 2, to, how, 1);
    this.#left[old >>> 2] = true;
    const duration = piece.move(row, (to << 2) | how);
    if (how === SHOWN) (this.#single[to] ??= new CallBuffer()).add(piece.base + row, duration);
  }

  #recount(from: number, to: number, how: number, calls: number): void {
    if (how === PASSED) return;
    const { shown, hidden } = this.#contexts;
    const counts = how === SHOWN ? shown : hidden;
    counts[from] = (counts[from] ?? 0) - calls;
    counts[to] = (counts[to] ?? 0) + calls;
  }

  #addPart(context: number, piece: number, part: number): void {
    (this.#parts[context] ??= []).push(piece, part);
  }

  #eachPart(context: number, visit: (piece: Piece, part: number) => void): void {
    const parts = this.#parts[context] ?? [];
    for (let i = 0; i < parts.length; i += 2) {
      const piece = this.#pieces[parts[i] ?? 0];
      const part = parts[i + 1] ?? 0;
      if (piece?.entries[part] !== ((context << 2) | SHOWN)) continue;
      if ((piece.contexts.columns.calls[part] ?? 0) > 0) visit(piece, part);
    }
  }

  #singleOf(context: number): CallList {
    const single = this.#single[context];
    if (!single) return nothing;
    if (this.#left[context]) {
      this.#left[context] = false;
      single.keep((call) => this.#entryOfCall(call) === ((context << 2) | SHOWN));
    }
    return single.list();
  }

  #entryOfCall(call: number): number {
    const piece = this.#pieceOf(call);
    return piece.entryOf(call - piece.base);
  }

  /** The entry of a call; 0 when it is in no piece. */
  #entryOf(call: number): number {
    if (call < 0 || this.#pieces.length === 0) return PASSED;
    const piece = this.#pieceOf(call);
    const row = call - piece.base;
    return row >= 0 && row < piece.rows ? piece.entryOf(row) : PASSED;
  }

  /** The last piece that does not begin after a call. */
  #pieceOf(call: number): Piece {
    const near = this.#pieces[this.#pieceAt];
    if (near && near.base <= call && call < near.base + near.block.calls) return near;
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pieces[middle]?.base ?? 0) <= call) low = middle;
      else high = middle - 1;
    }
    this.#pieceAt = low;
    const piece = this.#pieces[low];
    if (!piece) throw new Error('a call of the tree is in no block');
    return piece;
  }
}

const nothing = new CallBuffer().list();

/** Where in ascending numbers the first one lies that is not less. */
function firstFrom(ascending: Int32Array, least: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
