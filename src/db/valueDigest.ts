import { alone } from './blockFormat.ts';

/**
 * What a finished block holds of captured values, so that most blocks need not be searched:
 *
 *   u32 ranges n · u32 filter words w · float64 least [n] · float64 most [n] · u32 key [n] ·
 *   u32 filter [w]
 *
 * A range spans the numbers captured at one place (dictionary entry << 8 | parameter, or
 * `returnPlace`) of a function with many calls in the block; NaN lies outside. Keys ascend. The
 * filter is a Bloom filter over the hashes (capturedNumbers.ts) of all values of the block, a
 * null string's being that of 0. Both leave out ends that came late.
 */
export const returnPlace = 255;
/** Functions with fewer calls in the block have no range. */
export const rangeCalls = 128;
/** Bits of the filter: at most eight a call, a power of two. */
export function filterBits(calls: number): number {
  return Math.max(64, 2 ** (31 - Math.clz32(calls * 8)));
}
const HEADER = 8;
const RANGE = 20;

export function digestBytes(ranges: number, filterWords: number): number {
  return HEADER + ranges * RANGE + filterWords * 4;
}

/** Three bits of a filter of 32 * 2^n bits stand for a hash. */
export function addHash(filter: Uint32Array, hash: number): void {
  const last = filter.length * 32 - 1;
  const step = (hash >>> 17) | 1;
  for (let i = 0, bit = hash; i < 3; i++, bit += step) {
    const at = (bit & last) >>> 5;
    filter[at] = (filter[at] ?? 0) | (1 << (bit & 31));
  }
}

function hasHash(filter: Uint32Array, hash: number): boolean {
  const last = filter.length * 32 - 1;
  const step = (hash >>> 17) | 1;
  for (let i = 0, bit = hash; i < 3; i++, bit += step) {
    if ((((filter[(bit & last) >>> 5] ?? 0) >>> (bit & 31)) & 1) === 0) return false;
  }
  return true;
}

/** A digest as it is read. */
export class ValueDigest {
  readonly #least: Float64Array;
  readonly #most: Float64Array;
  readonly #key: Uint32Array;
  readonly #filter: Uint32Array;

  constructor(bytes: Uint8Array) {
    const { buffer } = alone(bytes);
    const [ranges = 0, words = 0] = new Uint32Array(buffer, 0, 2);
    this.#least = new Float64Array(buffer, HEADER, ranges);
    this.#most = new Float64Array(buffer, HEADER + ranges * 8, ranges);
    this.#key = new Uint32Array(buffer, HEADER + ranges * 16, ranges);
    this.#filter = new Uint32Array(buffer, HEADER + ranges * RANGE, words);
  }

  /** False when no value of the block has this hash. */
  mayHold(hash: number): boolean {
    return hasHash(this.#filter, hash);
  }

  /** False when no number at the place lies in [low, high]. */
  mayReach(entry: number, place: number, low: number, high: number): boolean {
    if (place > returnPlace) return true;
    const wanted = (entry << 8) | place;
    let from = 0;
    let to = this.#key.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#key[middle] ?? 0) >= wanted) to = middle;
      else from = middle + 1;
    }
    if (this.#key[from] !== wanted) return true;
    return (this.#least[from] ?? 0) <= high && (this.#most[from] ?? 0) >= low;
  }
}
