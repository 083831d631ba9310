import { StrobeError } from '../../model/errors.ts';
import type { OutputLine } from '../../model/output.ts';
import type { OutputPage, OutputQuery } from '../../model/query.ts';
import type { SqlValue } from '../sqlite.ts';
import type { SessionTables } from './sessionTables.ts';
import { containsTest, regexTest, type TextTest } from './textFilter.ts';
import type { OutputRow } from './timedRows.ts';

interface Place {
  readonly time: number;
  readonly id: number;
}

/**
 * Lines of output in order of time (model/query.ts). `tail` means the last lines of all that
 * fit, and has no cursor. Inside a snapshot.
 */
export function queryOutput(tables: SessionTables, query: OutputQuery): OutputPage {
  const after = query.cursor === null ? null : readPlace(query.cursor);
  const test = query.match === null || isPlainPart(query.match) ? null : matchTest(query.match);
  const { where, values } = conditions(query);
  const tail = query.tail === null ? null : Math.min(query.tail, query.limit);
  const { db } = tables;
  if (!test) {
    const count = db.prepare<SqlValue[], { n: number }>(
      `SELECT count(*) AS n FROM output WHERE ${where}`,
    );
    const total = count.get(...values)?.n ?? 0;
    if (tail !== null) {
      const sql = `SELECT * FROM output WHERE ${where} ORDER BY time_ns DESC, id DESC LIMIT ?`;
      const rows = db.prepare<SqlValue[], OutputRow>(sql).all(...values, tail);
      return page(rows.toReversed(), false, total);
    }
    const place = after ?? { time: -1, id: -1 };
    const sql = `SELECT * FROM output WHERE ${where} AND (time_ns > ? OR (time_ns = ? AND id > ?))
      AND time_ns >= ? ORDER BY time_ns, id LIMIT ?`;
    const rows = db
      .prepare<SqlValue[], OutputRow>(sql)
      .all(...values, place.time, place.time, place.id, place.time, query.limit + 1);
    return page(rows.slice(0, query.limit), rows.length > query.limit, total);
  }
  const sql = `SELECT * FROM output WHERE ${where} ORDER BY time_ns, id`;
  return scan(db.prepare<SqlValue[], OutputRow>(sql).iterate(...values), {
    test,
    after,
    tail,
    query,
  });
}

interface Scan {
  readonly test: TextTest;
  readonly after: Place | null;
  readonly tail: number | null;
  readonly query: OutputQuery;
}

function scan(rows: Iterable<OutputRow>, { test, after, tail, query }: Scan): OutputPage {
  let total = 0;
  let hasMore = false;
  let found: OutputRow[] = [];
  for (const row of rows) {
    if (!test(row.text)) continue;
    total++;
    if (tail !== null) {
      found.push(row);
      if (found.length >= tail * 2 + 64) found = found.slice(-tail || found.length);
    } else if (
      after === null ||
      row.time_ns > after.time ||
      (row.time_ns === after.time && row.id > after.id)
    ) {
      if (found.length < query.limit) found.push(row);
      else hasMore = true;
    }
  }
  if (tail !== null) return page(tail === 0 ? [] : found.slice(-tail), false, total);
  return page(found, hasMore, total);
}

function conditions(query: OutputQuery): { where: string; values: SqlValue[] } {
  const parts = ['time_ns <= ?'];
  const values: SqlValue[] = [Math.min(query.until, query.timeTo ?? Number.MAX_SAFE_INTEGER)];
  const add = (sql: string, value: SqlValue): void => {
    parts.push(sql);
    values.push(value);
  };
  if (query.timeFrom !== null) add('time_ns >= ?', query.timeFrom);
  if (query.stream !== null) add('stream = ?', query.stream === 'stdout' ? 1 : 2);
  if (query.pid !== null) add('pid = ?', query.pid);
  if (query.match !== null && isPlainPart(query.match)) {
    add("text LIKE ? ESCAPE '\\'", `%${query.match.replaceAll(/[\\%_]/g, '\\$&')}%`);
  }
  return { where: parts.join(' AND '), values };
}

/** SQLite compares ASCII letters whatever their case; other letters are compared here. */
function isPlainPart(match: string): boolean {
  return /^[ -~]*$/.test(match) && !/^\/.+\/$/.test(match);
}

/** `/re/` is a regular expression, anything else a part of the line, whatever the case. */
function matchTest(match: string): TextTest {
  const found = /^\/(.+)\/$/s.exec(match);
  return found ? regexTest(found[1] ?? '') : containsTest(match);
}

function page(rows: readonly OutputRow[], hasMore: boolean, total: number): OutputPage {
  const cursors = rows.map((row) => `o${row.time_ns}.${row.id}`);
  return {
    lines: rows.map(toLine),
    cursors,
    cursor: hasMore ? (cursors.at(-1) ?? null) : null,
    hasMore,
    total,
  };
}

function toLine(row: OutputRow): OutputLine {
  return {
    id: row.id,
    time: row.time_ns,
    stream: row.stream === 1 ? 'stdout' : 'stderr',
    pid: row.pid,
    text: row.text,
    bytes: row.bytes ? new Uint8Array(row.bytes) : null,
  };
}

function readPlace(cursor: string): Place {
  const found = /^o(\d{1,17})\.(\d{1,15})$/.exec(cursor);
  if (!found) throw new StrobeError('BAD_CURSOR', 'The cursor is not one of an output query.');
  return { time: Number(found[1]), id: Number(found[2]) };
}
