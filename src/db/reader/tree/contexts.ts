import { INNER, isUnwound, NONE } from './blockContexts.ts';

/** The context that holds no calls: above all roots. */
export const ABOVE_ROOTS = 0;
/** No function's number. */
const NO_FUNCTION = -1;

/** Calls of a function that ended alike. */
export interface AlikeCalls {
  readonly fn: number;
  readonly end: number;
  readonly calls: number;
}

/** The contexts, by number; number 0 is above all roots. */
export class Contexts {
  readonly above: number[] = [NONE];
  /** Kind of its calls, or INNER. */
  readonly key: number[] = [INNER];
  readonly fn: number[] = [NO_FUNCTION];
  readonly shown: number[] = [0];
  readonly hidden: number[] = [0];
  /** The next one below the same context. */
  readonly next: number[] = [NONE];
  readonly #isUnwound: boolean[] = [false];
  readonly #depth: number[] = [-1];
  readonly #first: number[] = [NONE];
  readonly #last: number[] = [NONE];
  readonly #inner: number[] = [NONE];
  /** By hash of context above and kind. */
  #slots = new Int32Array(256);

  firstBelow(context: number): number {
    return this.#first[context] ?? NONE;
  }

  /** Counts calls; returns their context, or -1 when they are deeper than `deepest`. */
  below(above: number, { fn, end, calls }: AlikeCalls, deepest: number): number {
    const areUnwound = isUnwound(end);
    let context: number;
    if (this.fn[above] === fn && this.#isUnwound[above] === areUnwound) {
      context = this.key[above] === INNER ? above : (this.#inner[above] ?? NONE);
      if (context < 0) {
        context = this.#add(above, INNER, fn, areUnwound, this.#depth[above] ?? 0);
        this.#inner[above] = context;
      }
    } else if ((this.#depth[above] ?? 0) >= deepest) {
      this.hidden[above] = (this.hidden[above] ?? 0) + calls;
      return NONE;
    } else context = this.#ofKind(above, fn, end, areUnwound);
    this.shown[context] = (this.shown[context] ?? 0) + calls;
    return context;
  }

  /** An empty context of the same kind. */
  copy(context: number, above: number): number {
    const { key, fn } = this;
    const depth = this.#depth[context] ?? 0;
    return this.#add(
      above,
      key[context] ?? INNER,
      fn[context] ?? NO_FUNCTION,
      this.#isUnwound[context] ?? false,
      depth,
    );
  }

  #ofKind(above: number, fn: number, end: number, areUnwound: boolean): number {
    const key = fn * 32 + end;
    const last = this.#slots.length - 1;
    let slot = hashOf(above, key) & last;
    for (;;) {
      const context = this.#slots[slot] ?? 0;
      if (context === 0) break;
      if (this.above[context] === above && this.key[context] === key) return context;
      slot = (slot + 1) & last;
    }
    const made = this.#add(above, key, fn, areUnwound, (this.#depth[above] ?? 0) + 1);
    this.#slots[slot] = made;
    if (made * 2 > this.#slots.length) this.#widen();
    return made;
  }

  #widen(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const last = slots.length - 1;
    for (const context of this.#slots) {
      if (context === 0) continue;
      let slot = hashOf(this.above[context] ?? 0, this.key[context] ?? 0) & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = context;
    }
    this.#slots = slots;
  }

  #add(above: number, key: number, fn: number, areUnwound: boolean, depth: number): number {
    const context = this.above.length;
    this.above.push(above);
    this.key.push(key);
    this.fn.push(fn);
    this.shown.push(0);
    this.hidden.push(0);
    this.next.push(NONE);
    this.#isUnwound.push(areUnwound);
    this.#depth.push(depth);
    this.#first.push(NONE);
    this.#last.push(NONE);
    this.#inner.push(NONE);
    if (above < 0) return context;
    const before = this.#last[above] ?? NONE;
    if (before < 0) this.#first[above] = context;
    else this.next[before] = context;
    this.#last[above] = context;
    return context;
  }
}

function hashOf(above: number, key: number): number {
  const mixed = Math.imul(above ^ Math.imul(key, 0x9e3779b1), 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
