import { stringFlags } from '../../model/eventColumns.ts';
import { hashBytes, hashNumber, reading, wordNumber } from '../capturedNumbers.ts';
import { addHash, digestBytes, filterBits, rangeCalls, returnPlace } from '../valueDigest.ts';
import type { CallRows } from './callRows.ts';
import type { FunctionFacts } from './functionFacts.ts';

/** The calls of one function in a block: rows `posting[from, to)` + `base`. */
interface Group {
  readonly entry: number;
  readonly fn: number;
  readonly posting: Uint16Array;
  readonly from: number;
  readonly to: number;
  readonly base: number;
}

const nullHash = hashNumber(0);

/** Builds a block's digest (valueDigest.ts) function by function. */
export class DigestBuilder {
  readonly #facts: FunctionFacts;
  readonly #least: number[] = [];
  readonly #most: number[] = [];
  readonly #key: number[] = [];
  #filter = new Uint32Array(0);
  #any = false;
  /** Where the next captured value of each of the group's calls begins, in words. */
  #at = new Uint32Array(0);

  constructor(facts: FunctionFacts) {
    this.#facts = facts;
  }

  begin(calls: number): void {
    this.#least.length = this.#most.length = this.#key.length = 0;
    this.#filter = new Uint32Array(filterBits(calls) / 32);
    this.#any = false;
    if (this.#at.length < calls) this.#at = new Uint32Array(calls);
  }

  add(group: Group, rows: CallRows): void {
    const { captured, returned } = this.#facts.readings(group.fn);
    if (captured.length > 0) {
      this.#begin(group, rows.enterAt);
      for (const [i, how] of captured.entries()) {
        const place = i < returnPlace ? i : returnPlace + 1;
        this.#place(group, rows, how, place, rows.enterAt, rows.enterBytes);
      }
    }
    if (returned === reading.none) return;
    this.#begin(group, rows.returnAt);
    this.#place(group, rows, returned, returnPlace, rows.returnAt, rows.returnBytes);
  }

  /** Null when nothing was captured. */
  finish(): Buffer | null {
    if (!this.#any) return null;
    const ranges = this.#key.length;
    const words = this.#filter.length;
    const bytes = new ArrayBuffer(digestBytes(ranges, words));
    new Uint32Array(bytes, 0, 2).set([ranges, words]);
    new Float64Array(bytes, 8, ranges).set(this.#least);
    new Float64Array(bytes, 8 + ranges * 8, ranges).set(this.#most);
    new Uint32Array(bytes, 8 + ranges * 16, ranges).set(this.#key);
    new Uint32Array(bytes, 8 + ranges * 20, words).set(this.#filter);
    return Buffer.from(bytes);
  }

  #begin({ posting, from, to, base }: Group, starts: Uint32Array): void {
    for (let i = from; i < to; i++) this.#at[i] = starts[(posting[i] ?? 0) + base] ?? 0;
  }

  #place(
    group: Group,
    rows: CallRows,
    how: number,
    place: number,
    starts: Uint32Array,
    sizes: Uint32Array,
  ): void {
    if (how === reading.text) this.#texts(group, rows, starts, sizes);
    else if (how === reading.list) this.#lists(group, rows, starts, sizes);
    else if (how === reading.none) for (let i = group.from; i < group.to; i++) this.#step(i, 2);
    else this.#numbers(group, rows, how, place, starts, sizes);
  }

  #numbers(
    { entry, posting, from, to, base }: Group,
    { payload }: CallRows,
    how: number,
    place: number,
    starts: Uint32Array,
    sizes: Uint32Array,
  ): void {
    const nextAt = this.#at;
    const filter = this.#filter;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    let last = Number.NaN;
    for (let i = from; i < to; i++) {
      const row = (posting[i] ?? 0) + base;
      const at = nextAt[i] ?? 0;
      if (at + 2 > (starts[row] ?? 0) + ((sizes[row] ?? 0) >>> 2)) continue;
      nextAt[i] = at + 2;
      const number = wordNumber(how, payload[at] ?? 0, payload[at + 1] ?? 0);
      // Equal to the one before: already known. Not equal to itself: can never be asked for.
      if (number === last || Number.isNaN(number)) continue;
      last = number;
      if (number < least) least = number;
      if (number > most) most = number;
      addHash(filter, hashNumber(number));
    }
    this.#any = true;
    if (to - from < rangeCalls || place > returnPlace) return;
    this.#least.push(least);
    this.#most.push(most);
    this.#key.push((entry << 8) | place);
  }

  #texts(
    { posting, from, to, base }: Group,
    { payload }: CallRows,
    starts: Uint32Array,
    sizes: Uint32Array,
  ): void {
    const bytes = new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
    for (let i = from; i < to; i++) {
      const row = (posting[i] ?? 0) + base;
      const at = this.#at[i] ?? 0;
      const end = (starts[row] ?? 0) + ((sizes[row] ?? 0) >>> 2);
      if (at + 2 > end) continue;
      const length = payload[at] ?? 0;
      const isNull = ((payload[at + 1] ?? 0) & stringFlags.isNull) !== 0;
      const textAt = at * 4 + 8;
      const hash = isNull ? nullHash : hashBytes(bytes, textAt, Math.min(textAt + length, end * 4));
      addHash(this.#filter, hash);
      this.#step(i, 2 + Math.ceil(length / 8) * 2);
    }
    this.#any = true;
  }

  /** Nothing is known of lists: only what lies behind them is found. */
  #lists(
    { posting, from, to, base }: Group,
    { payload }: CallRows,
    starts: Uint32Array,
    sizes: Uint32Array,
  ): void {
    for (let i = from; i < to; i++) {
      const row = (posting[i] ?? 0) + base;
      const at = this.#at[i] ?? 0;
      const end = (starts[row] ?? 0) + ((sizes[row] ?? 0) >>> 2);
      if (at + 2 <= end) this.#step(i, 2 + Math.ceil((payload[at] ?? 0) / 8) * 2);
    }
    this.#any = true;
  }

  #step(i: number, words: number): void {
    this.#at[i] = (this.#at[i] ?? 0) + words;
  }
}
