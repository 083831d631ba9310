const noFloats = new Float64Array(0);

/** The open frames of one stack of a thread, outermost first (callStacks.ts). */
export class Stack {
  fn = new Uint32Array(0);
  sp = noFloats;
  start = noFloats;
  child = noFloats;
  ordinal = noFloats;
  /** What `waitedNs` of the thread was as it began. */
  waited = noFloats;
  size = 0;
  /** The frame that ran when this stack began: its ordinal, -1 for none. */
  parentOrdinal = -1;
  parent: Stack | null = null;
  parentIndex = 0;
  baseDepth = 0;

  get base(): number {
    return this.sp[0] ?? 0;
  }

  get top(): number {
    return this.sp[this.size - 1] ?? 0;
  }

  grow(): void {
    const size = Math.max(32, this.fn.length * 2);
    const fn = new Uint32Array(size);
    fn.set(this.fn);
    this.fn = fn;
    this.sp = wider(this.sp, size);
    this.start = wider(this.start, size);
    this.child = wider(this.child, size);
    this.ordinal = wider(this.ordinal, size);
    this.waited = wider(this.waited, size);
  }
}

function wider(from: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(size);
  to.set(from);
  return to;
}

/** Stack objects are used again: only the ordinal proves that the frame is still the same. */
export function hasLiveParent(stack: Stack): boolean {
  const { parent, parentIndex } = stack;
  return (
    parent !== null &&
    parentIndex < parent.size &&
    parent.ordinal[parentIndex] === stack.parentOrdinal
  );
}

/** How many of its frames lie at sp or above. */
export function framesFrom({ sp: places, size }: Stack, sp: number): number {
  let keep = size;
  while (keep > 0 && (places[keep - 1] ?? 0) < sp) keep--;
  return keep;
}

export function clearParent(stack: Stack): void {
  stack.parent = null;
  stack.parentOrdinal = -1;
  stack.baseDepth = 0;
}
