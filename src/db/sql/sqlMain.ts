import { createInterface } from 'node:readline';
import { installPaths } from '../../base/installPaths.ts';
import { StrobeError } from '../../model/errors.ts';
import { failureOf, type Failure, type Reply } from '../../model/failure.ts';
import { SessionTables } from '../reader/sessionTables.ts';
import { sessionMigrations } from '../sessionSchema.ts';
import { Sqlite, type ReadingStatement, type SqlValue } from '../sqlite.ts';
import type { SqlQuestion, SqlRows } from './sqlMessages.ts';
import { withKnownNames } from './knownNames.ts';
import { prepareNamed, readSorted } from './namedValues.ts';
import { sqlSchema } from './sqlSchema.ts';
import { defineCallers, defineSqlValues, defineWatchValues } from './sqlValues.ts';

/*
 * The process in which a client's SQL runs, a line of JSON per statement: it can be killed at any time. The
 * file is open for reading only, and no statement can load an extension; what is left to refuse are
 * statements that do something else than answer. `calls` and `events` are tables in C (native/sql).
 */

const MAX_BYTES = 4 << 20;
const SHOWN_BLOB = 64;
/** So much is sorted at once: with half of it, groups by time take an eighth longer; more gains nothing. */
const SORTED_KB = 32_000;

/** What begins a statement that only answers, behind blanks and remarks. */
const answers = /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:select|with|values|explain)\b/i;

async function main(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    let reply: Reply<SqlRows>;
    try {
      reply = { ok: true, answer: answer(readQuestion(JSON.parse(line))) };
    } catch (error) {
      reply = { ok: false, ...failure(error) };
    }
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- written by our own client.
function readQuestion(value: any): SqlQuestion {
  // oxlint-disable-next-line typescript/no-unsafe-return -- as above.
  return value;
}

function answer({ storePath, sql, params, limit }: SqlQuestion): SqlRows {
  if (!answers.test(sql)) {
    throw new StrobeError(
      'BAD_SQL',
      'Only SELECT, WITH, VALUES and EXPLAIN are answered.',
      sqlSchema,
    );
  }
  using asked = Sqlite.openReadonly(storePath, { migrations: sessionMigrations });
  using reading = Sqlite.openReadonly(storePath, { migrations: sessionMigrations });
  asked.loadExtension(installPaths().sqlTables);
  asked.exec(`PRAGMA cache_size = -${SORTED_KB}`);
  const tables = new SessionTables(reading);
  return asked.snapshot(() => {
    pin(asked);
    // Taken later, this picture has the values of each call of the other.
    return reading.snapshot(() => {
      tables.refresh();
      defineSqlValues(asked, tables);
      defineCallers(asked, tables);
      defineWatchValues(asked, tables);
      return readSorted(() =>
        rowsOf(
          withKnownNames(sql, (known) => prepareNamed(asked, known)),
          params,
          limit,
        ),
      );
    });
  });
}

/** A snapshot is taken when something is read. */
function pin(db: Sqlite): void {
  db.number('SELECT count(*) FROM summary');
}

function rowsOf(
  statement: ReadingStatement,
  params: SqlQuestion['params'],
  limit: number,
): SqlRows {
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
}

function plainCell(cell: SqlValue): string | number | null {
  if (Buffer.isBuffer(cell)) return `<${cell.length} bytes ${cell.toString('hex', 0, SHOWN_BLOB)}>`;
  return typeof cell === 'bigint' ? cell.toString() : cell;
}

/** Where the tables are not what helps. */
const hints = [
  [
    /named parameter|parameter values/,
    'params has a value for each ? of sql, in their order; names (:from, @from) are not filled.',
  ],
  [
    /more than one statement/,
    'Send one statement: WITH, UNION ALL and subqueries make one of several.',
  ],
] as const;

function failure(error: unknown): Failure {
  if (error instanceof StrobeError) return failureOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const [, hint = sqlSchema] = hints.find(([said]) => said.test(message)) ?? [];
  return { code: 'BAD_SQL', message: `SQLite says: ${message.replace(/\.$/, '')}.`, hint };
}

void main();
