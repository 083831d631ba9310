import type { SessionNs } from '../../model/ids.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

interface EndRow {
  readonly id: number;
  readonly pid: number;
  readonly time: number;
}

/** When processes ended, or began to run another program: what was called before does not return any more. */
export class ProcessEnds {
  readonly #rows: Statement<[after: number], EndRow>;
  /** Ascending, by pid, which processes may have one after the other. */
  readonly #times = new Map<number, SessionNs[]>();
  #read = 0;

  constructor(db: Sqlite) {
    this.#rows = db.prepare(
      `SELECT id, json ->> 'pid' AS pid, json ->> 'time' AS time FROM life
       WHERE id > ? AND json ->> 'kind' IN ('exited', 'gone', 'exec') ORDER BY id`,
    );
  }

  /** The first such time of a process after another; null: there is none. */
  after(pid: number, time: SessionNs): SessionNs | null {
    for (const row of this.#rows.all(this.#read)) {
      this.#times.set(row.pid, [...(this.#times.get(row.pid) ?? []), row.time]);
      this.#read = row.id;
    }
    return this.#times.get(pid)?.find((end) => end > time) ?? null;
  }
}
