import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import type { CallFilter } from '../../../src/model/questions/query.ts';
import type { StatsQuery, StatsRow } from '../../../src/model/questions/statsResult.ts';
import { allStats } from '../../support/questions.ts';
import { endAt, passes } from './plainReference.ts';
import { few, filters, scaled } from './randomFilters.ts';
import { RandomSession, type KnownCall } from './randomSession.ts';

function query(change: Partial<StatsQuery>): StatsQuery {
  return {
    ...allStats,
    sortBy: 'total',
    limit: 1000,
    ...change,
  };
}

type Figures = Pick<
  StatsRow,
  'key' | 'count' | 'open' | 'unwound' | 'totalNs' | 'selfNs' | 'minNs' | 'maxNs'
>;

/** Grouped and summed by hand. */
function reference(
  calls: readonly KnownCall[],
  keyOf: (call: KnownCall) => string,
  until: number,
): Figures[] {
  const groups = new Map<string, KnownCall[]>();
  for (const call of calls) groups.set(keyOf(call), [...(groups.get(keyOf(call)) ?? []), call]);
  const rows: Figures[] = [];
  for (const [key, members] of groups) {
    const timed = members.filter((call) => !['open', 'lost'].includes(endAt(call, until)));
    const durations = timed.map((call) => call.durationNs ?? 0);
    rows.push({
      key,
      count: members.length,
      open: members.length - timed.length,
      unwound: members.filter((call) => endAt(call, until) === 'unwound').length,
      totalNs: durations.reduce((sum, ns) => sum + ns, 0),
      selfNs: timed.reduce((sum, call) => sum + (call.durationNs ?? 0) - call.childNs, 0),
      minNs: durations.length > 0 ? Math.min(...durations) : 0,
      maxNs: Math.max(0, ...durations),
    });
  }
  return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function figures(rows: readonly StatsRow[]): Figures[] {
  return rows
    .map(({ key, count, open, unwound, totalNs, selfNs, minNs, maxNs }) => ({
      key,
      count,
      open,
      unwound,
      totalNs,
      selfNs,
      minNs,
      maxNs,
    }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function withSession(
  seed: number,
  check: (session: RandomSession, reader: SessionReader) => void,
): void {
  using session = RandomSession.inFolder(seed);
  for (let i = 0; i < 6; i++) {
    session.step(90);
    if (i % 2 === 0) session.commit();
  }
  session.commit();
  using reader = session.read();
  // Of some, the contexts that a tree has found stand for calls.
  if (seed % 2 === 0)
    reader.tree({
      ...query({}),
      root: null,
      maxDepth: 64,
      maxNodes: 1000,
      maxRead: 100,
      selfTime: true,
    });
  check(session, reader);
}

test('counters and scans give the figures of the calls themselves', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      withSession(seed, (session, reader) => {
        const { calls, time } = session;
        const bySignature = (call: KnownCall): string => call.function.signature;
        const counted = reader.stats(query({}));
        expect(counted.source).toBe('counters');
        expect(figures(counted.rows)).toEqual(reference(calls, bySignature, time));
        const scanned = reader.stats(query({ filter: { timeFrom: 0 } }));
        expect(scanned.source).toBe('scan');
        // A counter knows the same as a scan, quantiles included.
        expect(scanned.rows).toEqual(counted.rows);
        const threads = reader.stats(query({ groupBy: 'thread' }));
        expect(figures(threads.rows)).toEqual(
          reference(calls, (call) => `${call.thread.tid} ${call.thread.name}`, time),
        );
        const callerOf = (call: KnownCall): string =>
          calls.find((other) => other.thread === call.thread && other.ordinal === call.parent)
            ?.function.signature ?? '(no caller)';
        expect(figures(reader.stats(query({ groupBy: 'caller' })).rows)).toEqual(
          reference(calls, callerOf, time),
        );
      });
    }),
    { numRuns: 30 },
  );
});

test('every filter, alone and combined, in every grouping, gives the figures of the calls it takes', () => {
  const question = fc.record({
    drawn: few(filters()),
    groupBy: fc.constantFrom<StatsQuery['groupBy']>('function', 'thread', 'caller'),
    untilHalf: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(question, { minLength: 10, maxLength: 10 }),
      (seed, questions) => {
        withSession(seed, ({ calls, time }, reader) => {
          const keys = {
            function: (call: KnownCall): string => call.function.signature,
            thread: (call: KnownCall): string => `${call.thread.tid} ${call.thread.name}`,
            caller: (call: KnownCall): string =>
              calls.find((other) => other.thread === call.thread && other.ordinal === call.parent)
                ?.function.signature ?? '(no caller)',
          };
          for (const { drawn, groupBy, untilHalf } of questions) {
            const filter = scaled(drawn, { calls, time });
            const until = untilHalf ? Math.floor(time / 2) : time;
            const wanted = calls.filter((call) => passes(call, filter, calls, until));
            const { rows, complete } = reader.stats(query({ filter, groupBy, until }));
            expect(complete).toBe(true);
            const self = (figure: Figures): object => ({ ...figure, selfNs: 0 });
            // What a call's children took is known only from the whole: not at an earlier moment.
            const plain = untilHalf ? self : (figure: Figures): object => figure;
            expect(figures(rows).map(plain)).toEqual(
              reference(wanted, keys[groupBy], until).map(plain),
            );
          }
        });
      },
    ),
    { numRuns: 10 },
  );
});

test.each<[string, CallFilter, 'counters' | 'scan']>([
  ['a function', { function: { contains: 'bank' } }, 'counters'],
  ['a source file', { sourceFile: { contains: 'net' } }, 'counters'],
  ['a thread', { threadName: { equals: 'main' } }, 'scan'],
  ['a duration', { minDurationNs: 1500 }, 'scan'],
  ['a returned value', { returnValue: { gt: 0 } }, 'scan'],
  ['an argument', { argument: [{ name: 'amount', lt: 1 }] }, 'scan'],
  ['a range of time', { timeFrom: 20_000, timeTo: 80_000 }, 'scan'],
  ['a captured text', { text: 'alpha' }, 'scan'],
])('restricted to %s', (_what, filter, source) => {
  withSession(7, (session, reader) => {
    const stats = reader.stats(query({ filter }));
    const wanted = session.calls.filter((call) =>
      passes(call, filter, session.calls, session.time),
    );
    expect(wanted.length).toBeGreaterThan(0);
    expect(stats.source).toBe(source);
    expect(figures(stats.rows)).toEqual(
      reference(wanted, (call) => call.function.signature, session.time),
    );
  });
});

test('rows come in the order asked for, and the limit says how many groups there are', () => {
  withSession(8, (_session, reader) => {
    const all = reader.stats(query({}));
    const keys = {
      total: 'totalNs',
      self: 'selfNs',
      count: 'count',
      mean: 'meanNs',
      p99: 'p99Ns',
      max: 'maxNs',
    } as const;
    for (const sortBy of ['total', 'self', 'count', 'mean', 'p99', 'max'] as const) {
      const { rows, groups } = reader.stats(query({ sortBy, limit: 4 }));
      expect(groups).toBe(all.groups);
      const best = all.rows.map((row) => row[keys[sortBy]]).toSorted((a, b) => b - a);
      expect(rows.map((row) => row[keys[sortBy]])).toEqual(best.slice(0, 4));
    }
  });
});
