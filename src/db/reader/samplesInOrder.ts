import type { SessionTables } from './sessionTables.ts';
import type { SampleRow, StoredSamples } from './storedWatches.ts';

/** One sample, by its place. */
export interface Sample {
  readonly from: StoredSamples;
  readonly at: number;
  readonly time: number;
}

/** Where one thread's samples stand. */
interface Head {
  readonly rows: SampleRow[];
  row: number;
  /** What `rows[row]` holds; null: it was not read yet. */
  samples: StoredSamples | null;
  at: number;
}

/** Samples of all threads, or of one, in the order of time, up to `to`; those before `from` may be among them. */
export function* samplesInOrder(
  { watches }: SessionTables,
  from: number,
  to: number,
  thread: number | null = null,
): Iterable<Sample> {
  const heads = new Map<number, Head>();
  for (const row of watches.between(from, to)) {
    if (thread !== null && row.thread !== thread) continue;
    const known = heads.get(row.thread);
    if (known) known.rows.push(row);
    else heads.set(row.thread, { rows: [row], row: 0, samples: null, at: 0 });
  }
  for (;;) {
    let next: Head | null = null;
    let time = Infinity;
    for (const head of heads.values()) {
      const own = timeOf(head);
      if (own >= time) continue;
      next = head;
      time = own;
    }
    if (!next || time > to) return;
    const row = next.rows[next.row];
    if (!row) return;
    next.samples ??= watches.read(row);
    yield { from: next.samples, at: next.at, time };
    next.at++;
    if (next.at < next.samples.count) continue;
    next.row++;
    next.samples = null;
    next.at = 0;
  }
}

/** A row is read when its first sample is the next: there may be more of them than memory holds. */
function timeOf({ rows, row, samples, at }: Head): number {
  return samples ? (samples.time[at] ?? Infinity) : (rows[row]?.start_ns ?? Infinity);
}
