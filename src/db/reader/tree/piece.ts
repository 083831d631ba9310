import { columns, endCode, endMask } from '../../blockFormat.ts';
import type { Block, Numbers } from '../block.ts';
import { INNER, NONE, type BlockContexts, type ContextBounds } from './blockContexts.ts';
import type { ContextBuilder, TreeRows } from './contextBuilder.ts';

/** How a call stands to its context: context << 2 | one of these. */
export const PASSED = 0;
export const SHOWN = 1;
export const COUNTED = 2;

/** Contexts are kept with their block when they stand for so many calls each. */
const KEPT_FROM = 16;

/** What of a block goes into a tree. */
export interface PieceRows {
  /** 1 for the rows the filter takes; null: all of the block. */
  readonly taken: Uint8Array | null;
  /** Rows from here on begin later than what is asked about. */
  readonly rows: number;
  readonly rootRow: number;
  /** Ends after it are not known. */
  readonly until: number;
  readonly withChild: boolean;
  /** Levels of contexts below this one need not be told apart. */
  readonly deepest: number;
}

/** All of a block, with all that can be asked of it. */
export function wholeBlock(block: Block): PieceRows {
  const until = Number.MAX_SAFE_INTEGER;
  return {
    taken: null,
    rows: block.calls,
    rootRow: NONE,
    until,
    withChild: true,
    deepest: Infinity,
  };
}

/** A block in a forest: its row 0 is call number `base`. */
export class Piece {
  readonly block: Block;
  /** Which of the forest's it is. */
  readonly index: number;
  readonly base: number;
  readonly #rows: PieceRows;
  /** Whether some of its calls end after what is asked about. */
  readonly #isCut: boolean;
  readonly rows: number;
  /** As the block has them; those that changed since are `contexts`. */
  #contexts: BlockContexts;
  #isOwn = false;
  /** What each context is in the forest: context << 2 | PASSED, SHOWN or COUNTED. */
  readonly entries: Int32Array;
  /** The same for single calls that were moved; 0: not moved. */
  #moved: Int32Array | null = null;
  /** Contexts of rows that were asked for, + 1. */
  #contextOf: Uint16Array | null = null;
  #last: Uint16Array | null = null;
  #settled: { readonly ends: Numbers; readonly durations: Float64Array } | null = null;

  constructor(
    block: Block,
    { index, base }: { index: number; base: number },
    rows: PieceRows,
    builder: ContextBuilder,
  ) {
    this.block = block;
    this.index = index;
    this.base = base;
    this.#rows = rows;
    this.rows = rows.rows;
    this.#isCut = block.endsAfter(rows.until);
    this.#contexts = this.#find(builder);
    this.entries = new Int32Array(this.#contexts.count);
  }

  get contexts(): BlockContexts {
    return this.#contexts;
  }

  /** The durations of its rows: ns + 1; 0 = not known. */
  get durations(): Numbers {
    return this.#asOfThen()?.durations ?? this.block.narrow(columns.duration);
  }

  /** End code and return class. */
  get ends(): Numbers {
    return this.#asOfThen()?.ends ?? this.block.narrow(columns.end);
  }

  get entry(): Numbers {
    return this.block.narrow(columns.fn);
  }

  get up(): Numbers {
    return this.block.narrow(columns.up);
  }

  /** When its rows began, from the block's first call on. */
  get starts(): Numbers {
    return this.block.narrow(columns.start);
  }

  /** When a row ended; infinity when that is not known. */
  endOf(row: number): number {
    const duration = this.durations[row] ?? 0;
    return duration === 0 ? Number.POSITIVE_INFINITY : this.startOf(row) + duration - 1;
  }

  startOf(row: number): number {
    return this.block.startNs + (this.starts[row] ?? 0);
  }

  hasReturned(row: number): boolean {
    return ((this.ends[row] ?? 0) & endMask) === endCode.returned;
  }

  /** Where a row stands in the forest. */
  entryOf(row: number): number {
    const moved = this.#moved?.[row] ?? 0;
    if (moved !== 0) return moved;
    const context = this.contextOf(row);
    if (context < 0) return PASSED;
    const entry = this.entries[context] ?? 0;
    return this.#isTaken(row) ? entry : (entry & ~3) | PASSED;
  }

  /** The context of a row, or of its nearest taken ancestor; -1: there is none. */
  contextOf(row: number): number {
    const known = (this.#contextOf ??= new Uint16Array(this.block.calls));
    if ((known[row] ?? 0) !== 0) return (known[row] ?? 0) - 1;
    const { up, entry, ends } = this;
    const parent = row - (up[row] ?? 0);
    const above = known[parent] ?? 0;
    // Mostly its siblings have been asked for.
    if (above !== 0 && parent !== row && row !== this.#rows.rootRow && this.#isTaken(row)) {
      const context = this.#contexts.below(above - 1, entry[row] ?? 0, ends[row] ?? 0);
      known[row] = context + 1;
      return context;
    }
    return this.#walkTo(row, known);
  }

  /** Finds the contexts of a row and of all above it of which that is not known. */
  #walkTo(row: number, known: Uint16Array): number {
    const { up, entry, ends } = this;
    const path: number[] = [];
    let context = NONE;
    for (let at = row; ;) {
      path.push(at);
      const distance = up[at] ?? 0;
      if (distance === 0) break;
      if (distance > at) {
        context = this.#contexts.ofOuter(this.block.first + at - distance);
        break;
      }
      at -= distance;
      if ((known[at] ?? 0) !== 0) {
        context = (known[at] ?? 0) - 1;
        break;
      }
    }
    for (let i = path.length - 1; i >= 0; i--) {
      const at = path[i] ?? 0;
      if (at === this.#rows.rootRow) context = this.#contexts.root;
      else if (this.#isTaken(at))
        context = this.#contexts.below(context, entry[at] ?? 0, ends[at] ?? 0);
      known[at] = context + 1;
    }
    return context;
  }

  /** The last row anywhere below one, or itself. */
  lastBelow(row: number): number {
    this.#last ??= this.#findLast();
    return this.#last[row] ?? row;
  }

  /** Whether a call was moved by itself. */
  isMoved(row: number): boolean {
    return (this.#moved?.[row] ?? 0) !== 0;
  }

  /** Sets where a row stands, and takes it out of its context; returns its duration, -1 when that is not known. */
  move(row: number, entry: number): number {
    this.#moved ??= new Int32Array(this.block.calls);
    const duration = (this.durations[row] ?? 0) - 1;
    if (this.#moved[row] === 0 && this.#isTaken(row)) {
      const context = this.contextOf(row);
      const child = this.#contexts.columns.childNs ? (this.#child()?.[row] ?? 0) : 0;
      if (context >= 0) this.#own().takeOut(context, row, duration, child);
    }
    this.#moved[row] = entry;
    return duration;
  }

  childOf(row: number): number {
    return this.#child()?.[row] ?? 0;
  }

  /** Calls `visit` with the rows that have this context and were not moved, until it returns false. */
  eachOf(context: number, visit: (row: number) => boolean): void {
    const { columns: all } = this.#contexts;
    const kind = all.kind[context] ?? INNER;
    const { ends } = this;
    const rows = this.block.rowsOf(all.entry[context] ?? NONE);
    const first = all.first[context] ?? 0;
    let left = all.calls[context] ?? 0;
    for (let i = 0; i < rows.length && left > 0; i++) {
      const row = rows[i] ?? 0;
      if (row < first) continue;
      if (row >= this.rows) return;
      if (kind !== INNER && (ends[row] ?? 0) !== (kind & 31)) continue;
      if (!this.#isTaken(row) || this.isMoved(row) || this.contextOf(row) !== context) continue;
      left--;
      if (!visit(row)) return;
    }
  }

  /** Makes the extremes of a context exact. */
  settle(context: number): void {
    if (this.#contexts.areBounds[context] === 0) return;
    const { durations } = this;
    const found = { first: NONE, leastNs: Number.POSITIVE_INFINITY, mostNs: -1 };
    this.eachOf(context, (row) => {
      if (found.first < 0) found.first = row;
      const duration = (durations[row] ?? 0) - 1;
      if (duration < 0) return true;
      found.leastNs = Math.min(found.leastNs, duration);
      found.mostNs = Math.max(found.mostNs, duration);
      return true;
    });
    const settled: ContextBounds = found;
    this.#own().settle(context, settled);
  }

  #findLast(): Uint16Array {
    const { up } = this;
    const last = new Uint16Array(this.rows);
    for (let row = this.rows - 1; row >= 0; row--) {
      const end = Math.max(row, last[row] ?? 0);
      last[row] = end;
      const parent = row - (up[row] ?? 0);
      if (parent >= 0 && (last[parent] ?? 0) < end) last[parent] = end;
    }
    return last;
  }

  #own(): BlockContexts {
    if (!this.#isOwn) this.#contexts = this.#contexts.copy();
    this.#isOwn = true;
    return this.#contexts;
  }

  #isTaken(row: number): boolean {
    const { taken, rootRow } = this.#rows;
    return taken === null || taken[row] === 1 || row === rootRow;
  }

  #find(builder: ContextBuilder): BlockContexts {
    const { block } = this;
    const { taken, rootRow, withChild, rows, deepest } = this.#rows;
    const isWhole = taken === null && rootRow < 0 && rows === block.calls && !this.#isCut;
    const known = isWhole ? block.contexts : null;
    const isEnough = known && known.deepest >= deepest;
    if (isEnough && (known.columns.childNs !== null || !withChild)) return known;
    const made = builder.build(this.#treeRows());
    this.#contextOf = builder.contextsOfRows(rows);
    if (isWhole && made.count * KEPT_FROM <= block.calls) block.contexts = made;
    return made;
  }

  #treeRows(): TreeRows {
    const { block, durations, ends } = this;
    const { taken, rootRow, rows, deepest } = this.#rows;
    return {
      first: block.first,
      rows,
      taken,
      rootRow,
      durations,
      ends,
      deepest,
      entry: this.entry,
      up: this.up,
      child: this.#child(),
      functions: block.dictionary.fn,
    };
  }

  #child(): Numbers | null {
    if (!this.#rows.withChild) return null;
    return this.block.narrow(columns.child);
  }

  /** Durations and ends where not all are as they are stored. */
  #asOfThen(): { readonly ends: Numbers; readonly durations: Float64Array } | null {
    if (this.#settled) return this.#settled;
    if (!this.#isCut) return null;
    const { start, duration, end } = this.block;
    const { until } = this.#rows;
    const durations = new Float64Array(this.block.calls);
    const ends = end.slice();
    for (let row = 0; row < durations.length; row++) {
      const known = duration[row] ?? -1;
      if (known < 0) continue;
      if ((start[row] ?? 0) + known <= until) durations[row] = known + 1;
      else ends[row] = endCode.open;
    }
    return (this.#settled = { ends, durations });
  }
}
