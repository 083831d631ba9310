import { firstActivation, strandKind } from '../../../model/eventColumns.ts';
import { endCode } from '../../blockFormat.ts';
import {
  Activation,
  addChild,
  Line,
  packLines,
  Segment,
  unpackLines,
  type Item,
} from './activationLines.ts';
import { CallStacks, type FrameLeft } from './callStacks.ts';

/**
 * Pairs enters with their ends on a thread that runs activations (calls of a dynamic language, or
 * of a goroutine), which have an id, among native frames, which have a stack pointer.
 *
 *   line     what runs on one stack of control, outermost first. Each item hangs below the one
 *            before it.
 *            ┌ segment: native frames, paired by stack pointer (CallStacks)
 *            ├ activation: found by its id
 *            └ …
 *
 * A suspended activation is taken off its line and comes back on top of whatever runs when it is
 * resumed; its parent stays the call that ran it first. Its calls hang below it.
 * What lies above an activation that ends or is suspended has not ended: it is parked as a line
 * of its own, and the first end in it shows that it runs again.
 * A strand with a stack of its own (a greenlet, a goroutine) has a line of its own; those of a
 * task or a test are only labels.
 *
 * After a lost event an id may belong to another activation when two events or more are missing:
 * its end and an enter. Then all activations, and what lies above them, end as `lost`.
 *
 * Limit: an activation that goes on on another thread is not found there.
 */

/** Lines that are parked without a strand; beyond it the oldest have been left. */
const MOST_PARKED = 1024;

/** Told of an open activation since when it waits; null: no longer. */
export type FrameWaits = (ordinal: number, since: number | null) => void;

export class Activations {
  readonly #left: FrameLeft;
  readonly #waits: FrameWaits;
  readonly #byId = new Map<number, Activation>();
  readonly #lines = new Set<Line>();
  readonly #strands = new Map<number, Line>();
  readonly #spare: Segment[] = [];
  #main = new Line();
  #current = this.#main;
  #lossOrdinal = 0;
  /** What calls belong to now; 0: the thread itself. */
  strand = 0;
  /** Of the frame last entered. */
  parentOrdinal = -1;
  depth = 0;
  /** Of the frame last ended by `end`. */
  endedOrdinal = -1;
  endedStart = 0;
  endedChild = 0;
  endedSuspended = 0;

  /** `native`: the thread's frames until now. */
  constructor(left: FrameLeft, waits: FrameWaits, native: CallStacks) {
    this.#left = left;
    this.#waits = waits;
    this.#lines.add(this.#main);
    if (!native.isEmpty) this.#main.items.push(new Segment(native));
  }

  release(): void {
    this.#spare.length = 0;
  }

  /** Sets `parentOrdinal` and `depth`. */
  enter(fn: number, sp: number, time: number, ordinal: number): void {
    if (fn >= firstActivation) {
      this.#enterActivation(fn, sp, time, ordinal);
      return;
    }
    const { items } = this.#current;
    const top = items.at(-1);
    const segment = top instanceof Segment ? top : this.#newSegment();
    if (segment !== top) items.push(segment);
    const { stacks } = segment;
    stacks.enter(fn, sp, time, ordinal);
    this.parentOrdinal = stacks.parentOrdinal < 0 ? segment.parentOrdinal : stacks.parentOrdinal;
    this.depth = segment.depth + stacks.depth;
  }

  /** True when such a frame was open; then `ended…` say which. Its time is added to that of its caller's calls. */
  end(fn: number, sp: number, time: number): boolean {
    this.endedSuspended = 0;
    if (fn >= firstActivation) return this.#endActivation(fn, sp, time);
    const top = this.#current.items.at(-1);
    const at = this.#segmentWith(this.#current, (stacks) => stacks.has(fn, sp));
    if (at >= 0) return this.#endNative(this.#current, at, fn, sp, time);
    for (const line of [...this.#lines].toReversed()) {
      const found = this.#segmentWith(line, (stacks) => stacks.has(fn, sp));
      if (found < 0) continue;
      this.#switchTo(line, time);
      return this.#endNative(line, found, fn, sp, time);
    }
    // It says where the thread is all the same.
    if (top instanceof Segment) {
      top.stacks.end(fn, sp, time);
      this.#tidy(this.#current);
    }
    return false;
  }

  /** The ordinal of the activation that waits from now on; -1: it is not known. */
  suspend(fn: number, id: number, time: number): number {
    const activation = this.#known(fn, id);
    if (!activation) return -1;
    if (activation.line) this.#takeOff(activation, activation.line, time);
    activation.since = time;
    this.#waits(activation.ordinal, time);
    return activation.ordinal;
  }

  /** The ordinal of the activation that goes on; -1: it is not known. */
  resume(fn: number, id: number, time: number): number {
    const activation = this.#known(fn, id);
    if (!activation) return -1;
    if (activation.line) this.#takeOff(activation, activation.line, time);
    else activation.suspended += Math.max(0, time - activation.since);
    this.#put(activation, time);
    this.#waits(activation.ordinal, null);
    return activation.ordinal;
  }

  /** The ordinal of an open activation; -1: there is none. */
  activationAt(fn: number, id: number): number {
    const activation = this.#byId.get(id);
    return activation?.fn === fn ? activation.ordinal : -1;
  }

  /** The thread goes on in another strand. */
  context(strand: number, kind: number, time: number): void {
    this.strand = strand;
    const hasOwnStack = kind === strandKind.goroutine || kind === strandKind.greenlet;
    if (strand !== 0 && !hasOwnStack) return;
    let line = strand === 0 ? this.#main : this.#strands.get(strand);
    if (!line) {
      line = new Line();
      line.strand = strand;
      line.parkedAt = time;
      this.#strands.set(strand, line);
      this.#lines.add(line);
      if (kind === strandKind.greenlet) this.#hang(line);
    }
    this.#switchTo(line, time);
  }

  jump(sp: number, time: number, last: number, from = 0, to = 0): void {
    const line = this.#current;
    const { items } = line;
    const at = this.#segmentWith(line, (stacks) => stacks.reaches(sp));
    if (at >= 0) this.#parkAbove(line, at + 1, time);
    const top = items.at(-1);
    if (!(top instanceof Segment)) return;
    top.stacks.jump(sp, time, last, from, to);
    this.#charge(items, items.length - 1, top);
    this.#tidy(line);
  }

  /** The open activation of that id, or the innermost open native call whose frame is at sp; -1: there is none. */
  ordinalAt(sp: number): number {
    const activation = this.#byId.get(sp);
    if (activation) return activation.ordinal;
    const { items } = this.#current;
    for (let at = items.length - 1; at >= 0; at--) {
      const item = items[at];
      const ordinal = item instanceof Segment ? item.stacks.ordinalAt(sp) : -1;
      if (ordinal >= 0) return ordinal;
    }
    return -1;
  }

  /** Records of this thread are missing here. */
  lost(events: number, nextOrdinal: number): void {
    this.#lossOrdinal = nextOrdinal;
    for (const line of this.#lines) {
      const first = line.items.findIndex((item) => item instanceof Activation);
      for (const [at, item] of line.items.entries()) {
        if (!(item instanceof Segment)) continue;
        item.stacks.lost(events > 1 && first >= 0 && at > first ? Infinity : events, nextOrdinal);
        item.stacks.rootNs = 0;
      }
      if (events > 1 && first >= 0) line.items.length = first;
      this.#tidy(line);
      if (line.items.length === 0) this.#forget(line);
    }
    if (events < 2) return;
    for (const activation of this.#byId.values()) this.#leave(activation);
    this.#byId.clear();
  }

  /** As numbers, for `restore` in another process. */
  save(): Float64Array<ArrayBuffer> {
    return packLines({
      strand: this.strand,
      lossOrdinal: this.#lossOrdinal,
      lines: this.#lines,
      main: this.#main,
      current: this.#current,
      byId: this.#byId,
    });
  }

  /** Takes up what `save` gave; for one that is new. */
  restore(from: Float64Array): void {
    const state = unpackLines(from, () => this.#spareSegment());
    this.strand = state.strand;
    this.#lossOrdinal = state.lossOrdinal;
    this.#main = state.main;
    this.#current = state.current;
    this.#lines.clear();
    for (const line of state.lines) {
      this.#lines.add(line);
      if (line.strand >= 0) this.#strands.set(line.strand, line);
    }
    for (const [id, activation] of state.byId) this.#byId.set(id, activation);
  }

  /** Tells of activations whose line has been parked since it was last asked. */
  tellParked(): void {
    for (const line of this.#lines) {
      if (line === this.#current || line.isTold) continue;
      line.isTold = true;
      this.#tell(line, line.parkedAt);
    }
  }

  #enterActivation(fn: number, id: number, time: number, ordinal: number): void {
    const before = this.#byId.get(id);
    if (before) this.#drop(before);
    this.#running();
    const activation = new Activation();
    activation.id = id;
    activation.fn = fn;
    activation.ordinal = ordinal;
    activation.depth = this.depth;
    activation.start = time;
    this.#byId.set(id, activation);
    this.#put(activation, time);
  }

  #endActivation(fn: number, id: number, time: number): boolean {
    const activation = this.#known(fn, id);
    if (!activation) return false;
    if (activation.line) this.#takeOff(activation, activation.line, time);
    else activation.suspended += Math.max(0, time - activation.since);
    this.#byId.delete(id);
    this.endedOrdinal = activation.ordinal;
    this.endedStart = activation.start;
    this.endedChild = activation.child;
    this.endedSuspended = activation.suspended;
    return true;
  }

  #endNative(line: Line, at: number, fn: number, sp: number, time: number): boolean {
    const segment = line.items[at];
    if (!(segment instanceof Segment)) return false;
    this.#parkAbove(line, at + 1, time);
    const { stacks } = segment;
    const isPaired = stacks.end(fn, sp, time);
    this.endedOrdinal = stacks.endedOrdinal;
    this.endedStart = stacks.endedStart;
    this.endedChild = stacks.endedChild;
    this.#charge(line.items, at, segment);
    this.#tidy(line);
    this.#leaveEmpty(line, time);
    return isPaired;
  }

  /** The activation of this function with this id; of another function it has ended without a record. */
  #known(fn: number, id: number): Activation | null {
    const activation = this.#byId.get(id);
    if (!activation) return null;
    if (activation.fn === fn) return activation;
    this.#drop(activation);
    return null;
  }

  /** Puts it on top of what runs. */
  #put(activation: Activation, time: number): void {
    activation.since = time;
    activation.line = this.#current;
    activation.parkedBefore = this.#current.parkedNs;
    this.#current.items.push(activation);
  }

  /** The activation runs no longer; what lies above it is parked. */
  #takeOff(activation: Activation, line: Line, time: number): void {
    this.#switchTo(line, time);
    const { items } = line;
    let at = items.length - 1;
    if (items[at] !== activation) {
      this.#tidy(line);
      at = items.lastIndexOf(activation);
      this.#parkAbove(line, at + 1, time);
    }
    items.length = at;
    activation.line = null;
    const parked = line.parkedNs - activation.parkedBefore;
    activation.suspended += parked;
    addChild(items[at - 1], Math.max(0, time - activation.since - parked));
    this.#leaveEmpty(line, time);
  }

  /** Sets `parentOrdinal` and `depth` for what begins now. */
  #running(): void {
    const line = this.#current;
    for (let at = line.items.length - 1; at >= 0; at--) {
      const item = line.items[at];
      if (item instanceof Activation) {
        this.parentOrdinal = item.ordinal;
        this.depth = item.depth + 1;
        return;
      }
      const running = item?.stacks.runningOrdinal ?? -1;
      if (!item || running < 0) continue;
      this.parentOrdinal = running;
      this.depth = item.depth + item.stacks.runningDepth;
      return;
    }
    this.parentOrdinal = line.parentOrdinal;
    this.depth = line.depth;
  }

  #hang(line: Line): void {
    this.#running();
    line.parentOrdinal = this.parentOrdinal;
    line.depth = this.depth;
  }

  #newSegment(): Segment {
    const segment = this.#spareSegment();
    this.#running();
    segment.parentOrdinal = this.parentOrdinal;
    segment.depth = this.depth;
    segment.parkedBefore = this.#current.parkedNs;
    return segment;
  }

  #spareSegment(): Segment {
    const spare = this.#spare.pop();
    if (!spare) return new Segment(new CallStacks(this.#left));
    spare.stacks.rootNs = 0;
    return spare;
  }

  /** What ended in a segment was waited for by the item below it. */
  #charge(items: readonly Item[], at: number, segment: Segment): void {
    const { stacks } = segment;
    if (stacks.rootNs === 0) return;
    const { parkedNs } = this.#current;
    addChild(items[at - 1], Math.max(0, stacks.rootNs - (parkedNs - segment.parkedBefore)));
    segment.parkedBefore = parkedNs;
    stacks.rootNs = 0;
  }

  /** Takes segments without frames off the end of a line. */
  #tidy({ items }: Line): void {
    for (;;) {
      const top = items.at(-1);
      if (!(top instanceof Segment) || !top.stacks.isEmpty) return;
      items.pop();
      if (this.#spare.length < 64) this.#spare.push(top);
    }
  }

  #segmentWith({ items }: Line, fits: (stacks: CallStacks) => boolean): number {
    return items.findLastIndex((item) => item instanceof Segment && fits(item.stacks));
  }

  #switchTo(line: Line, time: number): void {
    const from = this.#current;
    if (from === line) return;
    this.#current = line;
    from.parkedAt = time;
    line.parkedNs += Math.max(0, time - line.parkedAt);
    line.cameFrom = from;
    if (from.items.length === 0) this.#forget(from);
    if (line.isTold) this.#tell(line, null);
    line.isTold = false;
  }

  /** A line without a strand that has come to its end: what ran before it goes on. */
  #leaveEmpty(line: Line, time: number): void {
    if (line.items.length > 0 || line !== this.#current || line === this.#main) return;
    if (line.strand >= 0) return;
    const { cameFrom } = line;
    this.#switchTo(cameFrom && this.#lines.has(cameFrom) ? cameFrom : this.#main, time);
  }

  #parkAbove(line: Line, keep: number, time: number): void {
    if (line.items.length <= keep) return;
    const parked = new Line();
    parked.parkedNs = line.parkedNs;
    parked.parkedAt = time;
    for (const item of line.items.splice(keep)) {
      if (item instanceof Activation) {
        if (item.ordinal < this.#lossOrdinal) {
          this.#byId.delete(item.id);
          this.#leave(item);
          continue;
        }
        item.line = parked;
      }
      parked.items.push(item);
    }
    this.#tidy(parked);
    if (parked.items.length === 0) return;
    this.#lines.add(parked);
    if (this.#lines.size > this.#strands.size + MOST_PARKED) this.#leaveOldest();
  }

  #leaveOldest(): void {
    for (const line of this.#lines) {
      if (line === this.#main || line === this.#current || line.strand >= 0) continue;
      for (const item of line.items) {
        if (item instanceof Activation) {
          this.#byId.delete(item.id);
          this.#leave(item);
        } else item.stacks.lost(Infinity, 0);
      }
      this.#lines.delete(line);
      return;
    }
  }

  #tell({ items }: Line, since: number | null): void {
    for (const item of items) if (item instanceof Activation) this.#waits(item.ordinal, since);
  }

  #forget(line: Line): void {
    if (line === this.#main || line === this.#current) return;
    this.#lines.delete(line);
    if (line.strand >= 0) this.#strands.delete(line.strand);
  }

  /** It has ended without a record; what lies above it has not. */
  #drop(activation: Activation): void {
    const { line } = activation;
    if (line) line.items.splice(line.items.lastIndexOf(activation), 1);
    this.#byId.delete(activation.id);
    this.#leave(activation);
  }

  #leave({ fn, ordinal, child }: Activation): void {
    const end = ordinal < this.#lossOrdinal ? endCode.lost : endCode.jumped;
    this.#left(fn, ordinal, end, null, child);
  }
}
