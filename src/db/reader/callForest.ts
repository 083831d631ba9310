import { endCode } from '../blockFormat.ts';
import type { Block } from './blocks.ts';

/** A call as the tree needs it, in the order of entering. */
export interface ForestCall {
  readonly ordinal: number;
  /** Ordinal of its parent, -1 = none. */
  readonly parent: number;
  readonly isTaken: boolean;
  /** May be shown as a root, with what lies below it. */
  readonly isRoot: boolean;
  readonly fn: number;
  /** End code and return class. */
  readonly end: number;
  readonly shape: number;
  /** -1 = not known. */
  readonly durationNs: number;
  readonly block: Block;
  readonly row: number;
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

  add(call: ForestCall): void {
    if (this.#firstOrdinal < 0) this.#firstOrdinal = call.ordinal;
    const at = call.ordinal - this.#firstOrdinal;
    if (at >= this.#nodeOf.length) this.#growIndex(at);
    const above = call.parent >= this.#firstOrdinal ? call.parent - this.#firstOrdinal : NONE;
    const ancestor = above >= 0 ? (this.#nodeOf[above] ?? NONE) : NONE;
    this.#nodeOf[at] = ancestor;
    if (!call.isTaken || (ancestor === NONE && !call.isRoot)) return;
    this.calls++;
    const depth =
      ancestor === NONE
        ? 0
        : (this.#depth[ancestor] ?? 0) + (this.#isInner(call, ancestor) ? 0 : 1);
    if (depth >= this.#maxDepth) {
      this.#hidden[ancestor] = (this.#hidden[ancestor] ?? 0) + 1;
      return;
    }
    this.#nodeOf[at] = this.#put(call, ancestor, depth);
  }

  parent(node: number): number {
    return this.#parent[node] ?? NONE;
  }

  fn(node: number): number {
    return this.#fn[node] ?? 0;
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
  links(): { first: Int32Array; next: Int32Array; firstRoot: number } {
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

  #isInner(call: ForestCall, ancestor: number): boolean {
    if (this.#fn[ancestor] !== call.fn) return false;
    return (this.#end[ancestor] === endCode.unwound) === (call.end === endCode.unwound);
  }

  #put(call: ForestCall, parent: number, depth: number): number {
    const node = this.#count++;
    if (node === this.#parent.length) this.#growNodes();
    if (this.#blocks.at(-1) !== call.block) this.#blocks.push(call.block);
    this.#parent[node] = parent;
    this.#depth[node] = depth;
    this.#fn[node] = call.fn;
    this.#end[node] = call.end;
    this.#shape[node] = call.shape;
    this.#duration[node] = call.durationNs;
    this.#hidden[node] = 0;
    this.#block[node] = this.#blocks.length - 1;
    this.#row[node] = call.row;
    return node;
  }

  #growIndex(at: number): void {
    const wider = new Int32Array(Math.max(at + 1, this.#nodeOf.length * 2)).fill(NONE);
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
