import { StrobeError } from '../../../model/errors.ts';
import type { OutputLine } from '../../../model/outputRecord.ts';
import type { OutputPage, OutputQuery } from '../../../model/questions/query.ts';
import type { SqlValue } from '../../sqlite.ts';
import type { SessionTables } from '../sessionTables.ts';
import { containsTest, regexPlace, regexTest, type TextTest } from '../filter/textFilter.ts';
import type { OutputRow } from '../timedRows.ts';

interface Place {
  readonly time: number;
  readonly id: number;
}

/**
 * Lines of output in order of time (model/query.ts). `tail` means the last lines of all that
 * fit, and has no cursor. Inside a snapshot.
 */
export function queryOutput(tables: SessionTables, query: OutputQuery): OutputPage {
  return withPlaces(foundLines(tables, query), query.match);
}

function foundLines(tables: SessionTables, query: OutputQuery): OutputPage {
  const after = query.cursor === null ? null : readPlace(query.cursor);
  const isPlain = query.match === null || isPlainPart(query.match);
  const partly = (query.since?.unfinished ?? []).length > 0;
  const test = isPlain && !partly ? null : query.match === null ? all : matchTest(query.match);
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
  const shown = new Map(query.since?.unfinished.map(({ id, length }) => [id, length]));
  for (const whole of rows) {
    const row = restOf(whole, shown.get(whole.id) ?? 0);
    if (row === null || !test(row.text)) continue;
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

/** What was added to a line since so many characters of it were shown; null: nothing. */
function restOf(row: OutputRow, shown: number): OutputRow | null {
  if (shown === 0) return row;
  if (row.text.length <= shown) return null;
  // Bytes that are no text are not cut: what was shown of them may have ended within a character.
  return row.bytes === null ? { ...row, text: row.text.slice(shown) } : row;
}

function all(): boolean {
  return true;
}

function conditions(query: OutputQuery): { where: string; values: SqlValue[] } {
  const parts = ['time_ns <= ?'];
  const values: SqlValue[] = [Math.min(query.until, query.timeTo ?? Number.MAX_SAFE_INTEGER)];
  const add = (sql: string, value: SqlValue): void => {
    parts.push(sql);
    values.push(value);
  };
  if (query.timeFrom !== null) add('time_ns >= ?', query.timeFrom);
  if (query.since) {
    const { time, unfinished } = query.since;
    parts.push(`(time_ns > ? OR id IN (${unfinished.map(() => '?').join()}))`);
    values.push(time, ...unfinished.map(({ id }) => id));
  }
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
  const regex = regexOf(match);
  return regex === null ? containsTest(match) : regexTest(regex);
}

function regexOf(match: string): string | null {
  return /^\/(.+)\/$/s.exec(match)?.[1] ?? null;
}

/** Lines that are shown whole need no place. */
const LONG_LINE = 200;

/** Tells of each long line where the match begins. */
function withPlaces(found: OutputPage, match: string | null): OutputPage {
  if (match === null || found.lines.every(({ text }) => text.length <= LONG_LINE)) return found;
  const regex = regexOf(match);
  const lower = match.toLowerCase();
  const place =
    regex === null ? (text: string) => text.toLowerCase().indexOf(lower) : regexPlace(regex);
  const lines = found.lines.map((line) => {
    const at = line.text.length <= LONG_LINE ? -1 : place(line.text);
    return at > 0 ? { ...line, foundAt: at } : line;
  });
  return { ...found, lines };
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
