import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import type { EventView } from '../../../src/model/questions/eventView.ts';
import type { CallFilter, EventsQuery } from '../../../src/model/questions/query.ts';
import type { WatchDefinition } from '../../../src/model/watches/watch.ts';
import { allEvents } from '../../support/questions.ts';
import { passes, sampleFits, wordsFit } from './plainReference.ts';
import { few, filters, scaled } from './randomFilters.ts';
import { RandomSession, type KnownCall, type KnownSample } from './randomSession.ts';

const written: WatchDefinition = {
  number: 2,
  label: 'total',
  expr: 'gTotal',
  isOfCall: false,
  isWritten: true,
  type: { kind: 'int', name: 'int', bytes: 4, signed: true },
};

/** A write as a perfect observer knows it; `call`: the innermost one that was open then. */
interface KnownWrite {
  readonly sample: KnownSample;
  readonly pid: number;
  readonly tid: number;
  readonly call: KnownCall | null;
}

/** Writes at random times, each on a thread of the session. */
function addWrites(session: RandomSession, count: number): KnownWrite[] {
  const writes = Array.from({ length: count }, (): KnownWrite => {
    const time = session.random(session.time + 1);
    const key = session.random(3) + 1;
    const [pid, tid] = [100 + ((key - 1) % 2), 999 + key];
    const open = session.calls.filter(
      (call) =>
        call.thread.key === key &&
        call.start <= time &&
        (call.end === 'open' || time <= call.start + (call.durationNs ?? 0)),
    );
    // Where one ends and the next begins in the same nanosecond it is the next one's.
    const call = open.toSorted((a, b) => b.ordinal - a.ordinal)[0] ?? null;
    const value = { kind: 'int', text: String(session.random(5) - 2) } as const;
    return { sample: { label: 'total', time, atReturn: false, value }, pid, tid, call };
  });
  session.writer.defineWatches([written]);
  session.writer.appendWrites({
    sites: [{ id: 's', frames: [] }],
    writes: writes.map(({ sample, pid, tid }) => {
      const now = String(
        BigInt.asUintN(64, BigInt('text' in sample.value ? sample.value.text : 0)),
      );
      return { watch: 2, time: sample.time, pid, tid, site: 's', isNear: false, old: null, now };
    }),
    missed: null,
  });
  return writes;
}

const textOf = ({ value }: KnownSample): string => ('text' in value ? value.text : '');

/** As plainly as can be: its own time, text and value, and all else of its call. */
function fits(
  snapshot: { readonly sample: KnownSample; readonly call: KnownCall | null },
  filter: CallFilter,
  all: readonly KnownCall[],
  until: number,
): boolean {
  const { timeFrom = 0, timeTo = until, text, watched, ...more } = filter;
  // `onThread` says whose it is.
  const { threadId: _threadId, threadName: _threadName, pid: _pid, ...rest } = more;
  const { sample, call } = snapshot;
  if (sample.time < timeFrom || sample.time > timeTo || !sampleFits(sample, watched, until))
    return false;
  if (text !== undefined && !wordsFit(`${sample.label} ${textOf(sample)}`, text)) return false;
  return Object.keys(rest).length === 0 || (call !== null && passes(call, rest, all, until));
}

const keyOf = (event: EventView): string =>
  event.type === 'variable_snapshot'
    ? `${event.time} ${event.tid} ${event.within} ${event.isWritten} ${JSON.stringify(event.watched)}`
    : 'call' in event
      ? event.call.id
      : event.type;

function keyOfKnown(sample: KnownSample, tid: number, call: KnownCall | null, isWritten: boolean) {
  const { label, atReturn, value, time } = sample;
  const within = call ? `c${call.thread.key}.${call.ordinal}` : null;
  return `${time} ${tid} ${within} ${isWritten} ${JSON.stringify({ label, atReturn, value })}`;
}

function allPages(
  reader: SessionReader,
  query: EventsQuery,
  between = (): void => undefined,
): string[] {
  const keys: string[] = [];
  for (let cursor: string | null = null; ;) {
    const page = reader.events({ ...query, cursor });
    keys.push(...page.events.map(keyOf));
    if (page.cursor === null) return keys;
    cursor = page.cursor;
    between();
  }
}

function question(change: Partial<EventsQuery>): EventsQuery {
  return {
    ...allEvents,
    eventTypes: ['variable_snapshot'],
    limit: 50,
    ...change,
  };
}

test('[watch.filters] every filter, alone and combined, finds exactly the snapshots a plain search finds', () => {
  const asked = fc.record({
    filter: few(filters()),
    untilHalf: fc.boolean(),
    limit: fc.constantFrom(1, 7, 500),
    order: fc.constantFrom<'time' | 'thread'>('time', 'thread'),
  });
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 5 }),
      fc.array(asked, { minLength: 16, maxLength: 16 }),
      (seed, rounds, questions) => {
        using session = RandomSession.inFolder(seed);
        session.grow(rounds);
        const writes = addWrites(session, session.random(12));
        session.commit();
        using reader = session.read();
        for (const { filter: drawn, untilHalf, limit, order } of questions) {
          const filter = scaled(drawn, session);
          const until = untilHalf ? Math.floor(session.time / 2) : Number.MAX_SAFE_INTEGER;
          const seen = Math.min(until, session.time);
          const sampled = session.calls.flatMap((call) =>
            call.watched
              .filter((sample) => fits({ sample, call }, filter, session.calls, seen))
              .filter(() => onThread(call.thread, filter))
              .map((sample) => keyOfKnown(sample, call.thread.tid, call, false)),
          );
          const wrote = writes
            .filter((one) => fits(one, filter, session.calls, seen))
            .filter(({ pid, tid }) =>
              onThread({ pid, tid, name: tid === 1000 ? 'main' : `worker-${tid - 1000}` }, filter),
            )
            .map(({ sample, tid, call }) => keyOfKnown(sample, tid, call, true));
          const found = allPages(reader, question({ filter, until, limit, order }));
          expect(found.toSorted()).toEqual([...sampled, ...wrote].toSorted());
        }
      },
    ),
    { numRuns: 40 },
  );
});

function onThread(
  { pid, tid, name }: { readonly pid: number; readonly tid: number; readonly name: string },
  { threadId, threadName, pid: wanted }: CallFilter,
): boolean {
  if (threadId !== undefined && tid !== threadId) return false;
  if (threadName?.equals !== undefined && name !== threadName.equals) return false;
  if (threadName?.contains !== undefined && !name.includes(threadName.contains.toLowerCase()))
    return false;
  return wanted === undefined || pid === wanted;
}

test('[watch.filters] a cursor followed while capture goes on gives every snapshot once', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using session = RandomSession.inFolder(seed);
      session.stepAndCommit(1, 300);
      using reader = session.read();
      let more = 10;
      const found = allPages(reader, question({ limit: 9 }), () => {
        if (more-- <= 0) return;
        session.stepAndCommit(1, 20);
      });
      const known = session.calls.flatMap((call) =>
        call.watched.map((sample) => keyOfKnown(sample, call.thread.tid, call, false)),
      );
      expect(found.toSorted()).toEqual(known.toSorted());
    }),
    { numRuns: 20 },
  );
});

test.each(['time', 'thread'] as const)(
  '[watch.filters] a deadline ends a search of snapshots in the order of %s, and the cursor goes on',
  (order) => {
    using session = RandomSession.inFolder(3);
    for (let i = 0; i < 24; i++) session.step(2000);
    session.commit();
    using reader = session.read();
    const asked = question({ filter: { watched: { gt: 800 } }, order, deadlineMs: -1 });
    expect(reader.events(asked).complete).toBe(false);
    const known = session.calls.flatMap((call) =>
      call.watched
        .filter((sample) => sampleFits(sample, { gt: 800 }, session.time))
        .map((sample) => keyOfKnown(sample, call.thread.tid, call, false)),
    );
    expect(allPages(reader, asked).toSorted()).toEqual(known.toSorted());
    const inOrder = allPages(reader, question({ ...asked, limit: 500, deadlineMs: 60_000 }));
    expect(allPages(reader, asked)).toEqual(inOrder);
  },
);

test('[watch.filters] a deadline ends a search for calls in which something was seen, though nothing was', () => {
  using session = RandomSession.inFolder(3);
  for (let i = 0; i < 6; i++) session.step(500);
  session.commit();
  using reader = session.read();
  const common = { until: Number.MAX_SAFE_INTEGER, deadlineMs: -1 };
  const filter = { watched: { equals: 123_456_789 } };
  const asked = question({ ...common, filter, eventTypes: ['call'] });
  const page = reader.events(asked);
  expect([page.complete, page.events]).toEqual([false, []]);
  expect(page.lookedUntil).toBeGreaterThan(0);
  expect(allPages(reader, asked)).toEqual([]);
  const limits = { limit: 9, maxDepth: 12, maxNodes: 99, maxRead: 99, selfTime: false, root: null };
  const stats = { ...common, filter, groupBy: 'function', sortBy: 'count', ...limits } as const;
  expect(reader.stats(stats).complete).toBe(false);
  expect(reader.tree({ ...common, filter, ...limits }).complete).toBe(false);
  expect(reader.tree({ ...common, filter, ...limits, deadlineMs: 60_000 }).complete).toBe(true);
});

test('[watch.filters] a value finds the calls in which it was seen or written, page by page and with a deadline', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(
        { equals: 1 },
        { label: 'total', gt: 0 },
        { lt: 0 },
        { label: 'total', lt: 9 },
      ),
      fc.constantFrom<'time' | 'thread'>('time', 'thread'),
      (seed, rounds, watched, order) => {
        using session = RandomSession.inFolder(seed);
        session.grow(rounds);
        const writes = addWrites(session, session.random(40));
        session.commit();
        using reader = session.read();
        const known = session.calls.filter(
          (call) =>
            call.watched.some((sample) => sampleFits(sample, watched, session.time)) ||
            writes.some(
              (one) => one.call === call && sampleFits(one.sample, watched, session.time),
            ),
        );
        for (const deadlineMs of [-1, 60_000]) {
          const asked = { filter: { watched }, eventTypes: ['call'], order, deadlineMs } as const;
          const found = allPages(reader, question({ ...asked, limit: 7 }));
          expect(found.toSorted()).toEqual(
            known.map(({ thread, ordinal }) => `c${thread.key}.${ordinal}`).toSorted(),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('[watch.filters] a label that no watch has is refused, with the nearest', () => {
  using session = RandomSession.inFolder(3);
  session.stepAndCommit(1, 20);
  using reader = session.read();
  const asked = question({
    filter: { watched: { label: 'totl', equals: 1 } },
    eventTypes: ['call'],
  });
  expect(() => reader.events(asked)).toThrow('There is no watch "totl".');
});
