import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { answered } from '../../../src/db/sql/answered.ts';
import { quicker } from '../../../src/db/sql/quicker.ts';
import { Sqlite, type SqlValue } from '../../../src/db/sqlite.ts';
import { packageRoot } from '../../support/strobe.ts';
import { plainTable } from './plainTable.ts';
import { RandomSession, TemporaryFolder } from './randomSession.ts';

/** Statements with what groups by expressions and counts distinct values, as agents write them. */
const expressions = [
  ...['timestamp_ns / 1000', 'timestamp_ns/1000000', 'timestamp_ns / 100', 'duration_ns/1000'],
  ...['CAST(timestamp_ns / 1e3 AS INTEGER)', 'round(timestamp_ns / 1e6, 1)', 'duration_ns % 7'],
  ...['timestamp_ns - timestamp_ns % 500', 'timestamp_ns - (timestamp_ns % 500)'],
  ...['(timestamp_ns - 100) / 300 * 300', 'floor(timestamp_ns / 250.0)', 'duration_ns / 20 * 20'],
  ...['duration_ns > 20', '(duration_ns > 20) AND depth < 3', 'NOT duration_ns', 'calls.depth + 1'],
  ...['duration_ns IS NULL', 'coalesce(duration_ns, -1) / 10', "printf('%d ns', duration_ns / 50)"],
  ...["substr(function_name, 1, instr(function_name, '::') - 1)", 'upper("module")', 'length(end)'],
  ...["function_name LIKE '%parse%'", 'source_file IS NULL', "thread_name || '/' || end"],
  ...["CASE WHEN duration_ns < 10 THEN '<10' WHEN duration_ns < 100 THEN '<100' ELSE 'more' END"],
  ...[
    "CASE end WHEN 'returned' THEN 1 ELSE end END",
    "CASE WHEN end = 'open' THEN NULL ELSE 0.5 END",
  ],
  ...['CAST(duration_ns / 7.0 AS INTEGER)', 'CAST(depth AS TEXT)', 'CAST(depth AS REAL) / 2'],
  // With numbers as text, which a column of numbers is compared with as numbers.
  ...["duration_ns > '20'", "depth IN ('1', '2')", "'3' = depth", "timestamp_ns / 1000 > '1'"],
  ...["CASE depth WHEN '1' THEN 'one' END", "duration_us < '1'", "max(depth, '2')"],
  ...["CAST(function_name AS TEXT) || ''", 'line_number IN (1, 10, 12)', 'depth BETWEEN 1 AND 2'],
  ...['duration_ns / 2.0', "iif(depth > 1, 'deep', pid)", 'thread_id % 2 = 0', "end <> 'returned'"],
  // Whole and floating numbers in one group: SQLite's own way.
  ...['CASE WHEN depth > 1 THEN 1 ELSE 1.0 END', 'max(depth, 1.5)'],
  // Not of the table.
  ...['id || 1', 'abs(parent_id IS NULL)', 'timestamp_ns % 1000', 'timestamp_ns + duration_ns'],
];
const aggregates = [
  ...['count(*)', 'sum(duration_ns)', 'max(timestamp_ns)', 'count(DISTINCT parent_id)'],
  ...['count(DISTINCT function_name)', 'count(DISTINCT duration_ns)', 'count(DISTINCT id)'],
  ...["count(DISTINCT thread_name) FILTER (WHERE end = 'returned')", 'count(DISTINCT depth / 2.0)'],
  ...['count(DISTINCT duration_ns / 3)', 'count( DISTINCT upper(module) )', 'min(function_name)'],
  ...[
    'count(DISTINCT function_name COLLATE NOCASE)',
    'sum(CASE WHEN end IS NULL THEN 1 ELSE 0 END)',
  ],
];
const conditions = [
  '',
  "WHERE end <> 'open'",
  'WHERE duration_ns > 5',
  "WHERE thread_name = 'main'",
  "WHERE duration_ns > '5'",
  "WHERE depth = '1' AND thread_id > '0'",
];

/** An expression by its place, by its name or once more. */
const statement = fc
  .record({
    by: fc.uniqueArray(fc.constantFrom(...expressions, 'function_name', 'end'), {
      minLength: 0,
      maxLength: 3,
    }),
    named: fc.array(fc.constantFrom('place', 'name', 'implicit', 'again'), {
      minLength: 3,
      maxLength: 3,
    }),
    aggregates: fc.uniqueArray(fc.constantFrom(...aggregates), { minLength: 1, maxLength: 3 }),
    where: fc.constantFrom(...conditions),
    ordered: fc.constantFrom('', 'ASC', 'DESC'),
    isDistinct: fc.boolean(),
    source: fc.constantFrom('calls', "calls('*')", 'calls AS calls', '"calls"'),
  })
  .map(({ by, named, aggregates: sums, where, ordered, isDistinct, source }) => {
    const items = by.map((one, i) => {
      if (named[i] === 'name') return `${one} AS n${i}`;
      return named[i] === 'implicit' ? `(${one}) n${i}` : one;
    });
    const term = (one: string, i: number): string => {
      if (named[i] === 'place') return String(i + 1);
      return named[i] === 'again' ? one : `n${i}`;
    };
    const group = by.length === 0 ? '' : `GROUP BY ${by.map(term).join(', ')}`;
    const order =
      by.length === 0 || ordered === ''
        ? ''
        : `ORDER BY ${by.map((_, i) => `${i + 1} ${ordered}`).join(', ')}`;
    if (isDistinct && by.length > 0) {
      const sql = `SELECT DISTINCT ${items.join(', ')} FROM ${source} ${where} ${order}`;
      return { sql, ordered: order === '' ? 0 : by.length };
    }
    return {
      sql: `SELECT ${[...items, ...sums].join(', ')} FROM ${source} ${where} ${group} ${order}`,
      ordered: order === '' ? 0 : by.length,
    };
  });

function rowsOf(db: Sqlite, sql: string): { columns: readonly string[]; rows: SqlValue[][] } {
  return answered(db, sql, (asked) => ({
    columns: asked.columns,
    rows: [...asked.iterate([])],
  }));
}

const shown = (rows: readonly SqlValue[][], count?: number): string[] =>
  rows.map((row) => JSON.stringify(row.slice(0, count)));

function opened(path: string): Sqlite {
  const db = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  db.loadExtension(join(packageRoot, 'dist', 'sql.so'));
  db.defineFunction('strobe_functions', () => Buffer.alloc(64, 1));
  return db;
}

test('[query.sql-tables] groups by expressions and distinct counts are what a plain table says', () => {
  let quick = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.constantFrom(0, 700_000, 2_000_000_000),
      fc.array(statement, { minLength: 20, maxLength: 20 }),
      (seed, pauseNs, statements) => {
        using folder = new TemporaryFolder();
        using session = new RandomSession(folder.file('s.db'), seed);
        for (let i = 0; i < 6; i++) {
          session.step(90);
          if (i % 2 === 0) session.commit();
          session.time += pauseNs;
        }
        session.commit();
        using plain = plainTable(folder.file('plain.db'), session.calls);
        for (const { sql, ordered } of statements) {
          using asked = opened(folder.file('s.db'));
          if (quicker(sql).length > 0) quick++;
          const found = rowsOf(asked, sql);
          const expected = rowsOf(plain, sql.replace("('*')", ' AS calls'));
          expect(found.columns, sql).toEqual(expected.columns);
          expect(shown(found.rows, ordered), sql).toEqual(shown(expected.rows, ordered));
          expect(shown(found.rows).toSorted(), sql).toEqual(shown(expected.rows).toSorted());
        }
      },
    ),
    { numRuns: 20 },
  );
  expect(quick).toBeGreaterThan(100);
});

describe('[query.sql-tables] of what is grouped by', () => {
  test.each([
    ['SELECT timestamp_ns/1000000 AS ms, count(*) FROM calls GROUP BY ms ORDER BY ms'],
    [
      'SELECT timestamp_ns/5000 AS t, function_name, count(*) FROM calls c GROUP BY t, c.function_name',
    ],
    ['SELECT DISTINCT function_name, duration_ns / 1000 FROM calls'],
    ['SELECT round(timestamp_ns/1e9, 1), count(*) FROM calls GROUP BY 1 ORDER BY 1 DESC'],
    [
      "SELECT CASE WHEN duration_ns < 50 THEN 'quick' ELSE 'slow' END AS b, avg(duration_ns) FROM calls WHERE depth > 0 GROUP BY b",
    ],
    [
      "SELECT n, total FROM (SELECT substr(function_name, 1, 4) AS n, sum(duration_ns) AS total FROM calls GROUP BY n) WHERE n <> 'x'",
    ],
    [
      "WITH slow AS (SELECT c.duration_ns/1000 us, count(*) n FROM calls('bank::*', 0, 5e9) AS c GROUP BY us) SELECT max(n) FROM slow",
    ],
  ])('SQLite sorts nothing: %s', (sql) => {
    using folder = new TemporaryFolder();
    using session = new RandomSession(folder.file('s.db'), 7);
    session.stepAndCommit(3, 90);
    using asked = opened(folder.file('s.db'));
    // Defines the columns that the plan is of.
    rowsOf(asked, sql);
    const written = `EXPLAIN QUERY PLAN ${quicker(sql)[0]?.sql}`;
    expect(shown([...asked.prepareReading(written).iterate([])]).join()).not.toContain('TEMP');
  });

  test.each([
    [
      'a join',
      'SELECT c.duration_ns/1000, count(*) FROM calls c JOIN calls p ON p.id = c.parent_id GROUP BY 1',
    ],
    ['another table', 'SELECT time_ns/1000, count(*) FROM output GROUP BY 1'],
    [
      'a table of that name',
      'WITH calls AS (SELECT 1 AS duration_ns) SELECT duration_ns/1000, count(*) FROM calls GROUP BY 1',
    ],
    ['a parameter', 'SELECT duration_ns / ?, count(*) FROM calls GROUP BY 1'],
    ['a subquery', 'SELECT duration_ns > (SELECT 1), count(*) FROM calls GROUP BY 1'],
    ['the greatest of all', 'SELECT DISTINCT max(duration_ns) FROM calls'],
    ['the least of all', 'SELECT DISTINCT min(abs(depth)) + 1, max(depth, 2) FROM calls'],
    ['a collation', 'SELECT upper(function_name) COLLATE NOCASE, count(*) FROM calls GROUP BY 1'],
    ['what watches saw', 'SELECT watch_values, count(*) FROM calls GROUP BY 1'],
    ['a column', 'SELECT duration_ns AS us, count(*) FROM calls GROUP BY us'],
    ['all columns', 'SELECT *, duration_ns/1000 FROM calls GROUP BY 1'],
    ['an explanation', 'EXPLAIN SELECT duration_ns/1000, count(*) FROM calls GROUP BY 1'],
  ])('%s leaves the statement as it is', (_, sql) => {
    expect(quicker(sql)).toEqual([]);
  });

  test('an expression that a client defines is evaluated, and nothing else is done', () => {
    using folder = new TemporaryFolder();
    using session = new RandomSession(folder.file('s.db'), 7);
    session.stepAndCommit(3, 90);
    using asked = opened(folder.file('s.db'));
    const harm = `ATTACH '${folder.file('other.db')}' AS other`;
    const define = (sql: string): unknown =>
      asked.prepare<[string]>("SELECT strobe_compute(0, ?, 0, 'depth')").get(sql);
    const groups = 'SELECT computed_0, count(*) FROM calls GROUP BY 1';
    define(harm);
    expect(() => rowsOf(asked, groups)).toThrow();
    define(`1); ${harm}; SELECT (2`);
    expect(rowsOf(asked, groups).rows).toHaveLength(1);
    expect(shown(rowsOf(asked, 'SELECT name FROM pragma_database_list').rows)).toEqual([
      '["main"]',
    ]);
  });

  test('distinct ids are counted by number where they are of the calls alone', () => {
    expect(quicker('SELECT count(DISTINCT id) FROM calls')[0]?.sql).toBe(
      'SELECT strobe_count_distinct(call_number) FROM calls',
    );
    expect(
      quicker('SELECT (SELECT count(DISTINCT id) FROM output), count(*) FROM calls')[0]?.sql,
    ).toBe('SELECT (SELECT strobe_count_distinct(id) FROM output), count(*) FROM calls');
  });
});
