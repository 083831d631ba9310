import { eventKind, firstActivation, strandKind } from '../../../src/model/eventColumns.ts';
import type { Random, SimulatedEvent } from './simulatedThread.ts';

/** What truly happened to a call of a mixed program. */
export interface MixedCall {
  readonly fn: number;
  readonly parent: number;
  readonly depth: number;
  readonly start: number;
  readonly strand: number;
  end: 'open' | 'returned' | 'unwound';
  durationNs: number;
  selfNs: number;
  suspendedNs: number;
}

interface Frame {
  readonly ordinal: number;
  readonly fn: number;
  readonly sp: number;
  readonly canWait: boolean;
  /** Of one that began on another thread, and is no call of this one. */
  readonly home?: { readonly thread: MixedThread; readonly frame: Frame };
}

interface Line {
  readonly frames: Frame[];
  readonly strand: number;
  readonly bottom: number;
  readonly hangs: Frame | null;
}

const empty = new Uint8Array(0);

/**
 * A thread of a program with native calls below and above calls of a dynamic language, with
 * generators, tasks and greenlets; it does random things and knows the truth about them.
 */
export class MixedThread {
  readonly events: SimulatedEvent[] = [];
  readonly calls: MixedCall[] = [];
  readonly suspended: Frame[] = [];
  readonly #random: Random;
  readonly #lines = new Map<number, Line>();
  readonly #freeIds: number[] = [];
  /** Those that resume elsewhere. */
  readonly #lent = new Set<Frame>();
  #lastId: number;
  #current: Line;
  #label = 0;
  time = 0;
  /** Events of activations of other threads. */
  foreignEvents = 0;
  /** Switches between greenlets are recorded. */
  tellsGreenlets = true;

  /** `firstId`: no other thread of the process has such activations. */
  constructor(random: Random, firstId = 1000) {
    this.#random = random;
    this.#lastId = firstId;
    this.#current = { frames: [], strand: 0, bottom: 0x7fff_0000_0000, hangs: null };
    this.#lines.set(0, this.#current);
  }

  get depth(): number {
    return this.#current.frames.length;
  }

  /** The top call may be suspended. */
  get canWait(): boolean {
    return this.#current.frames.at(-1)?.canWait ?? false;
  }

  /** The open activations that do not run: suspended ones, and those of other greenlets. */
  waiting(): Set<number> {
    const others = [...this.#lines.values()].filter((line) => line !== this.#current);
    const lines = others.flatMap((line) => line.frames);
    const frames = [...this.suspended, ...this.#lent, ...lines].filter((one) => !one.home);
    const activations = frames.filter(({ fn }) => fn >= firstActivation);
    return new Set(activations.map(({ ordinal }) => ordinal));
  }

  enterNative(): void {
    const { frames, bottom } = this.#current;
    // Its own stack, below the native frames that lie deeper in the same one.
    const above = frames.findLast(({ fn }) => fn < firstActivation)?.sp ?? bottom;
    this.#enter(this.#random(8), above - 16 - this.#random(300) * 16, false);
  }

  enterActivation(canWait: boolean): void {
    // Ids are addresses: used again soon.
    const id = this.#freeIds.pop() ?? (this.#lastId += 16);
    this.#enter(firstActivation + this.#random(6), id, canWait);
  }

  leave(kind: 'return' | 'unwound'): void {
    const frame = this.#current.frames.at(-1);
    if (!frame) return;
    this.#record(eventKind[kind], frame);
    this.#current.frames.pop();
    if (frame.home) return;
    const call = this.#callOf(frame);
    call.end = kind === 'return' ? 'returned' : 'unwound';
    call.durationNs = this.time - call.start;
    if (frame.fn >= firstActivation) this.#freeIds.push(frame.sp);
  }

  suspend(): void {
    const frame = this.#current.frames.at(-1);
    if (!frame?.canWait) return;
    this.#record(eventKind.suspend, frame);
    this.#current.frames.pop();
    this.suspended.push(frame);
  }

  resume(which: number, kind: 'resume' | 'throwIn'): void {
    const frame = this.suspended[which];
    if (!frame) return;
    this.#record(eventKind[kind], frame);
    this.suspended.splice(which, 1);
    this.#current.frames.push(frame);
  }

  /** A suspended activation will resume on another thread. */
  moveTo(other: MixedThread, which: number): void {
    const [moved] = this.suspended.splice(which, 1);
    if (!moved) return;
    const { thread, frame } = moved.home ?? { thread: this, frame: moved };
    if (other === thread) thread.#lent.delete(frame);
    else thread.#lent.add(frame);
    other.suspended.push(other === thread ? frame : { ...frame, home: { thread, frame } });
  }

  /** An exception is raised or caught. */
  exception(kind: 'raise' | 'handled'): void {
    const frame = this.#current.frames.at(-1);
    if (frame && frame.fn >= firstActivation) this.#record(eventKind[kind], frame);
  }

  task(number: number): void {
    // It runs on the stack that runs.
    if (this.#current.strand !== 0) return;
    this.#label = number;
    this.#context(number, strandKind.task);
  }

  greenlet(strand: number): void {
    if (this.tellsGreenlets) this.#context(strand, strandKind.greenlet);
    let line = this.#lines.get(strand);
    if (!line) {
      const hangs = this.#caller;
      // A new one lies deeper on the same stack, or anywhere.
      line = { frames: [], strand, bottom: 0x7ffe_0000_0000 - strand * 0x100_0000, hangs };
      this.#lines.set(strand, line);
    } else if (line.frames.length === 0 && strand !== 0) {
      this.#lines.delete(strand);
      const hangs = this.#caller;
      line = { ...line, frames: [], hangs };
      this.#lines.set(strand, line);
    }
    this.#current = line;
    this.#label = strand;
  }

  /** What a call that begins now hangs below. */
  get #caller(): Frame | null {
    return this.#current.frames.findLast((frame) => !frame.home) ?? this.#current.hangs;
  }

  #enter(fn: number, sp: number, canWait: boolean): void {
    this.#advance();
    const above = this.#caller;
    const caller = above ? this.#callOf(above) : null;
    const frame = { ordinal: this.calls.length, fn, sp, canWait };
    this.calls.push({
      fn,
      parent: above?.ordinal ?? -1,
      depth: caller ? caller.depth + 1 : 0,
      start: this.time,
      strand: this.#label,
      end: 'open',
      durationNs: 0,
      selfNs: 0,
      suspendedNs: 0,
    });
    this.#current.frames.push(frame);
    this.events.push({ kind: eventKind.enter, fn, time: this.time, sp, payload: empty });
  }

  #record(kind: number, { fn, sp, home }: Frame): void {
    this.#advance();
    if (home) this.foreignEvents++;
    this.events.push({ kind, fn, time: this.time, sp, payload: empty });
  }

  #context(strand: number, kind: number): void {
    this.#advance();
    const payload = new Uint8Array(BigUint64Array.of(BigInt(kind)).buffer);
    this.events.push({ kind: eventKind.context, fn: 0, time: this.time, sp: strand, payload });
  }

  /** Time passes: for the call that runs, and for those that wait. */
  #advance(): void {
    const ns = 1 + this.#random(1000);
    this.time += ns;
    const running = this.#current.frames.findLast((frame) => !frame.home);
    if (running) this.#callOf(running).selfNs += ns;
    for (const frame of [...this.suspended, ...this.#lent])
      if (!frame.home) this.#callOf(frame).suspendedNs += ns;
    for (const line of this.#lines.values()) {
      if (line === this.#current) continue;
      for (const frame of line.frames) this.#callOf(frame).suspendedNs += ns;
    }
  }

  #callOf({ ordinal }: Frame): MixedCall {
    const call = this.calls[ordinal];
    if (!call) throw new RangeError('a frame of no call');
    return call;
  }
}

/** Random things on one thread; `greenlets`: how many there are besides the thread's own stack. */
export function mixedRun(
  random: Random,
  steps: number,
  { greenlets = 0, tellsGreenlets = true } = {},
): MixedThread {
  const thread = new MixedThread(random);
  thread.tellsGreenlets = tellsGreenlets;
  for (let i = 0; i < steps; i++) mixedStep(thread, random, greenlets);
  return thread;
}

/** Programs of several threads, between which suspended activations move. */
export function mixedThreads(random: Random, steps: number, count: number): MixedThread[] {
  const threads = Array.from({ length: count }, (_, i) => new MixedThread(random, i * 1_000_000));
  for (let i = 0; i < steps; i++) {
    const thread = threads[random(count)];
    const other = threads[random(count)];
    if (!thread || !other) continue;
    if (other !== thread && thread.suspended.length > 0 && random(4) === 0)
      thread.moveTo(other, random(thread.suspended.length));
    else mixedStep(thread, random, 0);
  }
  return threads;
}

function mixedStep(thread: MixedThread, random: Random, greenlets: number): void {
  const dice = random(100);
  if (dice < 20) thread.enterNative();
  else if (dice < 42) thread.enterActivation(random(2) === 0);
  else if (dice < 68) thread.leave('return');
  else if (dice < 74) for (let n = random(6); n > 0; n--) thread.leave('unwound');
  else if (dice < 82) for (let n = 1 + random(3); n > 0 && thread.canWait; n--) thread.suspend();
  else if (dice < 90 && thread.suspended.length > 0)
    thread.resume(random(thread.suspended.length), random(4) === 0 ? 'throwIn' : 'resume');
  else if (dice < 93) thread.exception(random(2) === 0 ? 'raise' : 'handled');
  else if (dice < 96) thread.task(100 + random(5));
  else if (greenlets > 0) thread.greenlet(random(greenlets + 1));
}
