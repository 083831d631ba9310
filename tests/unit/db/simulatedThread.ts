import { eventKind, type EventColumns } from '../../../src/model/eventColumns.ts';
import type { CallEnd } from '../../../src/model/questions/query.ts';

/** One event as a thread would record it. */
export interface SimulatedEvent {
  readonly kind: number;
  readonly fn: number;
  readonly time: number;
  readonly sp: number;
  readonly payload: Uint8Array;
}

/** What truly happened to a call. */
export interface TrueCall {
  readonly ordinal: number;
  readonly fn: number;
  readonly parent: number;
  readonly depth: number;
  readonly start: number;
  readonly enterPayload: Uint8Array;
  durationNs: number | null;
  childNs: number;
  end: CallEnd;
  returnPayload: Uint8Array;
}

export type Random = (below: number) => number;

/** A small seeded generator (xorshift32). */
export function seeded(seed: number): Random {
  let state = seed | 0 || 88172645;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

interface Frame {
  readonly call: TrueCall;
  readonly sp: number;
}

interface SimulatedStack {
  readonly frames: Frame[];
  readonly bottom: number;
}

const empty = new Uint8Array(0);

/** A thread with its stacks, which does random things and knows the truth about them. */
export class SimulatedThread {
  readonly events: SimulatedEvent[] = [];
  readonly calls: TrueCall[] = [];
  readonly #stacks: SimulatedStack[] = [];
  readonly #random: Random;
  #current: SimulatedStack;
  #resumer: Frame | null = null;
  time = 0;

  constructor(random: Random, stacks = 1) {
    this.#random = random;
    for (let i = 0; i < stacks; i++) {
      this.#stacks.push({ frames: [], bottom: 0x7fff00000000 - i * 65536 });
    }
    this.#current = this.#stacks[0] ?? { frames: [], bottom: 0 };
  }

  /** Where the innermost open call's frame lies; undefined: none is open. */
  get top(): { readonly sp: number } | undefined {
    return this.#current.frames.at(-1);
  }

  get depth(): number {
    return this.#current.frames.length;
  }

  enter(fn: number, payload: Uint8Array = empty, frameBytes = 16 + this.#random(40) * 16): void {
    this.time += 1 + this.#random(1000);
    const { frames, bottom } = this.#current;
    const above = frames.at(-1);
    const sp = (above?.sp ?? bottom) - frameBytes;
    const parent = above ?? (this.#resumer?.call.end === 'open' ? this.#resumer : undefined);
    const call: TrueCall = {
      ordinal: this.calls.length,
      fn,
      parent: parent?.call.ordinal ?? -1,
      depth: parent ? parent.call.depth + 1 : 0,
      start: this.time,
      enterPayload: payload,
      durationNs: null,
      childNs: 0,
      end: 'open',
      returnPayload: empty,
    };
    this.calls.push(call);
    frames.push({ call, sp });
    this.events.push({ kind: eventKind.enter, fn, time: this.time, sp, payload });
  }

  /** The top frame ends in a way that is recorded. */
  leave(kind: 'return' | 'unwound' | 'jumped' | 'tail', payload: Uint8Array = empty): void {
    if (kind === 'jumped') {
      this.jump(1);
      return;
    }
    const frame = this.#current.frames.pop();
    if (!frame) return;
    this.time += 1 + this.#random(1000);
    const { call, sp } = frame;
    this.#ended(call, kind === 'return' ? 'returned' : kind);
    if (kind === 'return') call.returnPayload = payload;
    const kept = kind === 'return' ? payload : empty;
    this.events.push({ kind: eventKind[kind], fn: call.fn, time: this.time, sp, payload: kept });
  }

  /** A longjmp leaves the innermost frames; it is recorded. */
  jump(count: number): void {
    const frames = this.#current.frames.splice(-count);
    const [outermost] = frames;
    const last = (frames.at(-1)?.sp ?? 0) - 8;
    if (!outermost) return;
    this.time += 1 + this.#random(1000);
    for (const { call } of frames.toReversed()) this.#ended(call, 'jumped');
    const sp = outermost.sp + 8;
    const payload = new Uint8Array(BigUint64Array.of(BigInt(last)).buffer);
    this.events.push({ kind: eventKind.jumped, fn: 0, time: this.time, sp, payload });
  }

  /** Frames go without any record, as a foreign longjmp does; nothing is known of when. */
  vanish(count: number): void {
    for (let i = 0; i < count; i++) {
      const frame = this.#current.frames.pop();
      if (frame) frame.call.end = 'jumped';
    }
  }

  #ended(call: TrueCall, end: CallEnd): void {
    call.durationNs = this.time - call.start;
    call.end = end;
    const parent = this.calls[call.parent];
    if (parent && parent.end === 'open') parent.childNs += call.durationNs;
  }

  /** Goes on on another stack; a new one hangs below the frame that ran. */
  switchTo(stack: number): void {
    const next = this.#stacks[stack];
    if (!next || next === this.#current) return;
    this.#resumer = this.#current.frames.at(-1) ?? null;
    this.#current = next;
  }
}

/** Events [from, to) as a batch. */
export function batch(
  events: readonly SimulatedEvent[],
  from = 0,
  to = events.length,
  lostBefore = 0,
): EventColumns {
  const part = events.slice(from, to);
  const payloadStart = new Uint32Array(part.length + 1);
  for (const [i, event] of part.entries()) {
    payloadStart[i + 1] = (payloadStart[i] ?? 0) + event.payload.length;
  }
  const payload = new Uint8Array(payloadStart[part.length] ?? 0);
  for (const [i, event] of part.entries()) payload.set(event.payload, payloadStart[i]);
  return {
    count: part.length,
    kind: Uint8Array.from(part, (event) => event.kind),
    fn: Uint32Array.from(part, (event) => event.fn),
    time: Float64Array.from(part, (event) => event.time),
    sp: Float64Array.from(part, (event) => event.sp),
    payloadStart,
    payload,
    lostBefore,
  };
}
