import { bucketCount, bucketOf } from '../histogram.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

type CounterRow = [
  number: number,
  calls: number,
  open: number,
  unwound: number,
  timed: number,
  totalNs: number,
  selfNs: number,
  minNs: number,
  maxNs: number,
  histogramFrom: number,
  histogram: Buffer,
];

/**
 * Exact figures per function (or thread), kept from the first event on and never sampled or
 * dropped. `timed` counts the calls whose duration is known; total, self, min, max and the
 * histogram are over those. Calls of a recursion count each, so a total may exceed the time
 * that passed.
 */
export class Counters {
  readonly #save: Statement<CounterRow>;
  /** Position + 1 of a number's figures; 0 = none yet. */
  #position = new Uint32Array(64);
  #used = 0;
  #number = new Uint32Array(16);
  #calls = new Float64Array(16);
  #open = new Float64Array(16);
  #unwound = new Float64Array(16);
  #timed = new Float64Array(16);
  #total = new Float64Array(16);
  #self = new Float64Array(16);
  #min = new Float64Array(16);
  #max = new Float64Array(16);
  #histogram = new Float64Array(16 * bucketCount);
  #isDirty = new Uint8Array(16);
  #dirty: number[] = [];

  constructor(db: Sqlite, table: 'function_counters' | 'thread_counters') {
    this.#save = db.prepare<CounterRow>(
      `INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  entered(number: number): void {
    const at = this.#at(number);
    this.#calls[at] = (this.#calls[at] ?? 0) + 1;
    this.#open[at] = (this.#open[at] ?? 0) + 1;
  }

  ended(number: number, duration: number, self: number, unwound: boolean): void {
    const at = this.#at(number);
    this.#open[at] = (this.#open[at] ?? 0) - 1;
    if (unwound) this.#unwound[at] = (this.#unwound[at] ?? 0) + 1;
    const timed = this.#timed[at] ?? 0;
    this.#timed[at] = timed + 1;
    this.#total[at] = (this.#total[at] ?? 0) + duration;
    this.#self[at] = (this.#self[at] ?? 0) + self;
    if (timed === 0 || duration < (this.#min[at] ?? 0)) this.#min[at] = duration;
    if (duration > (this.#max[at] ?? 0)) this.#max[at] = duration;
    const bucket = at * bucketCount + bucketOf(duration);
    this.#histogram[bucket] = (this.#histogram[bucket] ?? 0) + 1;
  }

  /** Ended at a time that is not known. */
  left(number: number): void {
    const at = this.#at(number);
    this.#open[at] = (this.#open[at] ?? 0) - 1;
  }

  /** Writes what changed since the last time. */
  write(): void {
    for (const at of this.#dirty) {
      this.#isDirty[at] = 0;
      const histogram = this.#histogram.subarray(at * bucketCount, (at + 1) * bucketCount);
      const { from, bytes } = trimmed(histogram);
      this.#save.run(
        this.#number[at] ?? 0,
        this.#calls[at] ?? 0,
        this.#open[at] ?? 0,
        this.#unwound[at] ?? 0,
        this.#timed[at] ?? 0,
        this.#total[at] ?? 0,
        this.#self[at] ?? 0,
        this.#min[at] ?? 0,
        this.#max[at] ?? 0,
        from,
        bytes,
      );
    }
    this.#dirty = [];
  }

  #at(number: number): number {
    const known = number < this.#position.length ? (this.#position[number] ?? 0) : 0;
    const at = known > 0 ? known - 1 : this.#add(number);
    if (this.#isDirty[at] === 0) {
      this.#isDirty[at] = 1;
      this.#dirty.push(at);
    }
    return at;
  }

  #add(number: number): number {
    if (number >= this.#position.length) {
      const position = new Uint32Array(Math.max(number + 1, this.#position.length * 2));
      position.set(this.#position);
      this.#position = position;
    }
    const at = this.#used++;
    if (at === this.#number.length) this.#grow();
    this.#position[number] = at + 1;
    this.#number[at] = number;
    return at;
  }

  #grow(): void {
    const size = this.#number.length * 2;
    const number = new Uint32Array(size);
    number.set(this.#number);
    this.#number = number;
    const isDirty = new Uint8Array(size);
    isDirty.set(this.#isDirty);
    this.#isDirty = isDirty;
    this.#calls = wider(this.#calls, size);
    this.#open = wider(this.#open, size);
    this.#unwound = wider(this.#unwound, size);
    this.#timed = wider(this.#timed, size);
    this.#total = wider(this.#total, size);
    this.#self = wider(this.#self, size);
    this.#min = wider(this.#min, size);
    this.#max = wider(this.#max, size);
    this.#histogram = wider(this.#histogram, size * bucketCount);
  }
}

function wider(from: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(size);
  to.set(from);
  return to;
}

/** The used part of a histogram as float64 little-endian. */
function trimmed(histogram: Float64Array): { from: number; bytes: Buffer } {
  let from = 0;
  let to = histogram.length;
  while (from < to && histogram[from] === 0) from++;
  while (to > from && histogram[to - 1] === 0) to--;
  return { from, bytes: Buffer.from(histogram.slice(from, to).buffer) };
}
