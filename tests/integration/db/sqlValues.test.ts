import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { namedValues, prepareNamed, readSorted } from '../../../src/db/sql/namedValues.ts';
import { Sqlite, type ReadingStatement } from '../../../src/db/sqlite.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { stringFlags, type TracedFunction } from '../../../src/model/eventColumns.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';
import { dynamicBytes, type Dynamic } from '../../support/dynamicBytes.ts';
import { batch, seeded, SimulatedThread, type Random } from '../../unit/db/simulatedThread.ts';
import { madeUpFunction, TemporaryFolder } from './randomSession.ts';
import { sqlTables } from './sqlTables.ts';

const integers = [1, 2, 4, 8].flatMap((bytes) =>
  [true, false].map((signed) => ({ kind: 'int' as const, name: 'integer', bytes, signed })),
);
const held = { pointer: 0, length: 8, byEnd: true, unit: 2, inWords: false };
const types: readonly ValueType[] = [
  ...integers,
  { kind: 'bool', name: 'bool', bytes: 1 },
  { kind: 'char', name: 'char', bytes: 1, signed: true },
  { kind: 'char', name: 'char32_t', bytes: 4, signed: false },
  { kind: 'float', name: 'double', bytes: 8 },
  { kind: 'float', name: 'float', bytes: 4 },
  {
    kind: 'enum',
    name: 'Mode',
    bytes: 2,
    signed: true,
    members: [
      ['1', 'READ'],
      ['2', 'WRITE'],
      ['-1', 'NONE'],
    ],
  },
  { kind: 'pointer', name: 'Account *' },
  { kind: 'pointer', name: 'void (*)()', code: true },
  { kind: 'unknown' },
  { kind: 'opaque', name: 'Big', bytes: null },
  { kind: 'cstring', name: 'const char *' },
  { kind: 'cstring', name: 'std::string', held },
  { kind: 'dynamic', language: 'python' },
  { kind: 'dynamic', language: 'javascript' },
  { kind: 'list', name: 'std::vector<short>', element: integers[2] ?? { kind: 'unknown' }, held },
  {
    kind: 'tree',
    name: 'Order',
    depth: 1,
    root: 0,
    shapes: [{ kind: 'opaque', name: 'Order', bytes: 8, reason: 'it is of another file' }],
  },
];
const names = ['amount', 'name', 'flag', 'order'] as const;

/** Parameters of one name have different types in different functions. */
const functions: readonly TracedFunction[] = Array.from({ length: 60 }, (_, i) => {
  const at = (p: number): ValueType => types[(i * 5 + p * 7) % types.length] ?? { kind: 'void' };
  const captured = names.slice(0, i % 5).map((name, p) => ({ name, type: at(p) }));
  // Of two of one name the last counts.
  if (i % 11 === 3) captured.push({ name: 'amount', type: at(5) });
  const secret = { name: 'secret', typeName: 'char *', reason: 'redacted', secret: 'secret' };
  return {
    ...madeUpFunction(`bank::f${i}`, i, {
      captured,
      returns: i % 9 === 8 ? { kind: 'void' } : at(9),
    }),
    uncaptured: i % 4 === 2 ? [secret] : [{ name: 'order', typeName: 'Big', reason: 'by value' }],
    secretReturn: i % 13 === 5 ? 'token' : undefined,
  };
});

const texts = [
  'alpha',
  'ümlaut ☃ 🎉',
  '',
  '42',
  'say "hi"\\\n',
  'nul\0inside',
  '\u0001',
  'x'.repeat(300),
];
const doubles = [
  0,
  -0,
  1,
  -3,
  0.1,
  2.5,
  1e21,
  -1e22,
  1e20,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 62,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  123456.789,
  1 / 3,
  NaN,
  Infinity,
  -Infinity,
  1e15 + 0.5,
];
const whole = [
  0n,
  1n,
  5n,
  -1n,
  42n,
  2n ** 31n,
  2n ** 53n - 1n,
  2n ** 53n,
  -(2n ** 53n),
  2n ** 63n,
  2n ** 64n - 1n,
  1n - 2n ** 53n,
  0x7f00dead0000n,
];

/** Values that describe themselves. */
const described: readonly Dynamic[] = [
  null,
  undefined,
  true,
  false,
  ...texts,
  ...doubles,
  ...whole.filter((value) => value !== 0n),
  7,
  -7,
  [1, 'two'],
  { map: [['a', 1]] },
  { bytes: [1, 2] },
  { tag: 'none' },
  { tag: 'false' },
  { tag: 'redacted' },
  { tag: 'i8', rest: [200] },
  { tag: 'i16', rest: [200, 255] },
  { tag: 'i32', rest: [1, 0, 0, 128] },
  { tag: 'text1', rest: [200, 1, 2, 104, 105] },
  { exception: 3, of: { tuple: ['no'] } },
];

/** What an engine may have written of a value; of anything else, too. */
function written(type: ValueType, random: Random): Uint8Array {
  const word = new DataView(new ArrayBuffer(8));
  const any = (): number => random(0xffffffff);
  switch (type.kind) {
    case 'cstring':
    case 'list':
    case 'tree': {
      const text = new TextEncoder().encode(texts[random(texts.length)]);
      // Cut within a character, say.
      const kept = random(5) === 0 ? text.subarray(0, random(text.length + 1)) : text;
      const bytes = new Uint8Array(8 + Math.ceil(kept.length / 8) * 8);
      new DataView(bytes.buffer).setUint32(0, random(60) === 0 ? any() : kept.length, true);
      const { truncated, unreadable, isNull } = stringFlags;
      const flags = [
        0,
        0,
        0,
        truncated,
        unreadable,
        isNull,
        kept.length << stringFlags.lengthShift,
      ];
      new DataView(bytes.buffer).setUint32(4, flags[random(flags.length)] ?? 0, true);
      bytes.set(kept, 8);
      return bytes;
    }
    case 'dynamic': {
      const bytes = dynamicBytes(described[random(described.length)]);
      if (random(8) === 0) bytes[random(bytes.length)] = random(256);
      return new Uint8Array(bytes);
    }
    case 'float': {
      const value = random(3) === 0 ? any() / 7 : (doubles[random(doubles.length)] ?? 0);
      if (type.bytes === 4) word.setFloat32(0, value, true);
      else word.setFloat64(0, value, true);
      break;
    }
    default:
      word.setBigInt64(0, BigInt.asIntN(64, whole[random(whole.length)] ?? 0n), true);
      // What lies above a value's bytes is not the value's.
      if (random(3) === 0) word.setUint32(4, any(), true);
  }
  return new Uint8Array(word.buffer);
}

function payload(of: readonly ValueType[], random: Random): Uint8Array {
  const all = Buffer.concat(of.map((type) => written(type, random)));
  return new Uint8Array(random(12) === 0 ? all.subarray(0, random(all.length / 8 + 1) * 8) : all);
}

/** Calls of all functions on two threads, in full blocks and in others; some return after theirs was written. */
function makeSession(path: string, seed: number): void {
  const random = seeded(seed);
  using writer = SessionWriter.open(path, { sessionId: 'test', blockCalls: 128 });
  writer.defineFunctions(functions);
  const threads = [1, 2].map((key) => {
    writer.defineThread({ key, pid: 1, tid: key, name: `thread ${key}` });
    return { key, run: new SimulatedThread(random), sent: 0 };
  });
  // Few functions fill columns, many do not.
  const count = random(2) === 0 ? 4 : functions.length;
  for (let step = 0; step < 1500; step++) {
    const thread = threads[random(2)];
    if (!thread) continue;
    const { run } = thread;
    const open = run.calls.filter(({ end }) => end === 'open').at(-1);
    if (run.depth < 6 && (random(2) === 0 || !open)) {
      const fn = functions[(random(count) * 7) % functions.length];
      if (fn)
        run.enter(
          fn.number,
          payload(
            fn.captured.map(({ type }) => type),
            random,
          ),
        );
    } else {
      const returns = functions[open?.fn ?? 0]?.returns ?? { kind: 'void' };
      const end = random(8) === 0 ? 'unwound' : 'return';
      run.leave(end, returns.kind === 'void' ? new Uint8Array(0) : payload([returns], random));
    }
    if (step % 150 !== 149) continue;
    for (const { key, run: of, sent } of threads) writer.append(key, batch(of.events, sent));
    for (const one of threads) one.sent = one.run.events.length;
    writer.commit(Math.max(...threads.map(({ run: { time } }) => time)));
  }
}

const values = [
  ...names.map((name) => `json_extract(arguments, '$.${name}')`),
  "json_extract(return_value, '$')",
  "return_value ->> '$'",
  "arguments->>'amount'",
  "json_extract(calls.arguments, '$.order[1]')",
  "arguments ->> '$.secret'",
  'return_value',
  'arguments',
  "upper(arguments) || coalesce(return_value, '-')",
  "json_extract(return_value, '$[0]')",
  "json_extract(arguments,'$.name.x')",
  "arguments->>'none'",
];
const statements = values.flatMap((value) => [
  `SELECT id, ${value} AS v, typeof(${value}) FROM calls`,
  `SELECT ${value} AS v, count(*), min(id), avg(duration_ns) FROM calls GROUP BY v`,
  `SELECT ${value} AS v, end, count(*) FROM calls GROUP BY function_name, v, end`,
  `SELECT typeof(${value}) AS t, ${value} > 3 AS more, count(*) FROM calls GROUP BY t, more`,
  `SELECT duration_ns, depth, max(${value}) FROM calls GROUP BY duration_ns, depth`,
  `SELECT function_name, count(${value}), min(${value}), max(${value}) FROM calls GROUP BY 1`,
  `SELECT CAST(${value} AS INTEGER), CAST(${value} AS REAL) < 2, count(*) FROM calls GROUP BY 1, 2`,
  `SELECT DISTINCT ${value} FROM calls`,
  `SELECT ${value} AS v, count(*) FROM calls GROUP BY v ORDER BY v DESC`,
  `SELECT ${value} AS v, arguments, return_value, count(*) FROM calls GROUP BY 3, function_name, 1, 2`,
  `SELECT DISTINCT ${value} AS v, end FROM calls('bank::*') ORDER BY v, end`,
  `SELECT ${value}, depth, id FROM calls ORDER BY depth, ${value} DESC, thread_id, timestamp_ns`,
  `SELECT DISTINCT function_name, ${value} || 'x' FROM calls`,
  `SELECT count(DISTINCT ${value}) FROM calls WHERE thread_id = 1`,
  `SELECT id, ${value} FROM calls WHERE ${value} > 5`,
  `SELECT id FROM calls WHERE ${value} = 'alpha' OR ${value} IN (1, 5, 'READ') OR ${value} LIKE '0x%'`,
  `SELECT id FROM calls WHERE ${value} = CAST(42 AS TEXT)`,
  `SELECT id FROM calls ORDER BY ${value} DESC, id LIMIT 30`,
  `SELECT sum(CASE WHEN ${value} BETWEEN 0 AND 1000 THEN ${value} ELSE 0 END) FROM calls`,
  `SELECT (SELECT max(${value}) FROM calls WHERE end = 'returned'), count(*) FROM threads`,
]);
const sums = ['sum', 'total', 'avg'].map(
  (sum) => `SELECT function_name, ${sum}(return_value) FROM calls GROUP BY 1`,
);

/** The same statement over what is said of each call, one after the other. */
function callByCall(sql: string): string {
  const thread = 'CAST(substr(id, 2) AS INTEGER)';
  const ordinal = "CAST(substr(id, instr(id, '.') + 1) AS INTEGER)";
  return sql.replaceAll(
    /(?:calls\.)?\b(arguments|return_value)\b/g,
    `strobe_value('$1', ${thread}, ${ordinal})`,
  );
}

/** In an order of their own where the statement asks for none. */
function rowsOf(asked: ReadingStatement, sql: string): string[] {
  const rows = [...asked.iterate([])].map((row) => JSON.stringify(row));
  return sql.includes('ORDER') ? rows : rows.toSorted();
}

test('[query.sql-values] what is asked of values is what each call is said to have', () => {
  let quick = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.uniqueArray(fc.constantFrom(...statements, ...sums), { minLength: 40, maxLength: 40 }),
      (seed, asked) => {
        using folder = new TemporaryFolder();
        const path = folder.file('s.db');
        makeSession(path, seed);
        for (const sql of asked) {
          using slow = sqlTables(path);
          const expected = rowsOf(slow.db.prepareReading(callByCall(sql)), sql);
          using asIs = sqlTables(path);
          const read = readSorted(() => rowsOf(asIs.db.prepareReading(sql), sql));
          expect(read, sql).toEqual(expected);
          const named = namedValues(sql);
          if (!named) continue;
          using one = sqlTables(path);
          const found = readSorted(() => rowsOf(prepareNamed(one.db, sql), sql));
          expect(found, named.sql).toEqual(expected);
          quick++;
        }
      },
    ),
    { numRuns: 5 },
  );
  expect(quick).toBeGreaterThan(100);
});

test.each([
  ['captures that end early', 'data = substr(data, 1, length(data) - 4)', 12],
  ['captures without an end', 'data = CAST(data || data AS BLOB)', 12],
  ['lengths of more than there is', "data = CAST(replace(hex(data), '0', 'F') AS BLOB)", 7],
  [
    'returned lengths of more than there is',
    "data = CAST(replace(hex(data), '0', 'F') AS BLOB)",
    8,
  ],
  ['captures of an unfinished block that end early', 'data = substr(data, 1, length(data) / 2)', 9],
])('[query.sql-values] %s are told as damage', (_, damage, column) => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  makeSession(path, 3);
  {
    using writing = Sqlite.open(path, { migrations: sessionMigrations });
    writing.exec(`UPDATE columns SET ${damage} WHERE key % 16 = ${column}`);
  }
  using asked = sqlTables(path);
  const statement = prepareNamed(asked.db, "SELECT max(arguments ->> 'amount') FROM calls");
  expect(() => rowsOf(statement, '')).toThrow(/damaged/);
});

describe('[query.sql-values] a value is a column', () => {
  test.each([
    ["json_extract(arguments, '$.n') > 5", '(argument_0) > 5'],
    ["calls.arguments ->> 'n' IS NULL", '(calls.argument_0) IS NULL'],
    ["arguments ->> '$.o.n[2]' IN (1)", '(argument_0) IN (1)'],
    ["json_extract(return_value, '$') = 1", '(argument_0) = 1'],
    ["arguments ->> 'a' < json_extract(arguments, '$.b')", '(argument_1) < (argument_0)'],
    ["arguments ->> 'a' < arguments ->> '$.a'", '(argument_0) < (argument_0)'],
    ["arguments ->> 'a' ->> 'b' = 1", "(argument_0) ->> 'b' = 1"],
    ["arguments = '1' OR arguments ->> 'n' = '0'", "arguments = '1' OR (argument_0) = '0'"],
  ])('%s', (value, read) => {
    expect(namedValues(`SELECT 1 FROM calls WHERE ${value}`)?.sql).toBe(
      `SELECT 1 FROM calls WHERE ${read}`,
    );
  });

  test.each([
    "arguments ->> 'n' = CAST(signature AS TEXT)",
    "EXISTS (SELECT 1 FROM output WHERE text = calls.arguments ->> 'n')",
    "arguments ->> 'n' IN output",
  ])('compared as an expression is: %s', (condition) => {
    expect(namedValues(`SELECT 1 FROM calls WHERE ${condition}`)?.sql).toMatch(
      /\(\+(?:calls\.)?argument_0\)/,
    );
  });

  test.each(['calls, output', "calls('bank::*') JOIN output", 'calls c, output', 'output, calls'])(
    'compared as an expression is: FROM %s',
    (tables) => {
      expect(namedValues(`SELECT 1 FROM ${tables} WHERE arguments ->> 'n' = text`)?.sql).toBe(
        `SELECT 1 FROM ${tables} WHERE (+argument_0) = text`,
      );
    },
  );

  test.each([
    ['a text', `SELECT 'arguments ->> "n"', "arguments ->> 'n'" FROM calls`],
    ['a remark', "SELECT 1 FROM calls -- WHERE arguments ->> 'n'"],
    ['of another column', "SELECT json_extract(signature, '$.n') FROM calls"],
    ['more than one path', "SELECT json_extract(arguments, '$.a', '$.b') FROM calls"],
    ['a path that is no name', "SELECT arguments ->> '$.a-b', arguments ->> '$[0]' FROM calls"],
    ['a path that is computed', "SELECT json_extract(arguments, '$.' || end) FROM calls"],
    ['text behind a sign that binds as tightly', "SELECT id || arguments ->> 'n' FROM calls"],
    ['a part of a part', "SELECT signature ->> arguments ->> 'n' FROM calls"],
    ['a collation of the path', "SELECT arguments ->> 'n' COLLATE NOCASE FROM calls"],
    ['JSON that other functions tell from text', "SELECT json_array(arguments ->> 'n') FROM calls"],
    ['a part that is JSON', "SELECT arguments -> 'n' FROM calls"],
    ['sums of different ones', 'SELECT sum(DISTINCT return_value) FROM calls'],
    [
      'what a subquery gives by that name',
      "SELECT (SELECT arguments ->> 'n' FROM (SELECT * FROM functions)) FROM calls",
    ],
    [
      'what a subquery calls so',
      'SELECT (SELECT arguments ->> \'n\' FROM (SELECT 1 AS "arguments")) FROM calls',
    ],
    ['what another table has', "SELECT (SELECT arguments ->> 'n' FROM events) FROM calls"],
  ])('but not %s', (_, sql) => {
    expect(namedValues(sql)).toBeNull();
  });

  test('a statement over another table is answered as it is written', () => {
    using folder = new TemporaryFolder();
    makeSession(folder.file('s.db'), 7);
    using asked = sqlTables(folder.file('s.db'));
    const count = (table: string): string[] =>
      rowsOf(prepareNamed(asked.db, `SELECT count(arguments ->> 'amount') FROM ${table}`), '');
    expect(count('events')).toEqual(count('calls'));
    expect(count('events')).not.toEqual(['[0]']);
  });
});
