import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { callId } from '../../../src/model/ids.ts';
import type { EventsPage, EventView } from '../../../src/model/questions/eventView.ts';
import type { CallFilter, EventsQuery } from '../../../src/model/questions/query.ts';
import { allEvents } from '../../support/questions.ts';
import { endAt, passes, wordsFit } from './plainReference.ts';
import { few, filters, nameFilter, scaled, valueFilter } from './randomFilters.ts';
import { RandomSession, type KnownCall } from './randomSession.ts';

function query(change: Partial<EventsQuery>): EventsQuery {
  return {
    ...allEvents,
    eventTypes: [],
    limit: 50,
    ...change,
  };
}

function keyOf(event: EventView): string {
  if ('call' in event) return `${event.type} ${event.call.id}`;
  return 'id' in event ? event.id : `${event.type} ${event.time}`;
}

function allPages(
  reader: SessionReader,
  first: EventsQuery,
  between: () => void = () => undefined,
): EventsPage[] {
  const pages: EventsPage[] = [];
  for (let cursor: string | null = null; ;) {
    const page = reader.events({ ...first, cursor });
    pages.push(page);
    expect(page.events.length).toBeLessThanOrEqual(first.limit);
    if (page.cursor === null) return pages;
    expect(pages.length).toBeLessThan(5000);
    cursor = page.cursor;
    between();
  }
}

/** A total is exact, or, where counting would have taken long, not too large. */
function checkTotal({ total, totalIsExact }: EventsPage, wanted: number): void {
  if (totalIsExact) expect(total).toBe(wanted);
  else expect(total).toBeLessThanOrEqual(wanted);
}

function checkTotals(pages: readonly EventsPage[], wanted: number): void {
  for (const page of pages) checkTotal(page, wanted);
  expect(pages.at(-1)?.total).toBe(wanted);
}

function idOf(call: KnownCall): string {
  return `c${call.thread.key}.${call.ordinal}`;
}

test('every filter, alone and combined, finds exactly the calls a plain search finds', () => {
  // Times are drawn as shares of the session's length, which is known only when it was made.
  const question = fc.record({
    filter: few(filters()),
    untilHalf: fc.boolean(),
    limit: fc.constantFrom(1, 7, 500),
  });
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 6 }),
      fc.array(question, { minLength: 12, maxLength: 12 }),
      (seed, rounds, questions) => {
        using session = RandomSession.inFolder(seed);
        session.grow(rounds);
        session.commit();
        using reader = session.read();
        for (const { filter: drawn, untilHalf, limit } of questions) {
          const filter = scaled(drawn, session);
          const until = untilHalf ? Math.floor(session.time / 2) : Number.MAX_SAFE_INTEGER;
          const seenUntil = Math.min(until, session.time);
          const pages = allPages(reader, query({ filter, eventTypes: ['call'], until, limit }));
          const found = pages.flatMap((page) => page.events.map(keyOf));
          const wanted = session.calls
            .filter((call) => passes(call, filter, session.calls, seenUntil))
            .toSorted((a, b) => a.start - b.start || a.thread.key - b.thread.key);
          expect(found).toEqual(wanted.map((call) => `call ${idOf(call)}`));
          checkTotals(pages, wanted.length);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test.each(['within', 'parent'] as const)('%s of a call that is not there is refused', (name) => {
  using session = RandomSession.inFolder(7);
  session.grow(2);
  session.commit();
  using reader = session.read();
  for (const id of ['c999.1', 'c1.999999'] as const)
    expect(() => reader.events(query({ filter: { [name]: id } }))).toThrow(
      `There is no call ${id}.`,
    );
});

test('values are found in full blocks, at their edges, and where they came late', () => {
  const argument = fc
    .tuple(valueFilter, fc.constantFrom({}, { name: 'amount' }, { name: 'name' }, { index: 0 }))
    .map(([value, which]): CallFilter => ({ argument: [{ ...value, ...which }] }));
  const question = fc.oneof(
    argument,
    valueFilter.map((returnValue): CallFilter => ({ returnValue })),
    fc.tuple(argument, nameFilter).map(([filter, fn]): CallFilter => ({ ...filter, function: fn })),
  );
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(question, { minLength: 60, maxLength: 60 }),
      (seed, questions) => {
        // Blocks in which each function has many calls.
        using session = RandomSession.inFolder(seed, { blockCalls: 2048 }, { names: ['main'] });
        session.stepAndCommit(6, 1500);
        using reader = session.read();
        for (const filter of questions) {
          const pages = allPages(reader, query({ filter, eventTypes: ['call'], limit: 5000 }));
          const wanted = session.calls.filter((call) =>
            passes(call, filter, session.calls, session.time),
          );
          expect(pages.flatMap((page) => page.events.map(keyOf))).toEqual(
            wanted.map((call) => `call ${idOf(call)}`),
          );
        }
      },
    ),
    { numRuns: 8 },
  );
});

test('[store.blocks] a call is shown with the values, times and end it had at the watermark', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using session = RandomSession.inFolder(seed);
      session.stepAndCommit(6, 60);
      using reader = session.read();
      const until = Math.floor(session.time / 2);
      const shown = new Map<string, EventView>();
      for (const page of allPages(reader, query({ eventTypes: ['call'], until, limit: 100 }))) {
        for (const event of page.events) shown.set(keyOf(event), event);
      }
      for (const call of session.calls) {
        if (call.start > until) continue;
        const event = shown.get(`call ${idOf(call)}`);
        if (!event || !('call' in event)) throw new Error(`${idOf(call)} is missing`);
        const end = endAt(call, until);
        const { watched = [], ...view } = event.call;
        expect(watched).toEqual(call.watched.filter(({ time }) => time <= until));
        expect([view.end, view.durationNs]).toEqual([end, end === 'open' ? null : call.durationNs]);
        expect([view.time, view.depth, view.function]).toEqual([
          call.start,
          call.depth,
          call.function.name,
        ]);
        expect([view.tid, view.pid, view.threadName]).toEqual([
          call.thread.tid,
          call.thread.pid,
          call.thread.name,
        ]);
        expect(view.parent).toBe(call.parent < 0 ? null : `c${call.thread.key}.${call.parent}`);
        expect(view.arguments).toEqual(call.arguments);
        if (end === 'returned' || call.function.returns.kind === 'void')
          expect(view.returns).toEqual(call.returns);
        else expect(view.returns.kind).toBe('notCaptured');
        if (end === call.end) expect(reader.callView(view.id)).toEqual(view);
      }
    }),
    { numRuns: 40 },
  );
});

test('enters, exits, calls and output lines are merged by time and by thread', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.constantFrom<'time' | 'thread'>('time', 'thread'),
      (seed, order) => {
        using session = RandomSession.inFolder(seed);
        for (let i = 0; i < 8; i++) {
          session.step(50);
          if (i % 3 === 0) session.commit();
        }
        session.commit();
        using reader = session.read();
        const eventTypes = ['function_exit', 'function_enter', 'call', 'stdout', 'stderr'] as const;
        const pages = allPages(reader, query({ eventTypes, order, limit: 33 }));
        const expected: { key: string; thread: number; time: number; rank: number; id: number }[] =
          [];
        for (const call of session.calls) {
          const at = { thread: call.thread.key, id: call.ordinal };
          expected.push({ key: `function_enter ${idOf(call)}`, time: call.start, rank: 1, ...at });
          expected.push({ key: `call ${idOf(call)}`, time: call.start, rank: 2, ...at });
          if (call.durationNs === null) continue;
          expected.push({
            key: `function_exit ${idOf(call)}`,
            time: call.start + call.durationNs,
            rank: 4,
            ...at,
          });
        }
        for (const [i, line] of session.lines.entries()) {
          expected.push({ key: `o${i + 1}`, thread: 0, time: line.time, rank: 3, id: i });
        }
        expected.sort((a, b) => {
          const byTime = a.time - b.time || a.rank - b.rank || a.thread - b.thread || a.id - b.id;
          return order === 'time' ? byTime : a.thread - b.thread || byTime;
        });
        expect(pages.flatMap((page) => page.events.map(keyOf))).toEqual(
          expected.map(({ key }) => key),
        );
        checkTotals(pages, expected.length);
      },
    ),
    { numRuns: 30 },
  );
});

test('filters that output can pass restrict it, all others leave it out', () => {
  using session = RandomSession.inFolder(11);
  for (let i = 0; i < 40; i++) session.step(10);
  session.writer.appendProcess({ kind: 'started', time: 0, pid: 100 });
  session.commit();
  using reader = session.read();
  const texts = (filter: CallFilter): string[] =>
    allPages(reader, query({ filter, eventTypes: ['stdout', 'stderr', 'process'] })).flatMap(
      (page) => page.events.map((event) => ('text' in event ? event.text : '?')),
    );
  const half = Math.floor(session.time / 2);
  expect(texts({ text: 'overdraft' })).toEqual(
    session.lines.filter((line) => wordsFit(line.text, 'overdraft')).map((line) => line.text),
  );
  expect(texts({ timeFrom: half })).toEqual(
    session.lines.filter((line) => line.time >= half).map((line) => line.text),
  );
  expect(texts({ pid: 100 })).toHaveLength(session.lines.length + 1);
  expect(texts({ pid: 101 })).toEqual([]);
  expect(texts({ minDurationNs: 1 })).toEqual([]);
  expect(texts({ function: { contains: 'bank' } })).toEqual([]);
  expect(texts({ within: callId(1, 0) })).toEqual([]);
});

test('a cursor followed while capture goes on reaches every event exactly once', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using session = RandomSession.inFolder(seed);
      session.stepAndCommit(1, 300);
      using reader = session.read();
      let more = 12;
      const first = query({ eventTypes: ['call', 'stdout', 'stderr', 'function_exit'], limit: 40 });
      const pages = allPages(reader, first, () => {
        if (more-- <= 0) return;
        session.stepAndCommit(1, 20);
      });
      const keys = pages.flatMap((page) => page.events.map(keyOf));
      const exits = session.calls.filter((call) => call.durationNs !== null).length;
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.length).toBe(session.calls.length + exits + session.lines.length);
    }),
    { numRuns: 25 },
  );
});

test('a question about ends is answered as of its first page', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using session = RandomSession.inFolder(seed);
      session.stepAndCommit(1, 400);
      const until = session.time;
      const filter = { minDurationNs: 2000 };
      const wanted = session.calls.filter((call) => passes(call, filter, session.calls, until));
      const keys = wanted.map((call) => `call ${idOf(call)}`);
      using reader = session.read();
      const pages: EventsPage[] = [];
      for (let cursor: string | null = null; ;) {
        const page = reader.events(
          query({ filter, eventTypes: ['call'], limit: 9, cursor, until: session.time }),
        );
        // The same cursor gives the same page again.
        const again = reader.events(
          query({ filter, eventTypes: ['call'], limit: 9, cursor, until: session.time }),
        );
        expect([again.events, again.cursor]).toEqual([page.events, page.cursor]);
        pages.push(page);
        if (page.cursor === null) break;
        cursor = page.cursor;
        session.stepAndCommit(1, 30);
      }
      const found = pages.flatMap((page) => page.events.map(keyOf));
      expect(found.toSorted()).toEqual(keys.toSorted());
    }),
    { numRuns: 25 },
  );
});

test('the list goes on after each event of a page', () => {
  using session = RandomSession.inFolder(11);
  for (let i = 0; i < 10; i++) session.step(100);
  session.commit();
  using reader = session.read();
  const order = ['time', 'thread'] as const;
  for (const wanted of order.map((by) => query({ order: by, eventTypes: ['call'], limit: 30 }))) {
    const page = reader.events(wanted);
    expect(page.cursors).toHaveLength(30);
    expect(page.cursors.at(-1)).toBe(page.cursor);
    for (const [at, cursor] of page.cursors.entries()) {
      const next = reader.events({ ...wanted, limit: 29 - at || 1, cursor });
      expect(next.events.slice(0, 29 - at)).toEqual(page.events.slice(at + 1));
      checkTotal(next, session.calls.length);
    }
  }
});

test('a deadline ends a search early, says how far it got, and the cursor goes on', () => {
  using session = RandomSession.inFolder(5);
  for (let i = 0; i < 30; i++) session.step(100);
  session.commit();
  using reader = session.read();
  const pages = allPages(reader, query({ eventTypes: ['call'], deadlineMs: 0, limit: 500 }));
  const keys = pages.flatMap((page) => page.events.map(keyOf));
  expect(keys).toHaveLength(session.calls.length);
  expect(new Set(keys).size).toBe(keys.length);
  const [first] = pages;
  expect(first?.complete).toBe(false);
  expect(first?.lookedUntil).toBeLessThan(session.time);
  expect(first?.totalIsExact).toBe(false);
});

test.each<[string, Partial<EventsQuery>, string]>([
  [
    'a regular expression that cannot be read',
    { filter: { function: { matches: '(' } } },
    'BAD_REGEX',
  ],
  ['a pattern that cannot be read', { filter: { function: { pattern: '' } } }, 'BAD_PATTERN'],
  ['an operator that has no meaning', { filter: { function: { glob: 'x' } } }, 'BAD_PARAMETER'],
  ['a bound that is no number', { filter: { argument: [{ lt: 'many' }] } }, 'BAD_PARAMETER'],
  [
    'an argument that no function has',
    { filter: { argument: [{ name: 'amuont', gt: '1' }] } },
    'BAD_PARAMETER',
  ],
  [
    'a part that no argument has',
    { filter: { argument: [{ name: 'amount.x', gt: '1' }] } },
    'BAD_PARAMETER',
  ],
  [
    'an index beyond all arguments',
    { filter: { argument: [{ index: 9, gt: '1' }] } },
    'BAD_PARAMETER',
  ],
  ['a text without words', { filter: { text: ' -- ' } }, 'BAD_PARAMETER'],
  ['a cursor of another query', { cursor: 'e123.1.1.1.1.1.1.1.1' }, 'BAD_CURSOR'],
])('%s is refused', (_what, change, code) => {
  using session = RandomSession.inFolder(5);
  session.stepAndCommit(1, 100);
  using reader = session.read();
  expect(() => reader.events(query(change))).toThrow(expect.objectContaining({ code }));
});
