import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import type { EventsQuery } from '../../../src/model/questions/query.ts';
import { batch, seeded, SimulatedThread } from '../../unit/db/simulatedThread.ts';
import { allEvents } from '../../support/questions.ts';
import { RandomSession, TemporaryFolder } from './randomSession.ts';

const until = Number.MAX_SAFE_INTEGER;
const deadlineMs = 60_000;
const everything: EventsQuery = {
  ...allEvents,
  eventTypes: ['call', 'stdout', 'stderr', 'loss', 'process'],
};

/** All a reader can say of a file. */
function told(path: string) {
  using reader = SessionReader.open(path);
  const pages: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page = reader.events({ ...everything, cursor });
    pages.push(page.events);
    cursor = page.cursor;
  } while (cursor !== null);
  const output = { stream: null, tail: null, match: null, pid: null, timeFrom: null, timeTo: null };
  return {
    pages,
    summary: reader.summary(),
    text: reader.events({ ...everything, filter: { text: 'overdraft' } }).total,
    stats: (['function', 'thread'] as const).map((groupBy) =>
      reader.stats({ filter: {}, groupBy, sortBy: 'count', limit: 99, until, deadlineMs }),
    ),
    output: reader.output({ ...output, limit: 500, cursor: null, until }),
  };
}

test('a session written by many writers, one after the other, is that of one', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 150 }), fc.boolean()), {
        minLength: 2,
        maxLength: 12,
      }),
      fc.constantFrom(undefined, 600),
      (seed, parts, maxEvents) => {
        using folder = new TemporaryFolder();
        const options = maxEvents === undefined ? {} : { maxEvents };
        using whole = new RandomSession(folder.file('whole.db'), seed, options);
        using split = new RandomSession(folder.file('split.db'), seed, options);
        for (const [i, [steps, handsOver]] of parts.entries()) {
          for (const session of [whole, split]) session.step(steps);
          whole.commit();
          if (handsOver) expect(split.handOver(`{"part":${i}}`)).toBe(`{"part":${i}}`);
          else split.commit();
        }
        const [one, many] = [told(folder.file('whole.db')), told(folder.file('split.db'))];
        if (maxEvents === undefined) expect(many).toEqual(one);
        // Whole blocks are given up, and other writers begin other blocks.
        const { seen, stored } = many.summary.counters;
        expect(seen).toBe(one.summary.counters.seen);
        expect(stored).toBeLessThanOrEqual(maxEvents ?? Infinity);
        expect(many.stats).toEqual(one.stats);
      },
    ),
    { numRuns: 60 },
  );
});

test('what was not committed is given up, and given again it is there once', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  const thread = new SimulatedThread(seeded(7));
  for (let i = 0; i < 40; i++) thread.enter((i % 4) * 3);
  for (let i = 0; i < 25; i++) thread.leave('return');
  const first = SessionWriter.open(path, { sessionId: 't', blockCalls: 16 });
  first.append(1, batch(thread.events, 0, 50));
  first.keepLife('{"kind":"started"}');
  first.commit(10, '50');
  first.append(1, batch(thread.events, 50, 65));
  first.keepLife('{"kind":"exited"}');
  first.close();
  const next = SessionWriter.continue(path, { sessionId: 't', blockCalls: 16 });
  using writer = next.writer;
  expect(next.sources).toBe('50');
  expect(writer.life()).toEqual(['{"kind":"started"}']);
  writer.append(1, batch(thread.events, 50, 65));
  writer.commit(20);
  expect(writer.summary()).toMatchObject({
    calls: 40,
    openCalls: 15,
    counters: { seen: 65, stored: 65, lost: 0 },
    indexedTo: 20,
  });
});

test('a line cut in the middle of a character by a change of writers comes out whole', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  const bytes = new TextEncoder().encode('grün → blau\nrest');
  const options = { sessionId: 't' };
  let writer = SessionWriter.open(path, options);
  for (let i = 0; i < bytes.length; i++) {
    const chunk = { stream: 'stdout' as const, pid: 5, time: i, bytes: bytes.subarray(i, i + 1) };
    writer.appendOutput([chunk]);
    writer.commit(i, '{}');
    writer.close();
    ({ writer } = SessionWriter.continue(path, options));
  }
  writer.close();
  using reader = SessionReader.open(path);
  const output = { stream: null, tail: null, match: null, pid: null, timeFrom: null, timeTo: null };
  const page = reader.output({ ...output, limit: 9, cursor: null, until });
  expect(page.lines.map(({ text, time }) => ({ text, time }))).toEqual([
    { text: 'grün → blau', time: 0 },
    { text: 'rest', time: 15 },
  ]);
  expect(reader.summary()).toMatchObject({ outputLines: 2, outputBytes: bytes.length });
});

test('a file that is not there is begun', () => {
  using folder = new TemporaryFolder();
  const { writer, sources } = SessionWriter.continue(folder.file('s.db'), { sessionId: 't' });
  expect(sources).toBeNull();
  expect(writer.summary().calls).toBe(0);
  writer.close();
});
