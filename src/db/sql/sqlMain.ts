import { readFileSync } from 'node:fs';
import { StrobeError } from '../../model/errors.ts';
import { SessionTables } from '../reader/sessionTables.ts';
import { sessionMigrations } from '../sessionSchema.ts';
import { Sqlite, type SqlValue } from '../sqlite.ts';
import type { SqlQuestion, SqlReply, SqlRows } from './sqlMessages.ts';
import { callsTable, eventsTable, sqlSchema } from './sqlTables.ts';

/*
 * The process in which a client's SQL runs, one statement each: it can be killed at any time. The
 * file is open for reading only, and the library loads no extensions; what is left to refuse are
 * statements that do something else than answer.
 */

const MAX_BYTES = 4 << 20;
const SHOWN_BLOB = 64;

function main(): void {
  const question = readQuestion(JSON.parse(readFileSync(0, 'utf8')));
  let reply: SqlReply;
  try {
    reply = { ok: true, answer: answer(question) };
  } catch (error) {
    reply = failure(error);
  }
  process.stdout.write(JSON.stringify(reply));
}

// oxlint-disable-next-line typescript/no-explicit-any -- written by our own client.
function readQuestion(value: any): SqlQuestion {
  // oxlint-disable-next-line typescript/no-unsafe-return -- as above.
  return value;
}

function answer({ storePath, sql, params, limit }: SqlQuestion): SqlRows {
  if (!/^\s*(?:select|with|values|explain)\b/i.test(sql)) {
    throw new StrobeError(
      'BAD_SQL',
      'Only SELECT, WITH, VALUES and EXPLAIN are answered.',
      sqlSchema,
    );
  }
  using reading = Sqlite.openReadonly(storePath, { migrations: sessionMigrations });
  using asked = Sqlite.openReadonly(storePath, { migrations: sessionMigrations });
  const tables = new SessionTables(reading);
  const withValues = /\barguments\b|\breturn_value\b|\*/i.test(
    sql.replace(/count\s*\(\s*\*\s*\)/gi, ''),
  );
  return reading.snapshot(() => {
    tables.refresh();
    asked.defineTable('calls', callsTable(tables, withValues));
    asked.defineTable('events', eventsTable(tables, withValues));
    const statement = asked.prepareReading(sql);
    const rows: (string | number | null)[][] = [];
    let bytes = 0;
    for (const row of statement.iterate(params)) {
      if (rows.length >= limit || bytes > MAX_BYTES) {
        return { columns: statement.columns, rows, hasMore: true };
      }
      const shown = row.map(plainCell);
      for (const cell of shown) bytes += typeof cell === 'string' ? cell.length : 8;
      rows.push(shown);
    }
    return { columns: statement.columns, rows, hasMore: false };
  });
}

function plainCell(cell: SqlValue): string | number | null {
  if (Buffer.isBuffer(cell)) return `<${cell.length} bytes ${cell.toString('hex', 0, SHOWN_BLOB)}>`;
  return typeof cell === 'bigint' ? cell.toString() : cell;
}

function failure(error: unknown): SqlReply {
  if (error instanceof StrobeError) {
    return { ok: false, code: error.code, message: error.message, hint: error.hint };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, code: 'BAD_SQL', message: `SQLite says: ${message}.`, hint: sqlSchema };
}

main();
