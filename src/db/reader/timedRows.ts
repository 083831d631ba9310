import { faultOf } from '../../model/endings/crashReport.ts';
import type { EventView } from '../../model/questions/eventView.ts';
import type { EventType } from '../../model/questions/query.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import { lossCauses } from '../../model/loss.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';
import { storedJson } from '../storedJson.ts';
import type { CallPlan } from './filter/callFilter.ts';
import { ranks, type Position } from './positions.ts';
import { ownReport } from './sessionTables.ts';
import { ftsQuery, fitsWords } from './filter/words.ts';

/** An event that is a row of its own, with its place in the order. */
export interface TimedRow {
  readonly position: Position;
  readonly view: EventView;
}

interface Window {
  readonly from: number;
  readonly to: number;
  /** Only what comes after it. */
  readonly after: Position;
}

export interface OutputRow {
  readonly id: number;
  readonly time_ns: number;
  readonly stream: number;
  readonly pid: number;
  readonly text: string;
  readonly bytes: Buffer | null;
}

/** A fact of the target's life, an exception or a crash. */
interface FactRow {
  readonly id: number;
  readonly time_ns: number;
  readonly pid: number;
  readonly text: string;
  /** Of an exception or a crash. */
  readonly json: string | null;
}

const factTypes = ['process', 'exception', 'crash'] as const;
type FactType = (typeof factTypes)[number];
const factTables: Readonly<Record<FactType, string>> = {
  process: 'processes',
  exception: 'exceptions',
  crash: 'crashes',
};

interface LossRow {
  readonly id: number;
  readonly time_ns: number;
  readonly cause: string;
  readonly count: number;
  readonly thread: number | null;
}

/** A WHERE clause and what is bound to it. */
interface Clause {
  readonly sql: string;
  readonly values: SqlValue[];
}

/** Lines of output, facts of processes and losses that pass a plan. */
export class TimedRows {
  readonly #db: Sqlite;
  readonly #plan: CallPlan;
  readonly #window: Window;
  readonly #types: ReadonlySet<EventType>;
  readonly #pidOf: (thread: number) => number;

  constructor(
    db: Sqlite,
    plan: CallPlan,
    window: Window,
    types: ReadonlySet<EventType>,
    pidOf: (thread: number) => number,
  ) {
    this.#db = db;
    this.#plan = plan;
    this.#window = window;
    this.#types = types;
    this.#pidOf = pidOf;
  }

  /** The first `limit` of each kind, in order of time. */
  read(limit: number): TimedRow[] {
    return [
      ...this.#output(limit),
      ...this.#facts('process', limit),
      ...this.#facts('exception', limit),
      ...this.#facts('crash', limit),
      ...this.#losses(limit),
    ];
  }

  count(): number {
    const output = this.#outputClause();
    let count = 0;
    if (output) {
      const sql = `SELECT count(*) AS n FROM output WHERE ${output.sql}`;
      count += this.#db.prepared<SqlValue[], { n: number }>(sql).get(...output.values)?.n ?? 0;
    }
    // There are few of these: reading them is as fast as counting.
    const facts = factTypes.reduce((sum, type) => sum + this.#facts(type, null).length, 0);
    return count + facts + this.#losses(null).length;
  }

  #output(limit: number): TimedRow[] {
    const clause = this.#outputClause();
    if (!clause) return [];
    const sql = `SELECT id, time_ns, stream, pid, text, bytes FROM output
      WHERE ${clause.sql} ORDER BY time_ns, id LIMIT ?`;
    const rows = this.#db.prepared<SqlValue[], OutputRow>(sql).all(...clause.values, limit);
    return rows.map((row) => ({
      position: { time: row.time_ns, rank: ranks.output, thread: 0, ordinal: row.id },
      view: {
        type: row.stream === 1 ? 'stdout' : 'stderr',
        time: row.time_ns,
        id: `o${row.id}`,
        pid: row.pid,
        text: row.text,
        base64: row.bytes?.toString('base64') ?? null,
      },
    }));
  }

  #outputClause(): Clause | null {
    const stdout = this.#types.has('stdout');
    const stderr = this.#types.has('stderr');
    if (!this.#plan.takesOutput || (!stdout && !stderr)) return null;
    const { sql, values } = this.#windowClause(ranks.output);
    const parts = [sql];
    if (!stdout || !stderr) parts.push(`stream = ${stdout ? 1 : 2}`);
    if (this.#plan.pid !== null) {
      parts.push('pid = ?');
      values.push(this.#plan.pid);
    }
    if (this.#plan.text) {
      parts.push('id IN (SELECT rowid FROM output_text WHERE output_text MATCH ?)');
      values.push(ftsQuery(this.#plan.text.words));
    }
    return { sql: parts.join(' AND '), values };
  }

  #facts(type: FactType, limit: number | null): TimedRow[] {
    if (!this.#plan.takesOutput || !this.#types.has(type)) return [];
    const { sql, values } = this.#windowClause(ranks[type]);
    const table = factTables[type];
    const rows = this.#db
      .prepared<SqlValue[], FactRow>(
        `SELECT id, time_ns, pid, text, ${type === 'process' ? 'NULL AS json' : 'json'} FROM ${table} WHERE ${sql} ORDER BY time_ns, id LIMIT ?`,
      )
      .all(...values, -1);
    const { pid, text } = this.#plan;
    return rows
      .filter((row) => pid === null || row.pid === pid)
      .filter((row) => !text || fitsWords(row.text, text.words))
      .slice(0, limit ?? rows.length)
      .map((row) => ({
        position: { time: row.time_ns, rank: ranks[type], thread: 0, ordinal: row.id },
        view: factView(type, row),
      }));
  }

  #losses(limit: number | null): TimedRow[] {
    if (!this.#types.has('loss') || !this.#takesLosses()) return [];
    const { sql, values } = this.#windowClause(ranks.loss);
    const rows = this.#db
      .prepared<SqlValue[], LossRow>(
        `SELECT id, time_ns, cause, count, thread FROM losses WHERE ${sql} ORDER BY time_ns, id`,
      )
      .all(...values);
    return rows
      .filter((row) => this.#takesLoss(row))
      .slice(0, limit ?? rows.length)
      .map((row) => ({
        position: { time: row.time_ns, rank: ranks.loss, thread: 0, ordinal: row.id },
        view: { type: 'loss', time: row.time_ns, text: causeText(row.cause), count: row.count },
      }));
  }

  /** What is missing may have been any call: only time, thread and process tell it apart. */
  #takesLosses(): boolean {
    const { functions, minDurationNs, sets, text } = this.#plan;
    return functions === null && minDurationNs <= 0 && sets.length === 0 && text === null;
  }

  #takesLoss(row: LossRow): boolean {
    const { threads, pid } = this.#plan;
    if (row.thread === null) return threads === null;
    if (threads && !threads.has(row.thread)) return false;
    return pid === null || this.#pidOf(row.thread) === pid;
  }

  #windowClause(rank: number): Clause {
    const { from, to, after } = this.#window;
    const least = Math.max(from, after.time);
    const most = Math.min(to, Number.MAX_SAFE_INTEGER);
    const values: SqlValue[] = [least, most];
    const sql = 'time_ns >= ? AND time_ns <= ?';
    if (rank > after.rank) return { sql, values };
    if (rank < after.rank)
      return { sql: `${sql} AND time_ns > ?`, values: [...values, after.time] };
    return {
      sql: `${sql} AND (time_ns > ? OR id > ?)`,
      values: [...values, after.time, after.ordinal],
    };
  }
}

function factView(type: FactType, row: FactRow): EventView {
  const view = { time: row.time_ns, pid: row.pid, text: row.text };
  switch (type) {
    case 'process':
      return { type, ...view };
    case 'crash':
      return { type, ...view, fault: faultOf(ownReport(row.json ?? '')) };
    case 'exception':
      return { type, ...view, exception: ownException(row.json ?? '') };
  }
}

/** Written by the same version, in `SessionWriter.appendException`. */
function ownException(json: string): RaisedException {
  return storedJson<RaisedException>(json, { frames: 'array', end: 'object' });
}

function causeText(cause: string): string {
  for (const [name, text] of Object.entries(lossCauses)) if (name === cause) return text;
  return cause;
}
