import { afterAll, expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { eventKind, firstActivation, strandKind } from '../../../src/model/eventColumns.ts';
import type { Definition, FunctionDefinition } from '../../../src/model/functions/definition.ts';
import type { CallFilter, EventsQuery, EventType } from '../../../src/model/questions/query.ts';
import type { TreeNode } from '../../../src/model/questions/treeResult.ts';
import { plainValue } from '../../../src/db/reader/values/plainValues.ts';
import { dynamicBytes, type Dynamic } from '../../support/dynamicBytes.ts';
import { batch, type SimulatedEvent } from '../../unit/db/simulatedThread.ts';
import { allEvents, allStats, wholeTree } from '../../support/questions.ts';
import { TemporaryFolder } from './randomSession.ts';
import { sqlTables } from './sqlTables.ts';

const language = 'python';
const [main, fetch, parse] = [firstActivation, firstActivation + 1, firstActivation + 2];

function defined(number: number, name: string, parameters: readonly string[]): FunctionDefinition {
  const place = { file: '/shop.py', line: number - firstActivation + 1, column: 0, offset: number };
  return {
    kind: 'function',
    number,
    language,
    qualifiedName: name,
    ...place,
    flags: 0,
    parameters,
  };
}

const user = { kind: 'type', number: 3, language, name: 'User', module: 'shop', flags: 0 } as const;
const error = { ...user, number: 4, name: 'ValueError', flags: 8 };
const key = { kind: 'name', number: 9, language, name: 'name' } as const;
const task = {
  kind: 'strand',
  number: 5,
  language,
  strand: { kind: 'task', name: 'fetch-1' },
} as const;
const definitions: readonly Definition[] = [
  defined(main, 'shop.main', []),
  defined(fetch, 'shop.fetch', ['user', 'items']),
  defined(parse, 'shop.parse', ['text']),
  user,
  error,
  key,
  task,
];

/** A word behind the values: a line, or the kind of a strand. */
interface Word {
  readonly word: number;
}

type Step = readonly [keyof typeof eventKind, number, number, ...(Dynamic | Word)[]];

function payloadOf(parts: readonly (Dynamic | Word)[]): Uint8Array {
  const bytes = parts.map((part) => {
    const isWord = typeof part === 'object' && part !== null && 'word' in part;
    if (!isWord) return dynamicBytes(part);
    const word = Buffer.alloc(8);
    word.writeUInt32LE(part.word, 0);
    return word;
  });
  return new Uint8Array(Buffer.concat(bytes));
}

/** Events 10 ns apart, from 10 ns on. */
function eventsOf(steps: readonly Step[]): SimulatedEvent[] {
  return steps.map(([kind, fn, sp, ...parts], i) => {
    return { kind: eventKind[kind], fn, sp, time: (i + 1) * 10, payload: payloadOf(parts) };
  });
}

const ann = {
  object: 3,
  fields: [
    [{ name: 9 }, 'Ann'],
    ['password', 'hunter2'],
  ],
} as const;
const notFound = { exception: 4, of: { tuple: ['not found'] } } as const;

const program: readonly Step[] = [
  ['enter', main, 1],
  ['context', 0, 5, { word: strandKind.task }],
  ['enter', fetch, 2, ann, [7, 8]],
  ['suspend', fetch, 2, null],
  ['enter', parse, 3, 'tea'],
  ['return', parse, 3, 0],
  ['resume', fetch, 2, 5],
  ['raise', fetch, 2, notFound, { word: 12 }],
  ['handled', fetch, 2, notFound, { word: 14 }],
  ['enter', parse, 3, 'coffee'],
  ['return', parse, 3, -1],
  ['return', fetch, 2, 'done'],
  ['enter', fetch, 4, null, []],
  ['suspend', fetch, 4, 3],
  ['unwound', main, 1, notFound],
];

function storeAt(path: string, steps: readonly Step[], defines = definitions): void {
  using writer = SessionWriter.open(path, { sessionId: 't' });
  const ring = { path: '/rings/1', pid: 7, parent: null };
  writer.define(ring, defines);
  writer.defineThread({ key: 1, pid: 7, tid: 8, name: 'main' }, ring.path);
  const events = eventsOf(steps);
  writer.append(1, batch(events, 0, 8));
  writer.commit(80);
  writer.append(1, batch(events, 8));
  writer.commit(200);
}

const folder = new TemporaryFolder();
const path = folder.file('s.db');
storeAt(path, program);
const reader = SessionReader.open(path);
afterAll(() => {
  reader.close();
  folder[Symbol.dispose]();
});

function asked(filter: CallFilter, eventTypes: readonly EventType[] = ['call']): EventsQuery {
  return {
    ...allEvents,
    filter,
    eventTypes,
    limit: 100,
  };
}

function callsThat(filter: CallFilter): string[] {
  const { events } = reader.events(asked(filter));
  return events.flatMap((event) =>
    'call' in event ? [`${event.call.function} ${event.call.id}`] : [],
  );
}

test('[dynamic.views] calls are told with their values, exceptions, suspended time and strand', () => {
  const calls = reader
    .events(asked({}))
    .events.flatMap((event) => ('call' in event ? [event.call] : []));
  const told = calls.map((call) => ({
    name: call.function.slice(5),
    arguments: call.arguments.map(({ value }) => plainValue(value)),
    returns: plainValue(call.exception ?? call.returns),
    end: call.end,
    ns: call.durationNs,
    ...(call.suspendedNs === undefined ? {} : { suspended: call.suspendedNs }),
    ...(call.suspendedSince === undefined ? {} : { since: call.suspendedSince }),
    strand: call.strand ? `${call.strand.kind} ${call.strand.name}` : null,
  }));
  const secret = '<redacted: named "password">';
  const onTask = { strand: 'task fetch-1', end: 'returned' } as const;
  expect(told).toEqual([
    {
      name: 'main',
      arguments: [],
      returns: { ValueError: 'not found' },
      end: 'unwound',
      ns: 140,
      strand: null,
    },
    {
      name: 'fetch',
      arguments: [
        {
          name: 'Ann',
          password: secret,
        },
        [7, 8],
      ],
      returns: 'done',
      ns: 90,
      suspended: 30,
      ...onTask,
    },
    { name: 'parse', arguments: ['tea'], returns: 0, ns: 10, ...onTask },
    { name: 'parse', arguments: ['coffee'], returns: -1, ns: 10, ...onTask },
    {
      name: 'fetch',
      arguments: [null, []],
      returns: undefined,
      ns: null,
      since: 140,
      ...onTask,
      end: 'open',
    },
  ]);
});

test('[dynamic.events] what happens within calls is told as events of its own, in order', () => {
  const types = ['suspend', 'resume', 'raise', 'handled', 'strand'] as const;
  const { events, total } = reader.events(asked({}, types));
  expect(events.map((event) => ('text' in event ? `${event.time} ${event.text}` : ''))).toEqual([
    '20 task fetch-1 runs on the thread',
    '40 shop.fetch is suspended',
    '70 shop.fetch is resumed with 5',
    '80 ValueError("not found") is raised in shop.fetch, line 12',
    '90 ValueError("not found") is handled in shop.fetch, line 14',
    '140 shop.fetch is suspended with 3',
  ]);
  expect(total).toBe(6);
  const second = reader.events({ ...asked({}, types), limit: 2 });
  const rest = reader.events({ ...asked({}, types), cursor: second.cursor });
  expect([...second.events, ...rest.events]).toEqual(events);
  const texts = (filter: CallFilter, order: 'time' | 'thread' = 'time'): number[] =>
    reader.events({ ...asked(filter, types), order }).events.map(({ time }) => time);
  expect(texts({ text: 'raised' })).toEqual([80]);
  expect(texts({ argument: [{ name: 'user.name', equals: 'Ann' }] })).toEqual([40, 70, 80, 90]);
  expect(texts({ timeFrom: 75 }, 'thread')).toEqual([80, 90, 140]);
  expect(texts({ pid: 9 })).toEqual([]);
});

test.each<[CallFilter, string[]]>([
  [{ argument: [{ name: 'user.name', equals: 'Ann' }] }, ['shop.fetch c1.1']],
  [{ argument: [{ name: 'items[1]', gt: 7 }] }, ['shop.fetch c1.1']],
  [{ argument: [{ name: 'user', isNull: true }] }, ['shop.fetch c1.4']],
  [{ argument: [{ index: 0, equals: 'coffee' }] }, ['shop.parse c1.3']],
  [{ argument: [{ name: 'text', contains: 'OFF' }] }, ['shop.parse c1.3']],
  [{ returnValue: { lt: 0 } }, ['shop.parse c1.3']],
  [{ returnValue: { equals: 0 } }, ['shop.parse c1.2']],
  [{ returnValue: { equals: 'done' } }, ['shop.fetch c1.1']],
  [{ text: 'ann' }, ['shop.fetch c1.1']],
  [{ text: 'tea' }, ['shop.parse c1.2']],
  [{ minDurationNs: 50 }, ['shop.main c1.0', 'shop.fetch c1.1', 'shop.fetch c1.4']],
])('[dynamic.filters] %j', (filter, found) => {
  expect(callsThat(filter)).toEqual(found);
});

test('[dynamic.views] trees hang what a resumed call does below it, and tell how long it was suspended', () => {
  const { threads } = reader.tree({
    ...wholeTree,
    maxDepth: 9,
    selfTime: true,
    maxNodes: 100,
    maxRead: 100,
  });
  const shown = ({ call, times, suspendedNs, selfNs, children }: TreeNode): unknown => [
    `${call.function} ×${times}`,
    suspendedNs ?? 0,
    selfNs,
    children.map(shown),
  ];
  expect(threads.flatMap(({ roots }) => roots.map(shown))).toEqual([
    [
      'shop.main ×1',
      0,
      60,
      [
        ['shop.fetch ×1', 30, 50, [['shop.parse ×1', 0, 10, []]]],
        ['shop.parse ×1', 0, 10, []],
        ['shop.fetch ×1', 0, 0, []],
      ],
    ],
  ]);
});

test('[dynamic.views] stats tell suspended time apart, from counters and from a scan', () => {
  const figures = (filter: CallFilter): unknown =>
    reader
      .stats({
        ...allStats,
        filter,
        limit: 10,
      })
      .rows.map((row) => [row.function, row.count, row.totalNs, row.selfNs, row.suspendedNs ?? 0]);
  const all = [
    ['shop.fetch', 2, 90, 50, 30],
    ['shop.parse', 2, 20, 20, 0],
    ['shop.main', 1, 140, 60, 0],
  ];
  expect(figures({})).toEqual(all);
  expect(figures({ pid: 7 })).toEqual(all);
});

test('[dynamic.sql] SQL has what calls were given, returned and raised, how long they were suspended, and in which strand', () => {
  using tables = sqlTables(path);
  const all = (sql: string): unknown[] => [...tables.db.prepareReading(sql).iterate([])];
  expect(
    all('SELECT function_name, suspended_ns, strand, return_value, exception FROM calls'),
  ).toEqual([
    ['shop.main', 0, null, null, '{"ValueError":"not found"}'],
    ['shop.fetch', 30, 'task fetch-1', '"done"', null],
    ['shop.parse', 0, 'task fetch-1', '0', null],
    ['shop.parse', 0, 'task fetch-1', '-1', null],
    ['shop.fetch', 0, 'task fetch-1', null, null],
  ]);
  const by = (path_: string): string =>
    `SELECT json_extract(arguments, '${path_}') AS value, count(*) FROM calls WHERE value IS NOT NULL GROUP BY 1`;
  expect(all(by('$.user.name'))).toEqual([['Ann', 1]]);
  expect(all(by('$.items[1]'))).toEqual([[8, 1]]);
  expect(all(by('$.text'))).toEqual([
    ['coffee', 1],
    ['tea', 1],
  ]);
  expect(all("SELECT sum(return_value) FROM calls('shop.parse')")).toEqual([[-1]]);
  expect(all('SELECT id FROM calls WHERE suspended_ns > 0')).toEqual([['c1.1']]);
});

test('[dynamic.sql] equal bytes of two processes are read by the names that each defined', () => {
  const file = folder.file('two.db');
  const [first, second] = ['/rings/1', '/rings/2'].map((ring, i) => ({
    ring: { path: ring, pid: 7 + i, parent: null },
    type: { ...user, name: i === 0 ? 'User' : 'Admin' },
  }));
  {
    using writer = SessionWriter.open(file, { sessionId: 't' });
    for (const [i, { ring, type }] of [first, second].flatMap((one) => one ?? []).entries()) {
      writer.define(ring, [defined(parse, 'shop.parse', ['text']), type]);
      writer.defineThread({ key: i + 1, pid: ring.pid, tid: ring.pid, name: 'main' }, ring.path);
      writer.append(
        i + 1,
        batch(
          eventsOf([
            ['enter', parse, 1, { other: 3 }],
            ['return', parse, 1, { other: 3 }],
          ]),
        ),
      );
    }
    writer.commit(200);
  }
  using tables = sqlTables(file);
  const all = (sql: string): unknown[] => [...tables.db.prepareReading(sql).iterate([])].flat();
  expect(all("SELECT json_extract(arguments, '$.text') AS t FROM calls ORDER BY t")).toEqual([
    '<Admin>',
    '<User>',
  ]);
  expect(all('SELECT return_value FROM calls ORDER BY 1')).toEqual(['"<Admin>"', '"<User>"']);
  expect(all('SELECT count(*) FROM calls GROUP BY return_value')).toEqual([1, 1]);
});

test('[dynamic.diff] runs are compared by what their values are, whatever numbers their processes gave to types', () => {
  const renumbered = definitions.map((definition) =>
    definition.kind === 'type' ? { ...definition, number: definition.number + 20 } : definition,
  );
  const other = (steps: readonly Step[]): Step[] =>
    steps.map(([kind, fn, id, ...parts]) => [
      kind,
      fn,
      id,
      ...parts.map((part) => {
        if (part === ann) return { ...ann, object: 23 };
        return part === notFound ? { ...notFound, exception: 24 } : part;
      }),
    ]);
  const diffWith = (name: string, steps: readonly Step[]): unknown => {
    storeAt(folder.file(name), other(steps), renumbered);
    using there = SessionReader.open(folder.file(name));
    const side = { filter: {}, until: Number.MAX_SAFE_INTEGER };
    const { threads } = reader.diff(there, {
      here: side,
      there: side,
      limit: 9,
      deadlineMs: 60_000,
    });
    return threads.map(({ order, values }) => ({ order, values: values?.names ?? null }));
  };
  expect(diffWith('same.db', program)).toEqual([{ order: null, values: null }]);
  const chai = program.map((step): Step =>
    step[3] === 'tea' ? ['enter', parse, 3, 'chai'] : step,
  );
  expect(diffWith('chai.db', chai)).toEqual([{ order: null, values: ['text'] }]);
});

test('[dynamic.promises] a call that returned a promise ends when that settles, with what it settles with', () => {
  const load = { ...defined(main, 'load', []), language: 'javascript' } as const;
  const find = { ...defined(fetch, 'find', []), language: 'javascript' } as const;
  const promise = { ...user, language: 'javascript', name: 'Promise' } as const;
  const failed = { ...error, language: 'javascript', name: 'TypeError' } as const;
  const made: Dynamic = { object: 3, fields: [] };
  const settling: readonly Step[] = [
    ['enter', main, 1],
    ['enter', fetch, 2],
    ['suspend', fetch, 2, made],
    ['suspend', main, 1, made],
    ['enter', main, 3],
    ['suspend', main, 3, made],
    ['enter', main, 4],
    ['suspend', main, 4, made],
    ['return', fetch, 2, 'found'],
    ['return', main, 1, 'loaded'],
    ['unwound', main, 3, { exception: 4, of: { tuple: ['no such page'] } }],
  ];
  storeAt(folder.file('js.db'), settling, [load, find, promise, failed]);
  using js = SessionReader.open(folder.file('js.db'));
  const { events } = js.events(asked({}));
  const calls = events.flatMap((event) => ('call' in event ? [event.call] : []));
  const told = calls.map((call) => [
    `${call.parent ?? '-'} ${call.function} ${call.end}`,
    plainValue(call.exception ?? call.returns),
    [call.durationNs, call.suspendedNs, call.suspendedSince],
  ]);
  expect(told).toEqual([
    ['- load returned', 'loaded', [90, 60, undefined]],
    ['c1.0 find returned', 'found', [70, 60, undefined]],
    ['- load unwound', { TypeError: 'no such page' }, [60, 50, undefined]],
    ['- load open', undefined, [null, undefined, 80]],
  ]);
  expect(js.summary().counters.byCause).toEqual({});
});
