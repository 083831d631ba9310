import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CallStream, type StreamItem } from '../../../src/db/export/callStream.ts';
import type { ExportResult } from '../../../src/db/export/exportMessages.ts';
import { writeExport } from '../../../src/db/export/writeExport.ts';
import type { Block } from '../../../src/db/reader/block.ts';
import { SessionTables } from '../../../src/db/reader/sessionTables.ts';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { Sqlite } from '../../../src/db/sqlite.ts';
import type { ExportFormatName } from '../../../src/model/questions/exportFormat.ts';
import type { CallFilter, EventType } from '../../../src/model/questions/query.ts';
import { at, listAt, numberAt } from '../../support/read.ts';
import { endAt, passes } from './plainReference.ts';
import { few, filters, scaled } from './randomFilters.ts';
import { RandomSession, TemporaryFolder, type KnownCall } from './randomSession.ts';

interface Wanted {
  readonly format: ExportFormatName;
  readonly filter?: CallFilter;
  readonly until?: number;
  readonly eventTypes?: readonly EventType[];
}

/** The whole text of an export of a session, made in this process. */
async function exported(
  folder: TemporaryFolder,
  session: RandomSession,
  { format, filter = {}, until = Number.MAX_SAFE_INTEGER, eventTypes = ['call'] }: Wanted,
): Promise<{ readonly text: string; readonly result: ExportResult }> {
  const path = folder.file('export');
  writeFileSync(path, '');
  const about = {
    sessionId: 'random-1',
    command: ['random'],
    pid: 100,
    strobe: '0',
    filters: {},
    sampled: 0,
    lost: {},
    startedAt: new Date(0).toISOString(),
    startedAtMs: 1_700_000_000_000,
    notes: [],
    knownUntil: Math.min(until, session.time),
  };
  const result = await writeExport(
    {
      storePath: folder.file('s.db'),
      format,
      filter,
      eventTypes,
      until,
      about,
      target: { kind: 'file', path },
    },
    () => undefined,
  );
  return { text: readFileSync(path, 'utf8'), result };
}

function randomSession(folder: TemporaryFolder, seed: number, rounds = 5): RandomSession {
  const session = new RandomSession(folder.file('s.db'), seed);
  for (let i = 0; i < rounds; i++) {
    session.step(80);
    if (i % 2 === 0) session.commit();
  }
  session.commit();
  return session;
}

function idOf(call: KnownCall): string {
  return `c${call.thread.key}.${call.ordinal}`;
}

function jsonLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

function inOrder(calls: readonly KnownCall[]): KnownCall[] {
  return calls.toSorted((a, b) => a.start - b.start || a.thread.key - b.thread.key);
}

test('[export.filters] an export holds exactly the calls that every filter takes, with their values', async () => {
  const question = fc.record({ filter: few(filters()), untilHalf: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(question, { minLength: 8, maxLength: 8 }),
      async (seed, questions) => {
        using folder = new TemporaryFolder();
        using session = randomSession(folder, seed);
        for (const { filter: drawn, untilHalf } of questions) {
          const filter = scaled(drawn, session);
          const until = untilHalf ? Math.floor(session.time / 2) : Number.MAX_SAFE_INTEGER;
          const seen = Math.min(until, session.time);
          const wanted = inOrder(
            session.calls.filter((call) => passes(call, filter, session.calls, seen)),
          );
          const { text, result } = await exported(folder, session, {
            format: 'jsonl',
            filter,
            until,
          });
          const lines = jsonLines(text);
          expect(at(lines[0], 'eventType')).toBe('session');
          expect(at(lines.at(-1), 'calls')).toBe(wanted.length);
          expect(result.totals.calls).toBe(wanted.length);
          expect(lines.slice(1, -1).map((line) => at(line, 'id'))).toEqual(wanted.map(idOf));
          for (const [i, call] of wanted.entries()) {
            const line = lines[i + 1];
            const end = endAt(call, seen);
            expect([at(line, 'end'), at(line, 'durationNs'), at(line, 'timestampNs')]).toEqual([
              end,
              end === 'open' ? null : call.durationNs,
              call.start,
            ]);
            expect(at(line, 'functionName')).toBe(call.function.name);
            for (const { name, value } of call.arguments) {
              if (value.kind === 'string') expect(at(line, 'arguments', name)).toBe(value.text);
              if (value.kind === 'bool') expect(at(line, 'arguments', name)).toBe(value.value);
              if (value.kind === 'int')
                expect(String(at(line, 'arguments', name))).toBe(value.text);
            }
          }
        }
      },
    ),
    { numRuns: 6 },
  );
});

test('[export.live] an export of a session that is being written has every call exactly once, in order', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom<'time' | 'thread'>('time', 'thread'),
      fc.constantFrom(1, 40, 1000),
      (seed, order, windowCalls) => {
        using folder = new TemporaryFolder();
        using session = randomSession(folder, seed);
        using db = Sqlite.openReadonly(folder.file('s.db'), { migrations: sessionMigrations });
        const until = session.time;
        const known = new Set(session.calls);
        const linesBefore = session.lines.length;
        const eventTypes = ['call', 'stdout', 'stderr'] as const;
        const query = { filter: {}, eventTypes, order, until, windowCalls };
        const stream = new CallStream(db, new SessionTables(db), query);
        const found: { id: string; time: number; thread: number; parent: string | null }[] = [];
        const values: unknown[] = [];
        const times: number[] = [];
        let rows = 0;
        const give = (item: StreamItem): void => {
          if (item.kind === 'event') rows++;
          if (item.kind === 'event') times.push(item.event.time);
          if (item.kind !== 'call') return;
          const { id, time, thread, parent } = item.call;
          // Its block may have been written anew since the slice began.
          if (found.length % 7 === 0) {
            session.stepAndCommit(1, 2);
          }
          found.push({ id, time, thread: thread.key, parent: parent?.id ?? null });
          values.push(item.call.values().arguments);
          times.push(time);
        };
        for (const _slice of stream.slices(give)) {
          session.stepAndCommit(1, 30);
        }
        const wanted = [...known].filter((call) => call.start <= until);
        const sorted =
          order === 'time'
            ? inOrder(wanted)
            : wanted.toSorted((a, b) => a.thread.key - b.thread.key || a.ordinal - b.ordinal);
        expect(found.map(({ id }) => id)).toEqual(sorted.map(idOf));
        expect(values).toEqual(sorted.map((call) => call.arguments));
        expect(found.map(({ parent }) => parent)).toEqual(
          sorted.map((call) => (call.parent < 0 ? null : `c${call.thread.key}.${call.parent}`)),
        );
        // A line may come late with the time of the watermark itself.
        const linesUntil = session.lines.filter(({ time }) => time <= until).length;
        expect(rows).toBeGreaterThanOrEqual(linesBefore);
        expect(rows).toBeLessThanOrEqual(linesUntil);
        expect(stream.dropped).toBe(0);
        if (order === 'time') expect(times).toEqual(times.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 12 },
  );
});

test('[export.callers] a call is exported below its nearest caller that is exported, too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), few(filters()), async (seed, drawn) => {
      using folder = new TemporaryFolder();
      using session = randomSession(folder, seed);
      const filter = scaled(drawn, session);
      const taken = session.calls.filter((call) =>
        passes(call, filter, session.calls, session.time),
      );
      const byId = new Map(session.calls.map((call) => [idOf(call), call]));
      const isTaken = new Set(taken.map(idOf));
      const nearest = (call: KnownCall): string | null => {
        let id = `c${call.thread.key}.${call.parent}`;
        for (let above = byId.get(id); above; above = byId.get(id)) {
          if (isTaken.has(id)) return id;
          id = `c${call.thread.key}.${above.parent}`;
        }
        return null;
      };
      using db = Sqlite.openReadonly(folder.file('s.db'), { migrations: sessionMigrations });
      const query = { eventTypes: ['call'] as const, until: session.time };
      for (const order of ['time', 'thread'] as const) {
        const stream = new CallStream(db, new SessionTables(db), { ...query, filter, order });
        const give = (item: StreamItem): void => {
          if (item.kind !== 'call') return;
          const known = byId.get(item.call.id);
          expect(item.call.parent?.id ?? null).toBe(known ? nearest(known) : 'unknown');
        };
        for (const _slice of stream.slices(give)) continue;
      }
    }),
    { numRuns: 15 },
  );
});

test.each(['time', 'thread'] as const)(
  'in order of %s, what the session drops while it is exported is counted',
  (order) => {
    using folder = new TemporaryFolder();
    using session = new RandomSession(folder.file('s.db'), 3, { maxEvents: 2000 });
    for (let i = 0; i < 6; i++) session.step(120);
    session.commit();
    using db = Sqlite.openReadonly(folder.file('s.db'), { migrations: sessionMigrations });
    const query = {
      filter: {},
      eventTypes: ['call'],
      order,
      until: session.time,
      windowCalls: 50,
    } as const;
    const stream = new CallStream(db, new SessionTables(db), query);
    const stored = session.calls.length;
    let given = 0;
    const give = ({ kind }: StreamItem): void => {
      if (kind === 'call') given++;
    };
    for (const _slice of stream.slices(give)) {
      session.stepAndCommit(1, 2000);
    }
    expect(stream.dropped).toBeGreaterThan(0);
    expect(given).toBeGreaterThan(0);
    expect(given + stream.dropped).toBe(stored);
  },
);

test.each(['time', 'thread'] as const)(
  'in order of %s, blocks whose calls were all given are not kept in memory',
  (order) => {
    using folder = new TemporaryFolder();
    using session = randomSession(folder, 8, 30);
    using db = Sqlite.openReadonly(folder.file('s.db'), { migrations: sessionMigrations });
    const tables = new SessionTables(db);
    const until = session.time;
    const query = { filter: {}, eventTypes: ['call'], order, until, windowCalls: 50 } as const;
    const stream = new CallStream(db, tables, query);
    const inMemory = (): Block[] => tables.blocks.byTime.filter(({ bytes }) => bytes > 0);
    const given = new Map<number, number>();
    const give = (item: StreamItem): void => {
      if (item.kind !== 'call') return;
      item.call.values();
      given.set(item.call.thread.key, item.call.ordinal);
    };
    for (const _slice of stream.slices(give)) {
      for (const { thread, first, calls } of inMemory())
        expect(first + calls - 1).toBeGreaterThan(given.get(thread) ?? -1);
    }
    expect(tables.blocks.byTime.length).toBeGreaterThan(20);
    expect(inMemory()).toEqual([]);
  },
);

test('CSV says the same as JSON Lines, read by another reader', async () => {
  using folder = new TemporaryFolder();
  using session = randomSession(folder, 21);
  const eventTypes = ['call', 'stdout', 'stderr', 'process', 'loss'] as const;
  const { text: csv } = await exported(folder, session, { format: 'csv', eventTypes });
  const { text: json } = await exported(folder, session, { format: 'jsonl', eventTypes });
  const rows: unknown[] = parse(csv, { columns: true });
  const lines = jsonLines(json);
  expect(rows).toHaveLength(lines.length);
  const parsed = (cell: unknown): unknown => (cell === '' ? null : JSON.parse(String(cell)));
  for (const [i, row] of rows.entries()) {
    const line = lines[i];
    expect(at(row, 'event_type')).toBe(at(line, 'eventType'));
    if (at(row, 'event_type') === 'stdout') expect(at(row, 'text')).toBe(at(line, 'text'));
    if (at(row, 'event_type') !== 'call') continue;
    expect(at(row, 'id')).toBe(at(line, 'id'));
    expect(at(row, 'function_name')).toBe(at(line, 'functionName'));
    expect(Number(at(row, 'timestamp_ns'))).toBe(numberAt(line, 'timestampNs'));
    expect(parsed(at(row, 'arguments')) ?? {}).toEqual(at(line, 'arguments'));
    expect(parsed(at(row, 'return_value'))).toEqual(at(line, 'returnValue') ?? null);
  }
  expect(listAt({ rows }, 'rows').length).toBeGreaterThan(100);
});

test('folded stacks add up to the time of the outermost calls', async () => {
  using folder = new TemporaryFolder();
  using session = randomSession(folder, 5, 9);
  const { text } = await exported(folder, session, { format: 'folded' });
  const sum = text
    .trimEnd()
    .split('\n')
    .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  const roots = session.calls.filter((call) => call.parent < 0);
  const lasted = (call: KnownCall): number => call.durationNs ?? session.time - call.start;
  expect(sum).toBe(roots.reduce((total, call) => total + lasted(call), 0));
});
