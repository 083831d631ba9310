import type { SessionNs } from '../../model/ids.ts';
import type { Sqlite, Statement } from '../sqlite.ts';

interface LifeRow {
  readonly id: number;
  readonly kind: string;
  readonly pid: number;
  readonly time: number;
}

/** What was called before does not return any more. */
const ends: ReadonlySet<string> = new Set(['exited', 'gone', 'exec']);

/** When processes ended, or began to run another program. */
export class ProcessEnds {
  readonly #rows: Statement<[after: number], LifeRow>;
  /** Ascending; several processes may have had a pid one after the other. */
  readonly #times = new Map<number, SessionNs[]>();
  #read = 0;

  constructor(db: Sqlite) {
    this.#rows = db.prepare(
      `SELECT id, json ->> 'kind' AS kind, json ->> 'pid' AS pid, json ->> 'time' AS time
       FROM life WHERE id > ? ORDER BY id`,
    );
  }

  /** The first such time of a process after another; null: there is none. */
  after(pid: number, time: SessionNs): SessionNs | null {
    for (const row of this.#rows.all(this.#read)) {
      this.#read = row.id;
      if (!ends.has(row.kind)) continue;
      const times = this.#times.get(row.pid);
      if (times) times.push(row.time);
      else this.#times.set(row.pid, [row.time]);
    }
    return this.#times.get(pid)?.find((end) => end > time) ?? null;
  }
}
