import { endCode, endMask, returnClassShift } from '../blockFormat.ts';
import type { Block } from './blocks.ts';
import { firstRowAfter } from './callMatcher.ts';

/** What of a block goes into a forest. */
export interface ForestRows {
  /** 1 for the rows the filter takes. */
  readonly taken: Uint8Array;
  /** Calls of these functions may be roots, with what lies below them; null: all calls. */
  readonly rootFunctions: Uint8Array | null;
  /** The only call that may be a root, and is shown even when it is not taken; -1 = any. */
  readonly rootOrdinal: number;
  /** Ends after it are not known. */
  readonly until: number;
}

/** The columns of one block, taken once. */
interface Rows {
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly end: Uint8Array;
  readonly entry: Uint32Array;
  readonly functions: Uint32Array;
  readonly rootFunctions: Uint8Array | null;
  /** Row of the only root there may be; null = any. It may lie outside the block. */
  readonly rootRow: number | null;
  readonly until: number;
}

export interface ForestLinks {
  readonly first: Int32Array;
  readonly next: Int32Array;
  readonly firstRoot: number;
}

const NONE = -1;

/**
 * The calls of one thread that a tree shows, linked to their nearest shown ancestor. Calls
 * deeper than `maxDepth` are only counted, at the shown ancestor above them; a function that
 * calls itself does not get deeper.
 *
 * `#nodeOf` holds, for every call since the first, the shown call that what lies below it hangs
 * on: itself, its nearest shown ancestor, or none.
 */
export class CallForest {
  readonly #maxDepth: number;
  #nodeOf = new Int32Array(1024).fill(NONE);
  #firstOrdinal = -1;
  #count = 0;
  #parent = new Int32Array(256);
  #depth = new Uint16Array(256);
  #fn = new Uint32Array(256);
  #end = new Uint8Array(256);
  #shape = new Uint8Array(256);
  #duration = new Float64Array(256);
  #hidden = new Float64Array(256);
  #block = new Int32Array(256);
  #row = new Uint16Array(256);
  readonly #blocks: Block[] = [];
  /** Shown or counted. */
  calls = 0;

  constructor(maxDepth: number) {
    this.#maxDepth = Math.max(1, maxDepth);
  }

  get size(): number {
    return this.#count;
  }

  /** Adds a block's calls, in the order of entering. */
  add(block: Block, from: ForestRows): void {
    const { taken, until } = from;
    const { up, calls } = block;
    if (this.#firstOrdinal < 0) this.#firstOrdinal = block.first;
    const base = block.first - this.#firstOrdinal;
    if (base + calls > this.#nodeOf.length) this.#growIndex(base + calls);
    while (this.#count + calls > this.#parent.length) this.#growNodes();
    this.#blocks.push(block);
    const nodeOf = this.#nodeOf;
    const rows = rowsOf(block, from);
    const last = firstRowAfter(block, until);
    for (let row = 0; row < last; row++) {
      const at = base + row;
      const distance = up[row] ?? 0;
      const ancestor = distance > 0 && distance <= at ? (nodeOf[at - distance] ?? NONE) : NONE;
      const isTaken = taken[row] === 1 || row === rows.rootRow;
      nodeOf[at] = isTaken ? this.#put(rows, row, ancestor) : ancestor;
    }
  }

  parent(node: number): number {
    return this.#parent[node] ?? NONE;
  }

  fn(node: number): number {
    return this.#fn[node] ?? 0;
  }

  /** Equal for calls of one function that ended alike. */
  kind(node: number): number {
    return ((this.#fn[node] ?? 0) * 8 + (this.#end[node] ?? 0)) * 4 + (this.#shape[node] ?? 0);
  }

  end(node: number): number {
    return this.#end[node] ?? 0;
  }

  shape(node: number): number {
    return this.#shape[node] ?? 0;
  }

  /** -1 = not known. */
  duration(node: number): number {
    return this.#duration[node] ?? -1;
  }

  place(node: number): { block: Block; row: number } | null {
    const block = this.#blocks[this.#block[node] ?? 0];
    return block ? { block, row: this.#row[node] ?? 0 } : null;
  }

  /** Children of each node, in order: `next[first[node]]` and so on; roots begin at `firstRoot`. */
  links(): ForestLinks {
    const first = new Int32Array(this.#count).fill(NONE);
    const next = new Int32Array(this.#count).fill(NONE);
    let firstRoot = NONE;
    for (let node = this.#count - 1; node >= 0; node--) {
      const parent = this.#parent[node] ?? NONE;
      if (parent === NONE) {
        next[node] = firstRoot;
        firstRoot = node;
      } else {
        next[node] = first[parent] ?? NONE;
        first[parent] = node;
      }
    }
    return { first, next, firstRoot };
  }

  /** Shown and hidden calls below each node. */
  below(): Float64Array {
    const below = this.#hidden.slice(0, this.#count);
    for (let node = this.#count - 1; node >= 0; node--) {
      const parent = this.#parent[node] ?? NONE;
      if (parent !== NONE) below[parent] = (below[parent] ?? 0) + 1 + (below[node] ?? 0);
    }
    return below;
  }

  /** Calls below a node that are deeper than the tree. */
  hidden(node: number): number {
    return this.#hidden[node] ?? 0;
  }

  /** A call of the same function as its ancestor that ended like it: folded into its line. */
  isInnerRecursion(node: number): boolean {
    const parent = this.#parent[node] ?? NONE;
    if (parent === NONE || this.#fn[parent] !== this.#fn[node]) return false;
    return (this.#end[parent] === endCode.unwound) === (this.#end[node] === endCode.unwound);
  }

  /** Returns what the calls below hang on. */
  #put(rows: Rows, row: number, ancestor: number): number {
    const fn = rows.functions[rows.entry[row] ?? 0] ?? 0;
    if (ancestor === NONE && !mayBeRoot(rows, row, fn)) return NONE;
    this.calls++;
    const known = rows.duration[row] ?? -1;
    const isOpen = known >= 0 && (rows.start[row] ?? 0) + known > rows.until;
    const stored = rows.end[row] ?? 0;
    const end = isOpen ? endCode.open : stored & endMask;
    const depth = ancestor === NONE ? 0 : this.#depthBelow(ancestor, fn, end);
    if (depth >= this.#maxDepth) {
      this.#hidden[ancestor] = (this.#hidden[ancestor] ?? 0) + 1;
      return ancestor;
    }
    const node = this.#count++;
    this.#parent[node] = ancestor;
    this.#depth[node] = depth;
    this.#fn[node] = fn;
    this.#end[node] = end;
    this.#shape[node] = end === endCode.open ? 0 : stored >> returnClassShift;
    this.#duration[node] = isOpen ? -1 : known;
    this.#hidden[node] = 0;
    this.#block[node] = this.#blocks.length - 1;
    this.#row[node] = row;
    return node;
  }

  #depthBelow(ancestor: number, fn: number, end: number): number {
    const isUnwound = this.#end[ancestor] === endCode.unwound;
    const isInner = this.#fn[ancestor] === fn && isUnwound === (end === endCode.unwound);
    return (this.#depth[ancestor] ?? 0) + (isInner ? 0 : 1);
  }

  #growIndex(size: number): void {
    const wider = new Int32Array(Math.max(size, this.#nodeOf.length * 2)).fill(NONE);
    wider.set(this.#nodeOf);
    this.#nodeOf = wider;
  }

  #growNodes(): void {
    const size = this.#parent.length * 2;
    const integers = (from: Int32Array): Int32Array<ArrayBuffer> => {
      const to = new Int32Array(size);
      to.set(from);
      return to;
    };
    const floats = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const to = new Float64Array(size);
      to.set(from);
      return to;
    };
    const bytes = (from: Uint8Array): Uint8Array<ArrayBuffer> => {
      const to = new Uint8Array(size);
      to.set(from);
      return to;
    };
    const words = (from: Uint16Array): Uint16Array<ArrayBuffer> => {
      const to = new Uint16Array(size);
      to.set(from);
      return to;
    };
    const fn = new Uint32Array(size);
    fn.set(this.#fn);
    this.#fn = fn;
    this.#parent = integers(this.#parent);
    this.#block = integers(this.#block);
    this.#duration = floats(this.#duration);
    this.#hidden = floats(this.#hidden);
    this.#end = bytes(this.#end);
    this.#shape = bytes(this.#shape);
    this.#depth = words(this.#depth);
    this.#row = words(this.#row);
  }
}

function rowsOf(block: Block, { rootFunctions, rootOrdinal, until }: ForestRows): Rows {
  const { start, duration, end, entry } = block;
  const rootRow = rootOrdinal < 0 ? null : rootOrdinal - block.first;
  const functions = block.dictionary.fn;
  return { start, duration, end, entry, functions, rootFunctions, rootRow, until };
}

function mayBeRoot({ rootFunctions, rootRow }: Rows, row: number, fn: number): boolean {
  if (rootRow !== null && row !== rootRow) return false;
  return rootFunctions === null || rootFunctions[fn] === 1;
}
