import { eventKind, type EventColumns } from '../../model/eventColumns.ts';
import { record } from '../../protocol/record.ts';
import type { ClockMap } from './clockMap.ts';
import { valueAndWordBytes, valueBytes, type PayloadPlans } from './payloadPlan.ts';
import type { ToldCall } from './waitingCalls.ts';

const WORDS = record.bytes / 4;
const CONTINUATION_WORDS = record.continuationPayload / 4;
const POSITION_MASK = ~record.kindMask;
const FUNCTION_MASK = (1 << record.functionBits) - 1;

/** What records are decoded with. */
export interface Decoding {
  readonly clock: ClockMap;
  readonly plans: PayloadPlans;
  /** Session-wide numbers of the process's own functions, by their number less `localFunctions`; 0: none. */
  readonly locals: Uint32Array;
}

/** What to do at a record that is not complete: wait for it, pass those in front, or pass all. */
export type BrokenRecords = 'stop' | 'skipLeading' | 'skip';

/**
 * Turns a contiguous run of ring records of one thread into columns. Its arrays are reused:
 * a batch is valid until the next `decode`.
 *
 * A record whose mark does not fit its position is either still being written (the thread, or
 * a signal handler's interrupted thread, has reserved it) or was never finished. Decoding stops
 * there; the caller decides when to give it up.
 */
export class SlotDecoder {
  #kind = new Uint8Array(0);
  #fn = new Uint32Array(0);
  #time = new Float64Array(0);
  #ticks = new Float64Array(0);
  #sp = new Float64Array(0);
  #payloadStart = new Uint32Array(0);
  #payload = new Uint8Array(0);
  /** The same memory: payloads begin and end at multiples of 8. */
  #payloadWords = new Uint32Array(0);
  #count = 0;
  #payloadUsed = 0;
  #torn = 0;
  #known = 0;
  #undefined = 0;

  /** Entries of the last `decode` that were told before. */
  get known(): number {
    return this.#known;
  }

  /** Records given up in the last `decode`. */
  get torn(): number {
    return this.#torn;
  }

  /** Records of functions that are not defined. */
  get undefined(): number {
    return this.#undefined;
  }

  /**
   * Decodes from `bytes` (starting at ring position `position`, both multiples of 32) and
   * returns how many bytes were consumed. `lastTime` clamps times to be monotonic. Entries of `told`, in
   * that order, are passed over and taken from there.
   */
  decode(
    bytes: Uint8Array,
    position: number,
    { clock, plans, locals }: Decoding,
    lastTime: number,
    broken: BrokenRecords,
    told: ToldCall[] = [],
  ): number {
    const length = bytes.length;
    this.#reserve(length);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, length / 4);
    const pieces = length / record.bytes;
    let positionLow = position % 4294967296;
    let time = lastTime;
    let piece = 0;
    while (piece < pieces) {
      const at = piece * WORDS;
      const mark = words[at + 7] ?? 0;
      const kind = mark & record.kindMask;
      const tag = words[at + 6] ?? 0;
      const more = tag >>> record.functionBits;
      const whole =
        (mark & POSITION_MASK) >>> 0 === positionLow && kind !== 0 && kind !== eventKind.more;
      if (!whole) {
        const orphan = (mark & POSITION_MASK) >>> 0 === positionLow && kind === eventKind.more;
        const skip = broken === 'skip' || (broken === 'skipLeading' && this.#count === 0);
        if (!orphan && !skip) break;
        if (!orphan) this.#torn++;
        piece++;
        positionLow = (positionLow + record.bytes) % 4294967296;
        continue;
      }
      if (piece + 1 + more > pieces) break;
      const [low = 0, high = 0] = [words[at], words[at + 1]];
      const stamp = clock.toSessionNs(low, high);
      this.#ticks[this.#count] = low + high * 4294967296;
      if (stamp > time) time = stamp;
      if (told.length > 0 && isNext(told, words, at, kind)) {
        told.shift();
        this.#known++;
      } else this.#push(words, at, kind, tag & FUNCTION_MASK, more, time, plans, locals);
      piece += 1 + more;
      positionLow = (positionLow + record.bytes * (1 + more)) % 4294967296;
    }
    this.#payloadStart[this.#count] = this.#payloadUsed;
    return piece * record.bytes;
  }

  /** The decoded rows. */
  columns(lostBefore: number): EventColumns {
    return {
      count: this.#count,
      kind: this.#kind,
      fn: this.#fn,
      time: this.#time,
      ticks: this.#ticks,
      sp: this.#sp,
      payloadStart: this.#payloadStart,
      payload: this.#payload,
      lostBefore,
    };
  }

  /** Session time of the last row, or the given one when there is none. */
  lastTime(otherwise: number): number {
    return this.#count > 0 ? (this.#time[this.#count - 1] ?? otherwise) : otherwise;
  }

  #push(
    words: Uint32Array,
    at: number,
    kind: number,
    tagged: number,
    more: number,
    time: number,
    plans: PayloadPlans,
    locals: Uint32Array,
  ): void {
    // The tag of a sample has flags where others have a function.
    const isLocal = tagged >= record.localFunctions && kind !== eventKind.watch;
    const fn = isLocal ? (locals[tagged - record.localFunctions] ?? 0) : tagged;
    if (isLocal && fn === 0) {
      this.#undefined++;
      return;
    }
    const row = this.#count++;
    this.#kind[row] = kind;
    this.#fn[row] = fn;
    this.#time[row] = time;
    this.#sp[row] = (words[at + 2] ?? 0) + (words[at + 3] ?? 0) * 4294967296;
    const start = this.#payloadUsed;
    this.#payloadStart[row] = start;
    if (kind === eventKind.tail || (kind === eventKind.unwound && !isLocal)) return;
    const target = this.#payloadWords;
    let to = start >>> 2;
    target[to++] = words[at + 4] ?? 0;
    target[to++] = words[at + 5] ?? 0;
    for (let from = at + WORDS, last = at + more * WORDS; from <= last; from += WORDS) {
      target[to] = words[from] ?? 0;
      target[to + 1] = words[from + 1] ?? 0;
      target[to + 2] = words[from + 2] ?? 0;
      target[to + 3] = words[from + 3] ?? 0;
      target[to + 4] = words[from + 4] ?? 0;
      target[to + 5] = words[from + 5] ?? 0;
      to += CONTINUATION_WORDS;
    }
    this.#payloadUsed = start + this.#payloadBytes(kind, fn, plans, start, (to << 2) - start);
  }

  /** Of what the pieces of a record hold: the rest is padding. */
  #payloadBytes(
    kind: number,
    fn: number,
    plans: PayloadPlans,
    start: number,
    filled: number,
  ): number {
    switch (kind) {
      case eventKind.enter:
      case eventKind.hit:
        return plans.enterBytes(fn, this.#payload, start, filled);
      case eventKind.return:
        return plans.returnBytes(fn, this.#payload, start, filled);
      case eventKind.watch:
      case eventKind.jumped:
      case eventKind.context:
      case eventKind.callsC:
        return filled;
      case eventKind.raise:
      case eventKind.handled:
        return valueAndWordBytes(this.#payload, start, filled);
      default:
        return valueBytes(this.#payload, start, filled);
    }
  }

  #reserve(length: number): void {
    const rows = length / record.bytes + 1;
    this.#count = 0;
    this.#payloadUsed = 0;
    this.#torn = 0;
    this.#known = 0;
    this.#undefined = 0;
    if (this.#kind.length >= rows) return;
    this.#kind = new Uint8Array(rows);
    this.#fn = new Uint32Array(rows);
    this.#time = new Float64Array(rows);
    this.#ticks = new Float64Array(rows);
    this.#sp = new Float64Array(rows);
    this.#payloadStart = new Uint32Array(rows + 1);
    this.#payload = new Uint8Array(length + record.bytes);
    this.#payloadWords = new Uint32Array(this.#payload.buffer);
  }
}

/** Whether the record at word `at` is the entry of the first of `told`. */
function isNext(
  [call]: readonly ToldCall[],
  words: Uint32Array,
  at: number,
  kind: number,
): boolean {
  if (call === undefined || kind !== eventKind.enter) return false;
  const tsc = (BigInt(words[at + 1] ?? 0) << 32n) | BigInt(words[at] ?? 0);
  return call.fn === ((words[at + 6] ?? 0) & FUNCTION_MASK) && call.tsc === String(tsc);
}
