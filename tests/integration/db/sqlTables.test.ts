import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { Sqlite, type SqlValue } from '../../../src/db/sqlite.ts';
import { columns, idOf, plainTable, units } from './plainTable.ts';
import { functions, RandomSession, TemporaryFolder } from './randomSession.ts';
import { sqlTables } from './sqlTables.ts';

function answerOf(db: Sqlite, sql: string, params: readonly SqlValue[]): string[] {
  return shown(rowsOf(db, sql, params));
}

function rowsOf(db: Sqlite, sql: string, params: readonly SqlValue[]): SqlValue[][] {
  return [...db.prepareReading(sql).iterate(params)];
}

/** Rows as texts, of their first columns alone where a count is given. */
function shown(rows: readonly SqlValue[][], count?: number): string[] {
  return rows.map((row) => JSON.stringify(row.slice(0, count)));
}

const texts = [
  'function_name',
  'signature',
  'module',
  'source_file',
  'thread_name',
  'id',
  'parent_id',
];
const numbers = ['thread_id', 'pid', 'timestamp_ns', 'duration_ns', 'depth', 'line_number'];
const words = [
  ...functions.map(({ name }) => name),
  'main',
  'worker-1',
  'c1.3',
  'c2.0',
  'c1.40',
  'c01.3',
  'c9.1',
  '/usr/bin/app',
  '%Draw%',
  'bank::*',
  '',
  '7',
];

/** A condition with its parameter. */
const condition = (most: number): fc.Arbitrary<{ sql: string; param: SqlValue }> => {
  const number = fc.oneof(
    fc.integer({ min: -2, max: 12 }).map(BigInt),
    fc.integer({ min: 99, max: 1004 }).map(BigInt),
    fc.integer({ min: 0, max: Math.ceil(most) }).map(BigInt),
    fc.integer({ min: 0, max: Math.ceil(most) }).map((whole) => whole + 0.5),
  );
  const value = fc.oneof(
    { weight: 8, arbitrary: number },
    { weight: 1, arbitrary: fc.constantFrom<SqlValue>(null, 'x', '5', '40.5', ' 1e2 ') },
  );
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<SqlValue>(...words) },
    { weight: 1, arbitrary: fc.constantFrom<SqlValue>(null, 7) },
  );
  const compared = fc.constantFrom('=', '<', '<=', '>', '>=', 'IS NOT');
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...numbers), compared, value)
      .map(([column, operator, param]) => ({ sql: `${column} ${operator} ?`, param })),
    fc
      .tuple(fc.constantFrom(...texts), fc.constantFrom('=', 'LIKE', 'GLOB', '<>', 'IS'), text)
      .map(([column, operator, param]) => ({ sql: `${column} ${operator} ?`, param })),
    text.map((param) => ({ sql: "function_name IN (?, 'net::parse_all2')", param })),
    text.map((param) => ({ sql: '(function_name = ? OR duration_ns > 40)', param })),
    text.map((param) => ({ sql: 'function_name = ? COLLATE NOCASE', param })),
  );
};

/** The first ones are given in order by slices of blocks, the others by rows. */
const groups = [
  'function_name',
  'thread_name',
  'module',
  'source_file',
  'line_number',
  'thread_id',
  'pid',
  'end',
  'depth',
  'timestamp_ns',
  'duration_ns',
  'parent_id',
  ...Object.keys(units),
];

/** `ordered`: so many columns, the first, come in an order. */
const shape = fc.oneof(
  fc.constant({ select: columns.join(', '), after: '', ordered: 0 }),
  fc.uniqueArray(fc.constantFrom(...groups), { minLength: 1, maxLength: 2 }).map((by) => ({
    select: `DISTINCT ${by.join(', ')}`,
    after: '',
    ordered: 0,
  })),
  fc.uniqueArray(fc.constantFrom(...groups), { minLength: 1, maxLength: 2 }).map((by) => ({
    select: `DISTINCT ${by.join(', ')}`,
    after: `ORDER BY ${by.join(' DESC, ')}`,
    ordered: by.length,
  })),
  fc.uniqueArray(fc.constantFrom(...groups), { minLength: 1, maxLength: 3 }).map((by) => ({
    select: `${by.join(', ')}, count(*), sum(duration_ns), min(timestamp_ns)`,
    after: `GROUP BY ${by.join(', ')}`,
    ordered: 0,
  })),
  fc
    .array(fc.tuple(fc.constantFrom(...groups), fc.constantFrom('ASC', 'DESC')), {
      minLength: 1,
      maxLength: 3,
    })
    .map((by) => ({
      select: [...by.map(([column]) => column), ...columns].join(', '),
      after: `ORDER BY ${by.map((term) => term.join(' ')).join(', ')}`,
      ordered: by.length,
    })),
);

test('[query.sql-tables] any condition, group and order answers what a plain table answers', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.constantFrom(0, 700_000, 2_000_000_000, 2 ** 40),
      fc.array(fc.tuple(shape, fc.array(condition(3000), { maxLength: 3 })), {
        minLength: 12,
        maxLength: 12,
      }),
      (seed, pauseNs, questions) => {
        using folder = new TemporaryFolder();
        using session = new RandomSession(folder.file('s.db'), seed);
        for (let i = 0; i < 6; i++) {
          session.step(90);
          if (i % 2 === 0) session.commit();
          session.time += pauseNs;
        }
        session.commit();
        using plain = plainTable(folder.file('plain.db'), session.calls);
        for (const [{ select, after, ordered }, conditions] of questions) {
          using asked = sqlTables(folder.file('s.db'));
          const where = conditions.map(({ sql }) => sql).join(' AND ') || '1';
          const sql = `SELECT ${select} FROM calls WHERE ${where} ${after}`;
          const params = conditions.map(({ param }) => param);
          const found = rowsOf(asked.db, sql, params);
          const expected = rowsOf(plain, sql, params);
          expect(shown(found, ordered), sql).toEqual(shown(expected, ordered));
          expect(shown(found).toSorted(), sql).toEqual(shown(expected).toSorted());
        }
      },
    ),
    { numRuns: 40 },
  );
});

/** What rows are grouped by as agents write it: with numbers as text, of whole and floating numbers. */
const expressions = [
  'timestamp_ns / 1000',
  'round(timestamp_ns / 1e6, 1)',
  'duration_ns % 7',
  'duration_ns / 2.0',
  '(duration_ns > 20) AND depth < 3',
  'coalesce(duration_ns, -1) / 10',
  'calls.depth + 1',
  "substr(function_name, 1, instr(function_name, '::') - 1)",
  "thread_name || '/' || end",
  "function_name LIKE '%parse%'",
  'source_file IS NULL',
  'line_number IN (1, 10, 12)',
  "CASE end WHEN 'returned' THEN 1 ELSE end END",
  'CASE WHEN depth > 1 THEN 1 ELSE 1.0 END',
  "duration_ns > '20'",
  "depth IN ('1', '2')",
  "'3' = depth",
  "duration_us < '1'",
  "CASE depth WHEN '1' THEN 'one' END",
  "max(depth, '2')",
  'CAST(depth AS TEXT)',
  'id || 1',
];
const aggregates = [
  'count(*)',
  'sum(duration_ns)',
  'count(DISTINCT parent_id)',
  'count(DISTINCT function_name)',
  "count(DISTINCT thread_name) FILTER (WHERE end = 'returned')",
  'count(DISTINCT depth / 2.0)',
  'count(DISTINCT function_name COLLATE NOCASE)',
  'min(function_name)',
  'max(timestamp_ns)',
];

test('[query.sql-tables] expressions and distinct counts answer what a plain table answers', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.uniqueArray(fc.constantFrom(...expressions, 'function_name', 'depth'), { minLength: 8 }),
      fc.uniqueArray(fc.constantFrom(...aggregates), { minLength: 2 }),
      fc.constantFrom('', 'WHERE duration_ns > 5', "WHERE depth = '1' AND thread_id > '0'"),
      (seed, by, sums, where) => {
        using folder = new TemporaryFolder();
        using session = new RandomSession(folder.file('s.db'), seed);
        session.stepAndCommit(4, 90);
        using plain = plainTable(folder.file('plain.db'), session.calls);
        for (const [i, one] of by.entries()) {
          using asked = sqlTables(folder.file('s.db'));
          const two = by[(i * 3 + 1) % by.length] ?? one;
          for (const sql of [
            `SELECT ${one} AS n, ${sums.join(', ')} FROM calls ${where} GROUP BY n, ${two}`,
            `SELECT DISTINCT ${one}, ${two} FROM calls ${where}`,
          ]) {
            expect(answerOf(asked.db, sql, []).toSorted(), sql).toEqual(
              answerOf(plain, sql, []).toSorted(),
            );
          }
        }
      },
    ),
    { numRuns: 20 },
  );
});

test('[query.sql-tables] what a call called is found by parent_id in its thread and time alone', () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 11);
  session.stepAndCommit(8, 90);
  using asked = sqlTables(folder.file('s.db'));
  const { calls } = session;
  for (const call of calls) {
    const own = calls.filter(
      ({ thread, parent }) => thread.key === call.thread.key && parent === call.ordinal,
    );
    const id = idOf(call, call.ordinal);
    expect(answerOf(asked.db, 'SELECT id FROM calls WHERE parent_id = ?', [id]).toSorted()).toEqual(
      own.map((one) => JSON.stringify([idOf(one, one.ordinal)])).toSorted(),
    );
  }
  const sums =
    'SELECT p.id, count(*) FROM calls p JOIN calls c ON c.parent_id = p.id WHERE p.depth = 0 GROUP BY 1';
  const called = new Map<string, number>();
  for (const call of calls.filter(({ depth }) => depth === 1)) {
    const id = idOf(call, call.parent) ?? '';
    called.set(id, (called.get(id) ?? 0) + 1);
  }
  expect(answerOf(asked.db, sums, []).toSorted()).toEqual(
    [...called].map(([id, count]) => JSON.stringify([id, count])).toSorted(),
  );
});

test.each([
  ["SELECT count(*) FROM calls('*', '-5s')", []],
  ["SELECT count(*) FROM calls('*', 0, 'now')", []],
  ['SELECT count(*) FROM calls(0, 5e9)', []],
  ['SELECT count(*) FROM events(?, ?)', ['*', '-1s']],
])('[query.sql-tables] parameters that cannot be read are refused: %s', (sql, params) => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 7);
  session.stepAndCommit(2, 90);
  using asked = sqlTables(folder.file('s.db'));
  expect(() => answerOf(asked.db, sql, params)).toThrow(/time_to_ns are numbers: nanoseconds/);
  const all = answerOf(asked.db, 'SELECT count(*) FROM calls', []);
  expect(answerOf(asked.db, "SELECT count(*) FROM calls('', '0', NULL)", [])).toEqual(all);
});

test('[query.sql-tables] parameters are a pattern and a range of time; joins find calls by id', () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 7);
  session.stepAndCommit(8, 90);
  const { calls } = session;
  const from = Math.floor(session.time / 4);
  const to = Math.floor(session.time / 2);
  using asked = sqlTables(folder.file('s.db'));
  const inTime = calls.filter(
    ({ start, function: fn }) => start >= from && start <= to && fn.name.startsWith('bank::'),
  );
  expect(inTime.length).toBeGreaterThan(5);
  expect(
    answerOf(asked.db, "SELECT id FROM calls('bank::*', ?, ?)", [BigInt(from), to]).toSorted(),
  ).toEqual(inTime.map((call) => JSON.stringify([idOf(call, call.ordinal)])).toSorted());
  const pairs = calls.filter(({ parent }) => parent >= 0);
  expect(
    answerOf(asked.db, 'SELECT c.id, p.id FROM calls c JOIN calls p ON p.id = c.parent_id', []),
  ).toHaveLength(pairs.length);
  const [plan = ''] = answerOf(
    asked.db,
    "EXPLAIN QUERY PLAN SELECT p.id FROM calls('bank::*') c CROSS JOIN calls p ON p.id = c.parent_id",
    [],
  ).slice(-1);
  // The letter is the column's and the operator's (native/sql/plan.c).
  expect(plan).toMatch(/p VIRTUAL TABLE INDEX \d+:Ae/);
});

test.each([
  ['GROUP BY duration_ns', 'duration_ns, count(*), min(id)', true],
  ['GROUP BY timestamp_s, function_name', 'timestamp_s, function_name, avg(duration_ns)', true],
  ['ORDER BY thread_name, duration_us DESC, "end"', 'id, depth', true],
  ['GROUP BY parent_id, depth', 'parent_id, depth, count(*)', true],
  ['', 'DISTINCT parent_id', true],
  ['ORDER BY parent_id', 'depth', false],
  ['GROUP BY duration_ns', 'duration_ns, min(arguments)', false],
  ['GROUP BY duration_ns, timestamp_ns', 'count(*)', false],
])('[query.sql-tables] %s of %s needs no sorting by SQLite: %s', (after, select, isGiven) => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 7);
  session.step(90);
  session.time += 2 ** 40;
  session.stepAndCommit(1, 90);
  using asked = sqlTables(folder.file('s.db'));
  const sql = `EXPLAIN QUERY PLAN SELECT ${select} FROM calls ${after}`;
  expect(answerOf(asked.db, sql, []).some((line) => line.includes('TEMP B-TREE'))).toBe(!isGiven);
});

test('[query.sql-tables] who calls whom is what a join of the calls says', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using folder = new TemporaryFolder();
      using session = new RandomSession(folder.file('s.db'), seed);
      for (let i = 0; i < 6; i++) {
        session.step(90);
        if (i % 2 === 0) session.commit();
      }
      session.commit();
      using plain = plainTable(folder.file('plain.db'), session.calls);
      using asked = sqlTables(folder.file('s.db'));
      const joined = `SELECT p.function_name, c.function_name, count(*), coalesce(sum(c.duration_ns), 0),
        min(c.duration_ns), max(c.duration_ns)
        FROM calls c LEFT JOIN calls p ON p.id = c.parent_id GROUP BY 1, 2`;
      expect(answerOf(asked.db, 'SELECT * FROM callers', []).toSorted()).toEqual(
        answerOf(plain, joined, []).toSorted(),
      );
    }),
    { numRuns: 20 },
  );
});

test('[query.sql-tables] a damaged column is told, and no other block is', () => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 3);
  session.stepAndCommit(1, 400);
  {
    using writing = Sqlite.open(folder.file('s.db'), { migrations: sessionMigrations });
    writing.exec('UPDATE columns SET data = zeroblob(1) WHERE key % 16 = 1');
  }
  using asked = sqlTables(folder.file('s.db'));
  expect(answerOf(asked.db, 'SELECT count(*) FROM calls', [])).toEqual([
    `[${session.calls.length}]`,
  ]);
  expect(() => answerOf(asked.db, 'SELECT max(duration_ns) FROM calls', [])).toThrow(/damaged/);
});

const both = 'SELECT count(function_name), max(duration_ns) FROM calls';

test.each([
  ['a width that no number has', "widths = '000000000'", both],
  [
    'a function number beyond all',
    `dictionary = CAST(substr(dictionary, 1, length(dictionary) / 2) || x'ffffffff'
      || substr(dictionary, length(dictionary) / 2 + 5) AS BLOB)`,
    both,
  ],
  ['a duration beyond the longest', 'max_ns = 1', 'SELECT 1 FROM calls GROUP BY duration_ns'],
  ['a start beyond the last', 'last_ns = start_ns', 'SELECT 1 FROM calls ORDER BY timestamp_ns'],
])('[query.sql-tables] %s is told as damage', (_, damage, sql) => {
  using folder = new TemporaryFolder();
  using session = new RandomSession(folder.file('s.db'), 3);
  session.stepAndCommit(1, 400);
  {
    using writing = Sqlite.open(folder.file('s.db'), { migrations: sessionMigrations });
    writing.exec(`UPDATE blocks SET ${damage}`);
  }
  using asked = sqlTables(folder.file('s.db'));
  expect(() => answerOf(asked.db, sql, [])).toThrow(/damaged/);
});
