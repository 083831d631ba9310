/** A cycle counter value read together with CLOCK_MONOTONIC. */
export interface ClockAnchor {
  readonly tsc: bigint;
  readonly monotonicNs: bigint;
}

/**
 * An anchor that lies this far from where the map puts it is no jitter: the machine slept, and its
 * cycle counter did not (or began anew), while CLOCK_MONOTONIC stood still.
 */
const MAX_JITTER_NS = 50_000_000;

/** Below this span the two reads' own jitter would spoil the rate. */
const MIN_SPAN_NS = 1_000_000n;

/**
 * Maps the cycle counter of ring records to session time.
 *
 *   sessionNs = originNs + (tsc - originTsc) * nsPerTick
 *
 * The rate comes from the two anchors furthest apart, so it gets better the longer a session lasts.
 * A later anchor must not reorder what was already stored: callers apply a new rate only to
 * records that are still to be read, and each thread's times are clamped to be monotonic.
 *
 * When the two clocks part (the machine was suspended), the map begins anew at the latest anchor,
 * with the rate it had.
 */
export class ClockMap {
  readonly #sessionStartNs: bigint;
  #first: ClockAnchor | null = null;
  #last: ClockAnchor | null = null;
  #originHigh = 0;
  #originLow = 0;
  #originNs = 0;
  #nsPerTick = 0;

  /** `sessionStartNs`: CLOCK_MONOTONIC at the session's time 0. */
  constructor(sessionStartNs: bigint) {
    this.#sessionStartNs = sessionStartNs;
  }

  add(anchor: ClockAnchor): void {
    if (this.#partsFrom(anchor)) {
      this.#first = null;
      this.#last = null;
    }
    if (this.#first === null || anchor.monotonicNs < this.#first.monotonicNs) this.#first = anchor;
    if (this.#last === null || anchor.monotonicNs > this.#last.monotonicNs) this.#last = anchor;
    const first = this.#first;
    const last = this.#last;
    this.#originHigh = Number(first.tsc >> 32n);
    this.#originLow = Number(first.tsc & 0xffffffffn);
    this.#originNs = Number(first.monotonicNs - this.#sessionStartNs);
    const spanNs = last.monotonicNs - first.monotonicNs;
    if (spanNs >= MIN_SPAN_NS && last.tsc > first.tsc) {
      this.#nsPerTick = Number(spanNs) / Number(last.tsc - first.tsc);
    }
  }

  /** False until later than the last anchor: an earlier one says nothing new. */
  #partsFrom({ tsc, monotonicNs }: ClockAnchor): boolean {
    if (!this.ready || this.#last === null || monotonicNs <= this.#last.monotonicNs) return false;
    const mapped = this.toSessionNs(Number(tsc & 0xffffffffn), Number(tsc >> 32n));
    return Math.abs(mapped - Number(monotonicNs - this.#sessionStartNs)) > MAX_JITTER_NS;
  }

  /** The two anchors the map is made from: given to another map, it is the same. */
  get anchors(): readonly ClockAnchor[] {
    return [this.#first, this.#last].filter((anchor) => anchor !== null);
  }

  /** False until two anchors at least 1 ms apart are known. */
  get ready(): boolean {
    return this.#nsPerTick > 0;
  }

  /** Session time of a moment of CLOCK_MONOTONIC. */
  sessionNsOf(monotonicNs: bigint): number {
    return Number(monotonicNs - this.#sessionStartNs);
  }

  /** Nanoseconds that `cycles` take. */
  toNs(cycles: number): number {
    return Math.round(cycles * this.#nsPerTick);
  }

  /** Session time of a cycle counter given as its two 32-bit halves. */
  toSessionNs(low: number, high: number): number {
    const ticks = (high - this.#originHigh) * 4294967296 + (low - this.#originLow);
    return this.#originNs + Math.round(ticks * this.#nsPerTick);
  }
}
