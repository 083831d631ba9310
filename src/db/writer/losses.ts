import type { SessionNs } from '../../model/ids.ts';
import type { LossCause } from '../../model/loss.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

interface LossSince {
  readonly cause: LossCause;
  readonly thread: number | null;
  readonly time: SessionNs;
  count: number;
}

/** What is missing, by cause; one row per cause, thread and commit. */
export class Losses {
  readonly #insert: Statement<[time: number, cause: string, count: number, thread: number | null]>;
  readonly #since = new Map<string, LossSince>();
  readonly byCause: Partial<Record<LossCause, number>> = {};

  constructor(db: Sqlite) {
    this.#insert = db.prepare(
      'INSERT INTO losses (time_ns, cause, count, thread) VALUES (?, ?, ?, ?)',
    );
  }

  /** Goes on from the sums of an earlier writer. */
  continue(byCause: Readonly<Partial<Record<LossCause, number>>>): void {
    Object.assign(this.byCause, byCause);
  }

  add(cause: LossCause, count: number, time: SessionNs, thread: number | null): void {
    if (count <= 0) return;
    this.byCause[cause] = (this.byCause[cause] ?? 0) + count;
    const key = `${cause} ${thread}`;
    const known = this.#since.get(key);
    if (known) known.count += count;
    else this.#since.set(key, { cause, thread, time, count });
  }

  write(): void {
    for (const { cause, thread, time, count } of this.#since.values()) {
      this.#insert.run(time, cause, count, thread);
    }
    this.#since.clear();
  }
}
