import { Sqlite, type SqlValue } from '../../../src/db/sqlite.ts';
import type { KnownCall } from './randomSession.ts';

export const columns = [
  'id',
  'parent_id',
  'function_name',
  'signature',
  'module',
  'source_file',
  'line_number',
  'thread_id',
  'thread_name',
  'pid',
  'depth',
  'timestamp_ns',
  'duration_ns',
  'end',
] as const;

const whole = new Set(
  columns.filter((name) => /^(?:line_number|thread_id|pid|depth|.*_ns)$/.test(name)),
);

/** Times in larger units, whole numbers: columns that `SELECT *` leaves out. */
export const units = {
  timestamp_us: 'timestamp_ns / 1000',
  timestamp_ms: 'timestamp_ns / 1000000',
  timestamp_s: 'timestamp_ns / 1000000000',
  duration_us: 'duration_ns / 1000',
  duration_ms: 'duration_ns / 1000000',
} as const;

export function idOf({ thread }: KnownCall, ordinal: number): string | null {
  return ordinal < 0 ? null : `c${thread.key}.${ordinal}`;
}

function rowOf(call: KnownCall): SqlValue[] {
  const { name, signature, module, file, line } = call.function;
  return [
    idOf(call, call.ordinal),
    idOf(call, call.parent),
    name,
    signature,
    module,
    file,
    line,
    call.thread.tid,
    call.thread.name,
    call.thread.pid,
    call.depth,
    call.start,
    call.durationNs,
    call.end,
  ];
}

/** The same calls as rows of a plain table: what SQLite says of it is right. */
export function plainTable(path: string, calls: readonly KnownCall[]): Sqlite {
  const own = columns.map((name) => (whole.has(name) ? `${name} INTEGER` : name));
  const inUnits = Object.entries(units).map(([name, of]) => `${name} INTEGER AS (${of})`);
  const made = `CREATE TABLE calls (${[...own, ...inUnits].join(', ')})`;
  const db = Sqlite.open(path, { migrations: [made] });
  const insert = db.prepare<SqlValue[]>(
    `INSERT INTO calls (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for (const call of calls) {
    // Numbers of JavaScript are bound as floating ones.
    insert.run(...rowOf(call).map((cell) => (typeof cell === 'number' ? BigInt(cell) : cell)));
  }
  return db;
}
