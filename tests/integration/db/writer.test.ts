import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { eventKind } from '../../../src/model/eventColumns.ts';
import { callId } from '../../../src/model/ids.ts';
import type { StoreSummary } from '../../../src/model/questions/query.ts';
import { batch, seeded, SimulatedThread } from '../../unit/db/simulatedThread.ts';
import { allEvents, allStats } from '../../support/questions.ts';
import { functions, RandomSession, TemporaryFolder } from './randomSession.ts';

function reconciles({ counters }: StoreSummary): void {
  const causes = Object.entries(counters.byCause).filter(([cause]) => cause !== 'outputLimit');
  expect(counters.lost).toBe(causes.reduce((sum, [, count]) => sum + count, 0));
  expect(counters.seen).toBe(counters.stored + counters.lost);
}

test('an uncommitted event is not seen, a committed one is, however small the commits', () => {
  using session = RandomSession.inFolder(21);
  using reader = session.read();
  for (let i = 0; i < 60; i++) {
    const before = session.calls.length;
    session.step(1 + (i % 9));
    expect(reader.summary().calls).toBe(before);
    session.commit();
    const summary = reader.summary();
    expect(summary.calls).toBe(session.calls.length);
    expect(summary.openCalls).toBe(session.calls.filter((call) => call.end === 'open').length);
    expect(summary.indexedTo).toBe(session.time);
    expect(reader.events(allEvents).total).toBe(session.calls.length);
    reconciles(summary);
  }
});

test('calls within one step of the clock have times of their own, in their order', () => {
  using folder = new TemporaryFolder();
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't', blockCalls: 16 });
  const thread = new SimulatedThread(seeded(1));
  for (let i = 0; i < 5; i++) {
    thread.enter(3);
    thread.leave('return');
  }
  const events = thread.events.map((event) => ({
    ...event,
    time: event === thread.events[9] ? 40 : 30,
  }));
  // What is stored goes on between two batches.
  writer.append(1, batch(events, 0, 3));
  writer.append(1, batch(events, 3, 10));
  writer.commit(100);
  using reader = SessionReader.open(folder.file('s.db'));
  const calls = reader
    .events(allEvents)
    .events.map((event) => ('call' in event ? [event.time, event.call.durationNs] : []));
  expect(calls).toEqual([...[30, 32, 34, 36].map((time) => [time, 1]), [38, 2]]);
});

test('every event a thread produced is stored or lost, with its cause', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 25 })), {
        minLength: 1,
        maxLength: 20,
      }),
      (seed, parts) => {
        using folder = new TemporaryFolder();
        using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't', blockCalls: 16 });
        const random = seeded(seed);
        const thread = new SimulatedThread(random);
        let lost = 0;
        let sent = 0;
        for (const [steps, gap] of parts) {
          for (let i = 0; i < steps + gap; i++) {
            if (random(10) < 6) thread.enter(random(5) * 3);
            else thread.leave(random(8) === 0 ? 'unwound' : 'return');
          }
          const from = Math.min(sent + gap, thread.events.length);
          writer.append(1, batch(thread.events, from, thread.events.length, from - sent));
          writer.recordLoss('ringOverwritten', from - sent, thread.time, 1);
          lost += from - sent;
          sent = thread.events.length;
          if (random(2) === 0) writer.commit(thread.time);
        }
        writer.commit(thread.time);
        const summary = writer.summary();
        reconciles(summary);
        expect(summary.counters.seen).toBe(thread.events.length);
        expect(summary.counters.byCause.ringOverwritten ?? 0).toBe(lost);
        using reader = SessionReader.open(folder.file('s.db'));
        const stats = reader.stats({
          ...allStats,
        });
        expect(stats.rows.reduce((sum, row) => sum + row.count, 0)).toBe(summary.calls);
        expect(stats.rows.reduce((sum, row) => sum + row.open, 0)).toBe(summary.openCalls);
      },
    ),
    { numRuns: 80 },
  );
});

test('beyond the event limit the oldest calls go, are counted, and counters stay exact', () => {
  using session = RandomSession.inFolder(33, { maxEvents: 1000 });
  for (let i = 0; i < 40; i++) {
    session.stepAndCommit(1, 100);
    expect(session.writer.summary().counters.stored).toBeLessThanOrEqual(1000);
  }
  const summary = session.writer.summary();
  reconciles(summary);
  const produced = session.calls.reduce(
    (sum, { end, watched }) => sum + 1 + (end === 'open' ? 0 : 1) + watched.length,
    0,
  );
  expect(summary.counters.seen).toBe(produced);
  expect(summary.counters.byCause.eventLimit).toBe(produced - summary.counters.stored);
  using reader = session.read();
  expect(reader.callView(callId(1, 0))).toBeNull();
  const page = reader.events(allEvents);
  expect(page.total).toBe(summary.calls);
  const kept = new Set(page.events.map((event) => ('call' in event ? event.call.id : '')));
  for (const key of [1, 2, 3]) {
    const ordinals = session.calls
      .filter((call) => call.thread.key === key)
      .map((call) => call.ordinal);
    const first = ordinals.find((ordinal) => kept.has(callId(key, ordinal))) ?? Infinity;
    for (const ordinal of ordinals) {
      // Of each thread, what is left is its latest calls without a hole.
      if (page.total <= 500) expect(kept.has(callId(key, ordinal))).toBe(ordinal >= first);
    }
  }
  const stats = reader.stats({
    ...allStats,
  });
  expect(stats.rows.reduce((sum, row) => sum + row.count, 0)).toBe(session.calls.length);
});

test('a call longer than 32 bits of nanoseconds keeps its exact duration', () => {
  using folder = new TemporaryFolder();
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't' });
  writer.defineFunctions(functions);
  const none = new Uint8Array(0);
  const hours = 3 * 3600e9 + 7;
  writer.append(
    1,
    batch([
      { kind: eventKind.enter, fn: 0, time: 5, sp: 900, payload: none },
      { kind: eventKind.enter, fn: 3, time: 2 ** 33, sp: 800, payload: none },
      { kind: eventKind.return, fn: 3, time: 2 ** 33 + 1, sp: 800, payload: none },
      { kind: eventKind.return, fn: 0, time: 5 + hours, sp: 900, payload: none },
    ]),
  );
  writer.commit(hours + 5);
  using reader = SessionReader.open(folder.file('s.db'));
  expect(reader.callView(callId(1, 0))?.durationNs).toBe(hours);
  expect(reader.callView(callId(1, 1))).toMatchObject({
    time: 2 ** 33,
    durationNs: 1,
    parent: 'c1.0',
  });
});

test('what a batch does not hold is not invented: cut payloads are told as such', () => {
  using folder = new TemporaryFolder();
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't' });
  writer.defineFunctions(functions);
  // Function 9 captures three values; the record holds one word and three bytes.
  const payload = Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9]);
  writer.append(1, batch([{ kind: eventKind.enter, fn: 9, time: 1, sp: 9, payload }]));
  writer.append(1, batch([{ kind: eventKind.enter, fn: 77, time: 2, sp: 8, payload }]));
  writer.commit(3);
  using reader = SessionReader.open(folder.file('s.db'));
  const values = reader.callView(callId(1, 0))?.arguments.map(({ value }) => value.kind);
  expect(values?.slice(1)).toEqual(['notCaptured', 'notCaptured']);
  expect(reader.callView(callId(1, 1))?.function).toBe('function 77');
});

test('a thread that is renamed is found under its new name; its open calls stay open at its end', () => {
  using session = RandomSession.inFolder(3);
  session.stepAndCommit(1, 200);
  using reader = session.read();
  session.writer.defineThread({ key: 2, pid: 101, tid: 1001, name: 'renamed' });
  session.writer.threadEnded(2);
  session.commit();
  const page = reader.events({ ...allEvents, filter: { threadName: { equals: 'renamed' } } });
  const wanted = session.calls.filter((call) => call.thread.key === 2);
  expect(page.total).toBe(wanted.length);
  const open = page.events.filter((event) => 'call' in event && event.call.end === 'open');
  expect(open).toHaveLength(wanted.filter((call) => call.end === 'open').length);
});

test('losses are events of their own', () => {
  using folder = new TemporaryFolder();
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't' });
  writer.recordLoss('torn', 2, 50, 1);
  writer.recordLoss('torn', 3, 60, 1);
  writer.recordLoss('noRing', 7, 70, null);
  writer.commit(100);
  using reader = SessionReader.open(folder.file('s.db'));
  const { events } = reader.events({ ...allEvents, eventTypes: ['loss'] });
  expect(events).toEqual([
    { type: 'loss', time: 50, text: 'a record was reserved but never completed', count: 5 },
    {
      type: 'loss',
      time: 70,
      text: 'no ring was free for the thread (setting ring.slots)',
      count: 7,
    },
  ]);
  expect(reader.summary().counters).toMatchObject({
    seen: 12,
    lost: 12,
    byCause: { torn: 5, noRing: 7 },
  });
});
