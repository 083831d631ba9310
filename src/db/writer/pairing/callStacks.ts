import { endCode } from '../../blockFormat.ts';
import { clearParent, framesFrom, hasLiveParent, Stack } from './nativeStack.ts';

/**
 * Pairs enters with their ends on ONE thread, which may run on several stacks (coroutines,
 * swapcontext, an alternate signal stack).
 *
 *   high addresses
 *   ┌ stack A ┐ base   main          frames of one stack: sp falls from base to top.
 *   │         │        parse         Open stacks never overlap; `#open` holds them by rising base.
 *   └─────────┘ top    resume ◄────┐
 *   ┌ stack B ┐ base   body ───────┘ a stack that begins while another is running hangs below
 *   └─────────┘ top    step          the frame that ran: its parent.
 *   low addresses
 *
 * An enter at sp belongs
 *   1. to the running stack when sp lies at most NEAR below its top;
 *   2. else to the stack whose [top, base] holds sp: the frames at or below sp have been left;
 *   3. else to the stack whose top lies at most NEAR above sp;
 *   4. else, at most NEAR above the running stack's base, to that stack: all its frames are left;
 *   5. else to a new stack, whose parent is the running frame.
 * A stack that grows over another's base proves that one dead: its frames have been left.
 * A function with a larger frame than NEAR makes its callees a stack of their own (5), which has
 * the right parent and so changes nothing that can be seen.
 *
 * An end (fn, sp) closes the frame with the same fn and sp; what lies above it on that stack has
 * been left. Frames that were left without a record of it end as `jumped`, or as `lost` when
 * records of this thread were lost since they were entered; when is not known.
 *
 * A jump (glibc's longjmp) makes the stack that holds its sp, or ends at most NEAR above it, the
 * running one: what lies deeper there has been left, at that time. The stack it came from
 *   1. stays open, as a coroutine's does that will be jumped into again;
 *   2. has been left when its base lies at most NEAR below sp, or when the frame it began below is
 *      left by the jump and lies at most LARGE above its base (a frame with large arrays): then it
 *      lies in the same memory. So do those between, each of which began below the next;
 *   3. has been left as far as it is a signal stack that the jump says it leaves.
 * A sp near no stack that is known says nothing.
 *
 * After n lost events a frame with k frames from it to its top could only have ended and been
 * entered anew if k + 1 ≤ n; such frames end as `lost`, the others are still themselves. So an
 * end is never given to another call than its own (where no jump is among what was lost, which ends many at once).
 *
 * Limits: where jumps are not recorded (other libraries than glibc, setcontext), a call that one left is known to be gone only when another is entered
 * at or above its sp; one that is entered deeper before that, below frames that are not traced, hangs below it. A signal stack that lies inside a frame of the
 * interrupted stack (a local array) looks like that stack.
 */

/** Stacks are at least two pages, and few frames are larger: what is nearer is the same stack. */
const NEAR = 8192;

/** Few frames with arrays are larger, and what another thread's or a coroutine's stack takes is more often. */
const LARGE = 262_144;

/** Frames kept by `save`, the outermost of each stack first; what is deeper ends unknown. */
const MOST_SAVED = 16_384;
const STACK_NUMBERS = 5;
const FRAME_NUMBERS = 5;
/** Of threads that waited alone; then a number for each frame. */
const WAIT_NUMBERS = 2;

/** Told of each frame that ended without an event of its own; null: when is not known. */
export type FrameLeft = (
  fn: number,
  ordinal: number,
  end: number,
  durationNs: number | null,
  childNs: number,
) => void;

export class CallStacks {
  readonly #left: FrameLeft;
  readonly #open: Stack[] = [];
  #current: Stack = new Stack();
  #spare: Stack | null = null;
  /** Frames entered before this ordinal have seen a loss. */
  #lossOrdinal = 0;
  /** Of the frame last entered. */
  parentOrdinal = -1;
  depth = 0;
  /** Of the frame last ended by `end`. */
  endedOrdinal = -1;
  endedStart = 0;
  endedChild = 0;
  endedSuspended = 0;
  /** For how long the thread (a goroutine) waited, with all its calls, and since when it does; -1: it does not. */
  #waitedNs = 0;
  waitsSince = -1;
  /** Time of frames that ended and had no caller here, since it was last set to 0. */
  rootNs = 0;

  constructor(left: FrameLeft) {
    this.#left = left;
  }

  /** Gives back what open frames do not need. */
  release(): void {
    this.#spare = null;
    if (this.#current.size === 0) this.#current = new Stack();
  }

  /** Sets `parentOrdinal` and `depth`. */
  enter(fn: number, sp: number, time: number, ordinal: number): void {
    let stack = this.#current;
    const size = stack.size;
    const top = size > 0 ? (stack.sp[size - 1] ?? 0) : 0;
    if (size === 0 || sp >= top || top - sp > NEAR) stack = this.#stackFor(sp);
    else if (this.#open.length > 1) this.#killBetween(stack, sp, top);
    const at = stack.size;
    if (at === stack.fn.length) stack.grow();
    stack.fn[at] = fn;
    stack.sp[at] = sp;
    stack.start[at] = time;
    stack.child[at] = 0;
    stack.ordinal[at] = ordinal;
    stack.waited[at] = this.#waitedNs;
    stack.size = at + 1;
    if (at === 0) this.#insert(stack);
    this.parentOrdinal = at > 0 ? (stack.ordinal[at - 1] ?? -1) : stack.parentOrdinal;
    this.depth = stack.baseDepth + at;
  }

  /**
   * True when a frame of this function at this sp was open; then `endedOrdinal`, `endedStart`
   * and `endedChild` say which. Its time is added to its parent's children.
   */
  end(fn: number, sp: number, time: number): boolean {
    let stack = this.#current;
    let at = stack.size - 1;
    if (at < 0 || stack.sp[at] !== sp || stack.fn[at] !== fn) {
      const holder = this.#holding(sp);
      if (holder === null) return false;
      stack = holder;
      this.#current = stack;
      at = stack.size - 1;
      while (at >= 0 && (stack.sp[at] ?? 0) < sp) at--;
      const found = at >= 0 && stack.sp[at] === sp && stack.fn[at] === fn;
      this.#leave(stack, found ? at + 1 : (stack.sp[at] ?? 0) === sp ? at : at + 1);
      if (!found) {
        if (stack.size === 0) this.#removeEmpty(stack);
        return false;
      }
    }
    this.#ended(stack, at);
    stack.size = at;
    const ran = time - this.endedStart - this.endedSuspended;
    if (at > 0) stack.child[at - 1] = (stack.child[at - 1] ?? 0) + ran;
    else {
      this.#addToParent(stack, ran);
      this.#removeEmpty(stack);
    }
    return true;
  }

  #ended(stack: Stack, at: number): void {
    this.endedOrdinal = stack.ordinal[at] ?? -1;
    this.endedStart = stack.start[at] ?? 0;
    this.endedChild = stack.child[at] ?? 0;
    this.endedSuspended = this.#waitedNs - (stack.waited[at] ?? 0);
  }

  /** The thread waits from now on. */
  suspend(time: number): void {
    this.waitsSince = time;
  }

  resume(time: number): void {
    if (this.waitsSince >= 0) this.#waitedNs += Math.max(0, time - this.waitsSince);
    this.waitsSince = -1;
  }

  /** It waited so long, at times that are not known. */
  waited(ns: number): void {
    this.#waitedNs += ns;
  }

  /** Of all open calls. */
  ordinals(): number[] {
    return this.#open.flatMap(({ ordinal, size }) => [...ordinal.subarray(0, size)]);
  }

  /** The thread goes on at sp, where it was at `last`, and leaves the signal stack [from, to) if that is one. */
  jump(sp: number, time: number, last: number, from = 0, to = 0): void {
    if (to > from) this.#leaveBetween(from, to, time);
    // What a signal interrupted is running again.
    const origin = to > from ? this.#current : this.#originOf(last);
    const above = this.#open[this.#firstWithBaseFrom(sp)];
    const target = above && above.top - sp <= NEAR ? above : null;
    for (const stack of this.#leftWhole(origin, sp, target)) this.#leaveWhole(stack, time);
    if (target) {
      this.#leave(target, framesFrom(target, sp), time);
      this.#current = target;
      return;
    }
    const below = this.#open[this.#firstWithBaseFrom(sp) - 1];
    if (!below || sp - below.base > NEAR) return;
    this.#current = below;
    this.#leaveWhole(below, time);
  }

  /** The innermost open call whose frame is at sp; -1: there is none. */
  ordinalAt(sp: number): number {
    let stack: Stack | null = this.#current;
    if (stack.size === 0 || sp < stack.top || sp > stack.base) stack = this.#holding(sp);
    if (!stack) return -1;
    for (let at = stack.size - 1; at >= 0 && (stack.sp[at] ?? 0) <= sp; at--)
      if (stack.sp[at] === sp) return stack.ordinal[at] ?? -1;
    return -1;
  }

  /** The open stacks as numbers, for `restore` in another process. */
  save(): Float64Array<ArrayBuffer> {
    let room = MOST_SAVED;
    const sizes = this.#open.map(({ size }) => {
      const kept = Math.min(size, room);
      room -= kept;
      return kept;
    });
    const frames = MOST_SAVED - room;
    const hasWaited = this.#waitedNs > 0 || this.waitsSince >= 0;
    const ofWaits = hasWaited ? WAIT_NUMBERS + frames : 0;
    const all = 3 + sizes.length * STACK_NUMBERS + frames * FRAME_NUMBERS;
    const to = new Float64Array(all + ofWaits);
    let waitAt = all + WAIT_NUMBERS;
    if (hasWaited) to.set([this.#waitedNs, this.waitsSince], all);
    to.set([sizes.length, this.#open.indexOf(this.#current), this.#lossOrdinal]);
    let at = 3;
    for (const [index, stack] of this.#open.entries()) {
      const size = sizes[index] ?? 0;
      const parent = stack.parent ? this.#open.indexOf(stack.parent) : -1;
      to.set([size, parent, stack.parentIndex, stack.parentOrdinal, stack.baseDepth], at);
      at += STACK_NUMBERS;
      for (let i = 0; i < size; i++, at += FRAME_NUMBERS) {
        to[at] = stack.fn[i] ?? 0;
        to[at + 1] = stack.sp[i] ?? 0;
        to[at + 2] = stack.start[i] ?? 0;
        to[at + 3] = stack.child[i] ?? 0;
        to[at + 4] = stack.ordinal[i] ?? 0;
        if (hasWaited) to[waitAt++] = stack.waited[i] ?? 0;
      }
    }
    return to;
  }

  /** Takes up what `save` gave; for stacks that are new. */
  restore(from: Float64Array): void {
    const [count = 0, current = -1, lossOrdinal = 0] = from;
    this.#lossOrdinal = lossOrdinal;
    const stacks = Array.from({ length: count }, () => new Stack());
    let at = 3;
    for (const stack of stacks) {
      const [size = 0, parent = -1, parentIndex = 0, parentOrdinal = -1, baseDepth = 0] =
        from.subarray(at, at + STACK_NUMBERS);
      at += STACK_NUMBERS;
      Object.assign(stack, {
        parent: stacks[parent] ?? null,
        parentIndex,
        parentOrdinal,
        baseDepth,
      });
      while (stack.fn.length < size) stack.grow();
      for (let i = 0; i < size; i++, at += FRAME_NUMBERS) {
        stack.fn[i] = from[at] ?? 0;
        stack.sp[i] = from[at + 1] ?? 0;
        stack.start[i] = from[at + 2] ?? 0;
        stack.child[i] = from[at + 3] ?? 0;
        stack.ordinal[i] = from[at + 4] ?? 0;
      }
      stack.size = size;
    }
    this.#restoreWaits(from.subarray(at), stacks);
    this.#open.push(...stacks.filter(({ size }) => size > 0));
    this.#current = stacks[current] ?? new Stack();
  }

  #restoreWaits(from: Float64Array, stacks: readonly Stack[]): void {
    const [waitedNs = 0, since = -1] = from;
    this.#waitedNs = waitedNs;
    this.waitsSince = since;
    let at = WAIT_NUMBERS;
    for (const { waited, size } of stacks)
      for (let i = 0; i < size; i++) waited[i] = from[at++] ?? 0;
  }

  /** Records of this thread are missing here: frames that may have been replaced end as lost. */
  lost(events: number, nextOrdinal: number): void {
    this.#lossOrdinal = nextOrdinal;
    this.waitsSince = -1;
    for (const stack of this.#open.slice()) {
      this.#leave(stack, Math.max(0, stack.size - Math.max(0, events - 1)));
      if (stack.size === 0) this.#removeEmpty(stack);
    }
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** The running frame's ordinal; -1: there is none. */
  get runningOrdinal(): number {
    const { size, ordinal } = this.#current;
    return size > 0 ? (ordinal[size - 1] ?? -1) : -1;
  }

  /** The depth that a call of the running frame has. */
  get runningDepth(): number {
    const { size, baseDepth } = this.#current;
    return size > 0 ? baseDepth + size : 0;
  }

  /** The running frame waited for something that is not paired here. */
  addChild(ns: number): void {
    const { size, child } = this.#current;
    if (size > 0) child[size - 1] = (child[size - 1] ?? 0) + ns;
  }

  /** Whether a frame of this function at this sp is open. */
  has(fn: number, sp: number): boolean {
    const stack = this.#holding(sp);
    if (!stack) return false;
    for (let at = stack.size - 1; at >= 0 && (stack.sp[at] ?? 0) <= sp; at--)
      if (stack.sp[at] === sp && stack.fn[at] === fn) return true;
    return false;
  }

  /** Whether a jump to sp goes on in a frame that is open here. */
  reaches(sp: number): boolean {
    const above = this.#open[this.#firstWithBaseFrom(sp)];
    return above !== undefined && above.top - sp <= NEAR;
  }

  /** The stack that a jump comes from, if it is known. */
  #originOf(sp: number): Stack | null {
    const stack = this.#open[this.#firstWithBaseFrom(sp)];
    return stack && (stack === this.#current || stack.top - sp <= NEAR) ? stack : null;
  }

  /** That stack and those it lies in one memory with which a jump to sp leaves whole, innermost first. */
  #leftWhole(origin: Stack | null, sp: number, target: Stack | null): Stack[] {
    const left: Stack[] = [];
    const between: Stack[] = [];
    let stack = origin;
    while (stack && stack.size > 0 && stack !== target && stack.base < sp) {
      between.push(stack);
      const parent: Stack | null = hasLiveParent(stack) ? stack.parent : null;
      const began = parent?.sp[stack.parentIndex] ?? 0;
      const isOneMemory = began > stack.base && began - stack.base <= LARGE;
      const isCallerLeft = isOneMemory && parent === target && began < sp;
      if (sp - stack.base <= NEAR || isCallerLeft) left.push(...between.splice(0));
      stack = isOneMemory ? parent : null;
    }
    return left;
  }

  /** Ends what lies at [from, to). */
  #leaveBetween(from: number, to: number, time: number): void {
    for (;;) {
      const stack = this.#open[this.#firstWithBaseFrom(from)];
      if (!stack || stack.base >= to) {
        if (stack && stack.top >= from && stack.top < to)
          this.#leave(stack, framesFrom(stack, to), time);
        return;
      }
      this.#leaveWhole(stack, time);
    }
  }

  /** The stack's first call has ended: its time is that of a child of the frame that ran when it began. */
  #addToParent(stack: Stack, duration: number): void {
    const { parent, parentIndex, parentOrdinal } = stack;
    if (parentOrdinal < 0) this.rootNs += duration;
    else if (parent && hasLiveParent(stack))
      parent.child[parentIndex] = (parent.child[parentIndex] ?? 0) + duration;
  }

  #leaveWhole(stack: Stack, time: number): void {
    this.#leave(stack, 0, time);
    this.#removeEmpty(stack);
  }

  #stackFor(sp: number): Stack {
    const near = this.#firstWithBaseFrom(sp);
    const candidate = this.#open[near];
    if (candidate && candidate.top <= sp) {
      let keep = candidate.size;
      while (keep > 0 && (candidate.sp[keep - 1] ?? 0) <= sp) keep--;
      this.#leave(candidate, keep);
      this.#current = candidate;
      return keep === 0 ? this.#rebased(candidate) : candidate;
    }
    if (candidate && candidate.top - sp <= NEAR) {
      this.#killBetween(candidate, sp, candidate.top);
      this.#current = candidate;
      return candidate;
    }
    const running = this.#current;
    if (running.size > 0 && sp > running.base && sp - running.base <= NEAR) {
      this.#leave(running, 0);
      return this.#rebased(running);
    }
    return this.#begin(running);
  }

  /** A stack whose frames were all left, ready for a new base below the same parent. */
  #rebased(stack: Stack): Stack {
    this.#detach(stack);
    if (!hasLiveParent(stack)) clearParent(stack);
    return stack;
  }

  /** An empty stack hanging below the running frame. */
  #begin(running: Stack): Stack {
    const stack = running.size === 0 ? running : (this.#spare ?? new Stack());
    if (stack === this.#spare) this.#spare = null;
    if (running.size > 0) {
      stack.parent = running;
      stack.parentIndex = running.size - 1;
      stack.parentOrdinal = running.ordinal[running.size - 1] ?? -1;
      stack.baseDepth = running.baseDepth + running.size;
    } else clearParent(stack);
    this.#current = stack;
    return stack;
  }

  /** The stack whose open frames enclose sp. */
  #holding(sp: number): Stack | null {
    const stack = this.#open[this.#firstWithBaseFrom(sp)];
    return stack && stack.top <= sp ? stack : null;
  }

  /** Index of the lowest stack whose base is at or above sp. */
  #firstWithBaseFrom(sp: number): number {
    let low = 0;
    let high = this.#open.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#open[middle]?.base ?? 0) >= sp) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Ends all frames of stacks that `grower` grows over: their base lies in [sp, top). */
  #killBetween(grower: Stack, sp: number, top: number): void {
    for (;;) {
      const other = this.#open[this.#firstWithBaseFrom(sp)];
      if (!other || other === grower || other.base >= top) return;
      this.#leave(other, 0);
      this.#removeEmpty(other);
    }
  }

  /** Ends frames from the top until `keep` are left; `time`: when that was, where it is known. */
  #leave(stack: Stack, keep: number, time: number | null = null): void {
    for (let at = stack.size - 1; at >= keep; at--) {
      const ordinal = stack.ordinal[at] ?? -1;
      const isLost = ordinal < this.#lossOrdinal;
      const end = isLost ? endCode.lost : endCode.jumped;
      const duration = time === null || isLost ? null : time - (stack.start[at] ?? 0);
      this.#left(stack.fn[at] ?? 0, ordinal, end, duration, stack.child[at] ?? 0);
      if (duration === null) continue;
      if (at > 0) stack.child[at - 1] = (stack.child[at - 1] ?? 0) + duration;
      else this.#addToParent(stack, duration);
    }
    if (stack.size > keep) stack.size = keep;
  }

  /** Forgets a stack without frames; what it hung below runs on. */
  #removeEmpty(stack: Stack): void {
    this.#detach(stack);
    if (stack !== this.#current) this.#spare = stack;
    else if (stack.parent && hasLiveParent(stack)) {
      this.#current = stack.parent;
      this.#spare = stack;
    }
    clearParent(stack);
  }

  #detach(stack: Stack): void {
    if (this.#open.length === 1 && this.#open[0] === stack) {
      this.#open.pop();
      return;
    }
    const at = this.#open.indexOf(stack);
    if (at >= 0) this.#open.splice(at, 1);
  }

  #insert(stack: Stack): void {
    if (this.#open.length === 0) this.#open.push(stack);
    else this.#open.splice(this.#firstWithBaseFrom(stack.base), 0, stack);
  }
}
