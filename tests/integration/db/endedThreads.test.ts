import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import type { CallView } from '../../../src/model/questions/query.ts';
import { RandomSession, type KnownCall } from './randomSession.ts';

const all = { filter: {}, until: Number.MAX_SAFE_INTEGER, deadlineMs: 60_000 };

function callsIn(reader: SessionReader): CallView[] {
  const found: CallView[] = [];
  for (let cursor: string | null = null; ;) {
    const asked = { ...all, eventTypes: ['call'], order: 'thread', limit: 500, cursor } as const;
    const page = reader.events(asked);
    for (const event of page.events) if ('call' in event) found.push(event.call);
    if (page.cursor === null) return found;
    cursor = page.cursor;
  }
}

const seen = ({
  id,
  parent,
  end,
  durationNs,
  function: name,
  depth,
  arguments: values,
}: CallView) => JSON.stringify([id, parent, end, durationNs, name, depth, values]);

function known({ thread: { key }, ...call }: KnownCall): string {
  const parent = call.parent < 0 ? null : `c${key}.${call.parent}`;
  const { ordinal, end, durationNs, depth, arguments: values } = call;
  const id = `c${key}.${ordinal}`;
  return JSON.stringify([id, parent, end, durationNs, call.function.name, depth, values]);
}

/** Threads end at random, and go on as random: with calls open, before a commit, under another writer. */
function endingAndGoingOn(session: RandomSession, rounds: number): void {
  for (let i = 0; i < rounds; i++) {
    session.step(1 + session.random(90));
    if (session.random(2) === 0) session.writer.threadEnded(1 + session.random(3));
    if (session.random(3) > 0) session.commit();
    if (session.random(5) === 0) session.handOver('');
  }
  session.commit();
}

test('[store.threads] a thread that goes on after it had ended is as one that never did', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 14 }), (seed, rounds) => {
      using session = RandomSession.inFolder(seed);
      endingAndGoingOn(session, rounds);
      using reader = session.read();
      expect(callsIn(reader).map(seen).toSorted()).toEqual(session.calls.map(known).toSorted());
      const { calls, openCalls, counters, threads } = session.writer.summary();
      const open = session.calls.filter(({ end }) => end === 'open').length;
      expect({ calls, openCalls }).toEqual({ calls: session.calls.length, openCalls: open });
      expect(counters.seen).toBe(counters.stored + counters.lost);
      expect(threads).toEqual(reader.summary().threads);
      const grouped = reader.stats({ ...all, groupBy: 'thread', sortBy: 'count', limit: 10 });
      const byScan = {
        ...all,
        filter: { timeFrom: 0 },
        groupBy: 'thread',
        sortBy: 'count',
      } as const;
      expect(grouped.source).toBe('counters');
      expect(grouped.rows).toEqual(reader.stats({ ...byScan, limit: 10 }).rows);
    }),
    { numRuns: 60 },
  );
});

test('[store.threads] at the limit the oldest calls go, also of threads that have ended', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 8, max: 20 }), (seed, rounds) => {
      using session = RandomSession.inFolder(seed, { maxEvents: 600 });
      endingAndGoingOn(session, rounds);
      using reader = session.read();
      const found = callsIn(reader);
      const { counters, calls } = session.writer.summary();
      expect(counters.seen).toBe(counters.stored + counters.lost);
      expect(calls).toBe(found.length);
      const texts = new Set(session.calls.map((call) => `c${call.thread.key}.${call.ordinal}`));
      for (const { id } of found) expect(texts.has(id)).toBe(true);
      for (const thread of [1, 2, 3]) {
        // What is left of a thread are its newest calls, without a gap.
        const left = found.filter((call) => call.thread === thread).map(({ id }) => id);
        const whole = session.calls.filter((call) => call.thread.key === thread);
        const newest = left.length > 0 ? whole.slice(-left.length) : [];
        expect(left).toEqual(newest.map(({ ordinal }) => `c${thread}.${ordinal}`));
      }
    }),
    { numRuns: 40 },
  );
});

test('[store.threads] a tree of many threads ends at its deadline, and says so', () => {
  using session = RandomSession.inFolder(5);
  session.stepAndCommit(1, 900);
  using reader = session.read();
  const limits = { root: null, maxDepth: 12, maxNodes: 99, maxRead: 99, selfTime: false };
  const cut = reader.tree({ ...all, ...limits, deadlineMs: -1 });
  expect([cut.threads.length, cut.complete]).toEqual([1, false]);
  // What it has not looked at is counted, and told as not compared.
  const [thread] = cut.threads;
  const lines = thread?.roots ?? [];
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.reduce((sum, { times, omitted }) => sum + times + omitted, 0)).toBe(thread?.calls);
  const folded = lines.filter(({ times }) => times > 1);
  expect(cut.uncompared).toBe(folded.length);
  expect(folded.flatMap(({ varying }) => varying).filter((text) => !text.endsWith('=?'))).toEqual(
    [],
  );
  const whole = reader.tree({ ...all, ...limits });
  expect([whole.threads.length, whole.complete]).toEqual([3, true]);
});
