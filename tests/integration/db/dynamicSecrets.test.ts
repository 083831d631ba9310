import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { writeExport } from '../../../src/db/export/writeExport.ts';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter, type WriterOptions } from '../../../src/db/writer/sessionWriter.ts';
import { eventKind, firstActivation } from '../../../src/model/eventColumns.ts';
import type { Definition } from '../../../src/model/functions/definition.ts';
import { exportFormatNames } from '../../../src/model/questions/exportFormat.ts';
import type { CallFilter, EventType } from '../../../src/model/questions/query.ts';
import { dynamicBytes, type Dynamic } from '../../support/dynamicBytes.ts';
import { batch, type SimulatedEvent } from '../../unit/db/simulatedThread.ts';
import { TemporaryFolder } from './randomSession.ts';
import { sqlTables } from './sqlTables.ts';

const [login, getPassword, steps] = [firstActivation, firstActivation + 1, firstActivation + 2];
const language = 'python';
const ring = { path: '/rings/1', pid: 7, parent: null };
const child = { path: '/rings/2', pid: 9, parent: ring.path };

function defined(number: number, name: string, parameters: readonly string[]): Definition {
  const place = { file: '/shop.py', line: 1, column: 0, offset: number, flags: 0 };
  return { kind: 'function', number, language, qualifiedName: name, ...place, parameters };
}

const definitions: readonly Definition[] = [
  defined(login, 'shop.login', ['user', 'password', 'tries']),
  defined(getPassword, 'shop.Vault.get_password', []),
  defined(steps, 'shop.steps', ['config']),
  { kind: 'type', number: 3, language, name: 'Config', module: 'shop', flags: 0 },
  { kind: 'name', number: 9, language, name: 'api_key' },
];

type Step = readonly [keyof typeof eventKind, number, number, ...Dynamic[]];

/** `secret`: of text as of numbers, however often it is told. */
function program(secret: string | number): readonly Step[] {
  const config: Dynamic = {
    object: 3,
    fields: [
      [{ name: 9 }, secret],
      ['nested', { map: [['db_password', [secret, secret]]] }],
      ['host', 'localhost'],
    ],
  };
  return [
    ['enter', login, 1, 'ann', secret, 3],
    ['return', login, 1, true],
    ['enter', login, 2, 'bob', null, 1],
    ['return', login, 2, false],
    ['enter', getPassword, 3],
    ['suspend', getPassword, 3, secret],
    ['resume', getPassword, 3, config],
    ['return', getPassword, 3, secret],
    ['enter', steps, 4, config],
    ['suspend', steps, 4, config],
    ['throwIn', steps, 4, { exception: 3, of: { tuple: [config] } }],
    ['unwound', steps, 4, { exception: 3, of: { tuple: [config] } }],
    ['enter', steps, 5, config],
  ];
}

function eventsOf(all: readonly Step[]): SimulatedEvent[] {
  return all.map(([kind, fn, sp, ...values], i) => ({
    kind: eventKind[kind],
    fn,
    sp,
    time: (i + 1) * 10,
    payload: new Uint8Array(dynamicBytes(...values)),
  }));
}

function storeAt(
  path: string,
  all: readonly Step[],
  options: Pick<WriterOptions, 'secretNames'> = {},
): void {
  using writer = SessionWriter.open(path, { sessionId: 't', ...options });
  writer.define(ring, definitions);
  // A forked child refers to what its parent defined.
  writer.define(child, []);
  writer.defineThread({ key: 1, pid: 7, tid: 8, name: 'main' }, ring.path);
  writer.defineThread({ key: 2, pid: 9, tid: 9, name: 'child' }, child.path);
  writer.append(1, batch(eventsOf(all)));
  writer.append(2, batch(eventsOf(all)));
  writer.commit(200);
}

const folder = new TemporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const path = folder.file('s.db');
storeAt(path, program('hunter2'));

const until = Number.MAX_SAFE_INTEGER;
const everyCall: readonly EventType[] = ['call', 'suspend', 'resume'];

function eventsIn(file: string, filter: CallFilter, eventTypes = everyCall): string {
  using reader = SessionReader.open(file);
  const asked = { filter, eventTypes, order: 'time', limit: 100, cursor: null } as const;
  return JSON.stringify(reader.events({ ...asked, until, deadlineMs: 6e4 }).events);
}

async function exportsOf(storePath: string): Promise<string> {
  const texts: string[] = [];
  for (const format of exportFormatNames) {
    const out = folder.file(`export.${format}`);
    writeFileSync(out, '');
    const about = {
      sessionId: 't',
      command: ['shop'],
      pid: 7,
      strobe: '0',
      filters: {},
      sampled: 0,
      lost: {},
      startedAt: '',
      startedAtMs: 0,
      notes: [],
      knownUntil: 200,
    };
    const target = { kind: 'file', path: out } as const;
    const job = {
      storePath,
      format,
      filter: {},
      eventTypes: ['call'],
      until,
      about,
      target,
    } as const;
    await writeExport(job, () => undefined);
    texts.push(readFileSync(out, 'latin1'));
  }
  return texts.join('\n');
}

function sql(file: string, statement: string): unknown[] {
  using tables = sqlTables(file);
  return [...tables.db.prepareReading(statement).iterate([])];
}

test('[dynamic.secrets] events show that a secret is there, and what tells none', () => {
  const text = eventsIn(path, {});
  expect(text).not.toContain('hunter2');
  expect(text).toContain('"name":"password","value":{"kind":"redacted","word":"password"}');
  expect(text).toContain('"name":"api_key","value":{"kind":"redacted","word":"api_key"}');
  expect(text).toContain('localhost');
  expect(text).toContain('shop.Vault.get_password is suspended with ?');
  // Neither that there is none tells it.
  expect(text).toContain('"name":"password","value":{"kind":"word","text":"None","isNull":true}');
});

test.each([
  ['another secret', 'correct horse battery staple'] as const,
  ['a number', 31_337] as const,
])(
  '[dynamic.secrets] the file of a session with %s is the same, byte for byte',
  (_what, secret) => {
    const other = folder.file(`other.${secret}.db`);
    storeAt(other, program(secret));
    expect(readFileSync(other).equals(readFileSync(path))).toBe(true);
    using here = SessionReader.open(path);
    using there = SessionReader.open(other);
    const side = { filter: {}, until };
    const { threads } = here.diff(there, { here: side, there: side, limit: 9, deadlineMs: 6e4 });
    expect(threads.map(({ order, values }) => order ?? values)).toEqual([null, null]);
  },
);

test('[dynamic.secrets] a filter of what is redacted is refused as one of a native argument is', () => {
  const asked = (name: string) => () => eventsIn(path, { argument: [{ name, equals: 'hunter2' }] });
  expect(asked('password')).toThrow('The argument "password" is not captured: redacted.');
  expect(asked('config.api_key')).toThrow(
    'In argument "config" the part "api_key" is not captured: redacted.',
  );
  expect(eventsIn(path, { argument: [{ index: 1, equals: 'hunter2' }] })).toBe('[]');
  expect(eventsIn(path, { argument: [{ contains: 'unter' }] })).toBe('[]');
  expect(eventsIn(path, { returnValue: { equals: 'hunter2' } })).toBe('[]');
  expect(eventsIn(path, { text: 'hunter2' })).toBe('[]');
  expect(eventsIn(path, { argument: [{ name: 'config.host', equals: 'localhost' }] })).toContain(
    'c1.',
  );
});

test('[dynamic.secrets] SQL and exports hold placeholders', async () => {
  const found = (field: string): unknown[] =>
    sql(path, `SELECT DISTINCT ${field} FROM calls WHERE 1 ORDER BY 1`).flat();
  expect(found("json_extract(arguments, '$.password')")).toEqual([
    null,
    '<redacted: named "password">',
  ]);
  expect(found("json_extract(arguments, '$.config.api_key')")).toEqual([
    null,
    '<redacted: named "api_key">',
  ]);
  expect(found('return_value')).toContain(JSON.stringify('<redacted: named "password">'));
  expect(JSON.stringify(sql(path, 'SELECT * FROM calls'))).not.toContain('hunter2');
  expect(await exportsOf(path)).not.toContain('hunter2');
});

test('[dynamic.secrets] the session says which names are secret; without any all is kept', async () => {
  const own = folder.file('own.db');
  storeAt(own, program('hunter2'), { secretNames: ['host', 'tries'] });
  const text = eventsIn(own, {});
  expect(text).toContain('hunter2');
  expect(text).not.toContain('localhost');
  expect(text).toContain('"name":"tries","value":{"kind":"redacted","word":"tries"}');
  const all = folder.file('all.db');
  storeAt(all, program('hunter2'), { secretNames: [] });
  expect(eventsIn(all, {})).not.toContain('redacted');
  expect(eventsIn(all, { argument: [{ name: 'config.api_key', equals: 'hunter2' }] })).toContain(
    'c1.',
  );
  expect(await exportsOf(all)).toContain('hunter2');
});

test('[dynamic.secrets] a writer that goes on with a file knows what was defined before', () => {
  const file = folder.file('continued.db');
  const events = eventsOf(program('hunter2'));
  const options = { sessionId: 't' };
  let { writer } = SessionWriter.continue(file, options);
  writer.define(ring, definitions);
  writer.defineThread({ key: 1, pid: 7, tid: 8, name: 'main' }, ring.path);
  for (const [i] of events.entries()) {
    writer.append(1, batch(events, i, i + 1));
    writer.commit(200);
    writer.close();
    ({ writer } = SessionWriter.continue(file, options));
  }
  writer.close();
  expect(eventsIn(file, {})).not.toContain('hunter2');
  expect(eventsIn(file, {})).toContain('redacted');
});
