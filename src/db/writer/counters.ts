import type { CountedCalls } from '../../model/eventColumns.ts';
import { bucketCount, readHistogram } from '../histogram.ts';
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
  suspendedNs: number,
];

const figure = {
  calls: 0,
  open: 1,
  unwound: 2,
  timed: 3,
  total: 4,
  self: 5,
  min: 6,
  max: 7,
  suspended: 8,
  isDirty: 9,
} as const;
const stride = 10;
const kept = [
  'calls',
  'open',
  'unwound',
  'timed',
  'total',
  'self',
  'min',
  'max',
  'suspended',
] as const;

type SavedCounters = Record<(typeof kept)[number], number> & {
  readonly number: number;
  readonly histogram_from: number;
  readonly histogram: Buffer;
};

/**
 * Exact figures per function (or thread), kept from the first event on and never sampled or
 * dropped. `timed` counts the calls whose duration is known; total, self, min, max and the
 * histogram are over those. Calls of a recursion count each, so a total may exceed the time
 * that passed.
 */
export class Counters {
  readonly #save: Statement<CounterRow>;
  readonly #saved: Statement<[], SavedCounters>;
  readonly #savedOf: Statement<[number: number], SavedCounters>;
  /** Position + 1 of a number's figures; 0 = none yet. */
  #position = new Uint32Array(64);
  #numbers: number[] = [];
  /** `stride` figures per position, side by side: they are touched together. */
  #figures = new Float64Array(16 * stride);
  #histograms = new Float64Array(16 * bucketCount);
  #dirty: number[] = [];
  /** Positions of numbers that were put away. */
  readonly #free: number[] = [];
  #hasPutAway = false;

  constructor(db: Sqlite, table: 'function_counters' | 'thread_counters') {
    this.#save = db.prepare<CounterRow>(
      `INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const saved = `SELECT number, calls, open, unwound, timed, total_ns AS total, self_ns AS self,
              min_ns AS min, max_ns AS max, histogram_from, histogram, suspended_ns AS suspended FROM ${table}`;
    this.#saved = db.prepare(saved);
    this.#savedOf = db.prepare(`${saved} WHERE number = ?`);
  }

  /** Goes on from what the file holds; numbers that are not `wanted` stay put away. */
  continue(wanted: (number: number) => boolean = () => true): void {
    this.#hasPutAway = true;
    for (const row of this.#saved.iterate())
      if (wanted(row.number)) this.#take(this.#begin(row.number), row);
  }

  /** A number that will hardly change again gives its memory back. To be called behind `write`. */
  putAway(number: number): void {
    const known = this.#position[number] ?? 0;
    if (known === 0) return;
    this.#position[number] = 0;
    this.#free.push(known - 1);
    this.#hasPutAway = true;
  }

  /** Calls of a number that have not ended. */
  openOf(number: number): number {
    const known = this.#position[number] ?? 0;
    if (known === 0) return this.#savedOf.get(number)?.open ?? 0;
    return this.#figures[(known - 1) * stride + figure.open] ?? 0;
  }

  /** Calls of these numbers without those that were only counted. */
  recorded(numbers: Iterable<number>, counted: ReadonlyMap<number, number>): number {
    let calls = 0;
    for (const number of numbers) calls += this.#calls(number) - (counted.get(number) ?? 0);
    return calls;
  }

  #calls(number: number): number {
    const known = this.#position[number] ?? 0;
    if (known === 0) return this.#savedOf.get(number)?.calls ?? 0;
    return this.#figures[(known - 1) * stride + figure.calls] ?? 0;
  }

  /**
   * The position of a number's figures, which are about to change: what the other methods take.
   * It stays the same, but has to be asked for anew after each `write`.
   */
  at(number: number): number {
    const known = number < this.#position.length ? (this.#position[number] ?? 0) : 0;
    const position = known > 0 ? known - 1 : this.#known(number);
    const at = position * stride + figure.isDirty;
    if (this.#figures[at] === 0) {
      this.#figures[at] = 1;
      this.#dirty.push(position);
    }
    return position;
  }

  entered(position: number): void {
    const at = position * stride;
    const figures = this.#figures;
    figures[at + figure.calls] = (figures[at + figure.calls] ?? 0) + 1;
    figures[at + figure.open] = (figures[at + figure.open] ?? 0) + 1;
  }

  /** `bucket`: the duration's (histogram.ts). */
  ended(position: number, bucket: number, duration: number, self: number, unwound: boolean): void {
    const at = position * stride;
    const figures = this.#figures;
    const timed = figures[at + figure.timed] ?? 0;
    figures[at + figure.open] = (figures[at + figure.open] ?? 0) - 1;
    figures[at + figure.timed] = timed + 1;
    figures[at + figure.total] = (figures[at + figure.total] ?? 0) + duration;
    figures[at + figure.self] = (figures[at + figure.self] ?? 0) + self;
    if (timed === 0 || duration < (figures[at + figure.min] ?? 0)) {
      figures[at + figure.min] = duration;
    }
    if (duration > (figures[at + figure.max] ?? 0)) figures[at + figure.max] = duration;
    if (unwound) figures[at + figure.unwound] = (figures[at + figure.unwound] ?? 0) + 1;
    const place = position * bucketCount + bucket;
    this.#histograms[place] = (this.#histograms[place] ?? 0) + 1;
  }

  /** A call that ended waited for so long. */
  waited(position: number, suspended: number): void {
    const at = position * stride + figure.suspended;
    this.#figures[at] = (this.#figures[at] ?? 0) + suspended;
  }

  /** Calls without records: how their time was spent is not known, and taken to be as in the others. */
  counted(position: number, { calls, timed, totalNs, minNs, maxNs }: CountedCalls): void {
    const at = position * stride;
    const figures = this.#figures;
    const add = (name: keyof typeof figure, value: number): void => {
      figures[at + figure[name]] = (figures[at + figure[name]] ?? 0) + value;
    };
    const total = figures[at + figure.total] ?? 0;
    const selfShare = total > 0 ? (figures[at + figure.self] ?? 0) / total : 1;
    const before = figures[at + figure.timed] ?? 0;
    add('calls', calls);
    add('timed', timed);
    add('total', totalNs);
    add('self', Math.round(totalNs * selfShare));
    if (timed === 0) return;
    if (before === 0 || minNs < (figures[at + figure.min] ?? 0)) figures[at + figure.min] = minNs;
    if (maxNs > (figures[at + figure.max] ?? 0)) figures[at + figure.max] = maxNs;
  }

  /** Ended at a time that is not known. */
  left(position: number): void {
    const at = position * stride + figure.open;
    this.#figures[at] = (this.#figures[at] ?? 0) - 1;
  }

  /** Writes what changed since the last time. */
  write(): void {
    for (const position of this.#dirty) {
      this.#figures[position * stride + figure.isDirty] = 0;
      const of = (name: keyof typeof figure): number =>
        this.#figures[position * stride + figure[name]] ?? 0;
      const { from, bytes } = trimmed(
        this.#histograms.subarray(position * bucketCount, (position + 1) * bucketCount),
      );
      this.#save.run(
        this.#numbers[position] ?? 0,
        of('calls'),
        of('open'),
        of('unwound'),
        of('timed'),
        of('total'),
        of('self'),
        of('min'),
        of('max'),
        from,
        bytes,
        of('suspended'),
      );
    }
    this.#dirty = [];
  }

  #known(number: number): number {
    const position = this.#begin(number);
    const row = this.#hasPutAway ? this.#savedOf.get(number) : undefined;
    if (row) this.#take(position, row);
    return position;
  }

  #take(position: number, row: SavedCounters): void {
    for (const name of kept) this.#figures[position * stride + figure[name]] = row[name];
    const at = position * bucketCount + row.histogram_from;
    this.#histograms.set(readHistogram(row.histogram), at);
  }

  #begin(number: number): number {
    if (number >= this.#position.length) {
      const grown = new Uint32Array(Math.max(number + 1, this.#position.length * 2));
      grown.set(this.#position);
      this.#position = grown;
    }
    const position = this.#free.pop() ?? this.#numbers.length;
    this.#numbers[position] = number;
    this.#position[number] = position + 1;
    if (position * stride === this.#figures.length) {
      this.#figures = wider(this.#figures);
      this.#histograms = wider(this.#histograms);
    }
    this.#figures.fill(0, position * stride, (position + 1) * stride);
    this.#histograms.fill(0, position * bucketCount, (position + 1) * bucketCount);
    return position;
  }
}

function wider(from: Float64Array): Float64Array<ArrayBuffer> {
  const to = new Float64Array(from.length * 2);
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
