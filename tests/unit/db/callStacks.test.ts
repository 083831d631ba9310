import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endNames } from '../../../src/db/blockFormat.ts';
import { CallStacks } from '../../../src/db/writer/callStacks.ts';
import { eventKind } from '../../../src/model/eventColumns.ts';
import { seeded, SimulatedThread, type SimulatedEvent } from './simulatedThread.ts';

interface Paired {
  readonly parent: number;
  readonly depth: number;
  readonly start: number;
  readonly fn: number;
  durationNs: number | null;
  childNs: number;
  end: string;
}

/** Runs events through pairing; `lostAt` leaves out events as an overwritten ring does. */
function pair(
  events: readonly SimulatedEvent[],
  gap: { from: number; to: number } | null = null,
): { calls: Paired[]; eventOf: Map<number, number>; unpaired: number } {
  const calls: Paired[] = [];
  const eventOf = new Map<number, number>();
  let unpaired = 0;
  const stacks = new CallStacks((_fn, ordinal, end) => {
    const call = calls[ordinal];
    expect(call?.end).toBe('open');
    if (call) call.end = endNames[end] ?? '?';
  });
  for (const [i, event] of events.entries()) {
    if (gap && i >= gap.from && i < gap.to) continue;
    if (gap && i === gap.to) stacks.lost(gap.to - gap.from, calls.length);
    if (event.kind === eventKind.enter) {
      stacks.enter(event.fn, event.sp, event.time, calls.length);
      eventOf.set(i, calls.length);
      calls.push({
        parent: stacks.parentOrdinal,
        depth: stacks.depth,
        start: event.time,
        fn: event.fn,
        durationNs: null,
        childNs: 0,
        end: 'open',
      });
    } else if (stacks.end(event.fn, event.sp, event.time)) {
      const call = calls[stacks.endedOrdinal];
      expect(call?.end).toBe('open');
      if (call) {
        call.end = ['', '', 'returned', 'unwound', 'jumped', 'tail'][event.kind] ?? '?';
        call.durationNs = event.time - stacks.endedStart;
        call.childNs = stacks.endedChild;
      }
    } else unpaired++;
  }
  return { calls, eventOf, unpaired };
}

/** A run on one or several stacks in which every end is recorded. */
function recordedRun(seed: number, steps: number, stacks: number): SimulatedThread {
  const random = seeded(seed);
  const thread = new SimulatedThread(random, stacks);
  for (let i = 0; i < steps; i++) {
    const dice = random(100);
    if (dice < 48) thread.enter(random(8));
    else if (dice < 88) thread.leave('return');
    else if (dice < 92) for (let n = random(5); n > 0; n--) thread.leave('unwound');
    else if (dice < 94) for (let n = random(5); n > 0; n--) thread.leave('jumped');
    else if (dice < 96 && thread.depth > 0) {
      thread.leave('tail');
      thread.enter(random(8));
    } else if (thread.depth > 0) thread.switchTo(random(stacks));
  }
  return thread;
}

test('on one stack every call gets its own end, parent, depth and children', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 400 }), (seed, steps) => {
      const thread = recordedRun(seed, steps, 1);
      const { calls, unpaired } = pair(thread.events);
      expect(unpaired).toBe(0);
      expect(calls).toEqual(
        thread.calls.map(({ parent, depth, start, fn, durationNs, childNs, end }) => ({
          parent,
          depth,
          start,
          fn,
          durationNs,
          childNs: end === 'open' ? 0 : childNs,
          end,
        })),
      );
    }),
    { numRuns: 300 },
  );
});

test('coroutine stacks never disturb the calls of another stack', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 400 }), (seed, steps) => {
      const thread = recordedRun(seed, steps, 4);
      const { calls, unpaired } = pair(thread.events);
      expect(unpaired).toBe(0);
      expect(calls.map(({ end, durationNs }) => ({ end, durationNs }))).toEqual(
        thread.calls.map(({ end, durationNs }) => ({ end, durationNs })),
      );
    }),
    { numRuns: 300 },
  );
});

test('a coroutine hangs below the frame that resumed it first', () => {
  const thread = new SimulatedThread(seeded(1), 2);
  thread.enter(1);
  thread.switchTo(1);
  thread.enter(2);
  thread.switchTo(0);
  thread.leave('return');
  thread.enter(3);
  thread.switchTo(1);
  thread.enter(4);
  thread.leave('return');
  thread.leave('return');
  thread.switchTo(0);
  thread.leave('return');
  const { calls } = pair(thread.events);
  expect(calls.map(({ fn, parent, depth, end }) => [fn, parent, depth, end])).toEqual([
    [1, -1, 0, 'returned'],
    [2, 0, 1, 'returned'],
    [3, -1, 0, 'returned'],
    [4, 1, 2, 'returned'],
  ]);
});

test('frames that go without a record are closed as jumped and never take another end', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 300 }), (seed, steps) => {
      const random = seeded(seed);
      const thread = new SimulatedThread(random, 1);
      for (let i = 0; i < steps; i++) {
        const dice = random(100);
        if (dice < 50) thread.enter(random(8));
        else if (dice < 92) thread.leave('return');
        else if (thread.depth > 1) thread.vanish(1 + random(thread.depth - 1));
      }
      const { calls, unpaired } = pair(thread.events);
      expect(unpaired).toBe(0);
      for (const [i, call] of calls.entries()) {
        const truth = thread.calls[i];
        // A frame that vanished last may not have been noticed yet.
        if (call.end === 'open') expect(['open', 'jumped']).toContain(truth?.end);
        else expect(call.end).toBe(truth?.end);
        expect(call.durationNs).toBe(truth?.durationNs);
      }
    }),
    { numRuns: 300 },
  );
});

test('after a loss no call gets the end of another one', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 2, max: 300 }),
      fc.nat(),
      fc.integer({ min: 1, max: 60 }),
      (seed, steps, at, length) => {
        const thread = recordedRun(seed, steps, 1);
        const { events } = thread;
        const from = at % (events.length + 1);
        const gap = { from, to: Math.min(events.length, from + length) };
        if (gap.to === gap.from) return;
        const { calls, eventOf, unpaired } = pair(events, gap);
        const trueOf = new Map<number, number>();
        let ordinal = 0;
        for (const [i, event] of events.entries()) {
          if (event.kind === eventKind.enter) trueOf.set(i, ordinal++);
        }
        let ended = 0;
        for (const [event, paired] of eventOf) {
          const call = calls[paired];
          const truth = thread.calls[trueOf.get(event) ?? -1];
          if (call?.durationNs === null || call === undefined) continue;
          ended++;
          expect(call.durationNs).toBe(truth?.durationNs);
          expect(call.end).toBe(truth?.end);
        }
        const kept = events.filter((_event, i) => i < gap.from || i >= gap.to);
        const ends = kept.filter((event) => event.kind !== eventKind.enter).length;
        expect(ended + unpaired).toBe(ends);
      },
    ),
    { numRuns: 500 },
  );
});

test('a loss of a few events leaves outer frames trusted', () => {
  const thread = new SimulatedThread(seeded(3), 1);
  for (let fn = 0; fn < 6; fn++) thread.enter(fn);
  thread.enter(6);
  thread.leave('return');
  for (let fn = 0; fn < 6; fn++) thread.leave('return');
  const { calls } = pair(thread.events, { from: 6, to: 8 });
  expect(calls.map((call) => call.end)).toEqual([
    'returned',
    'returned',
    'returned',
    'returned',
    'returned',
    'lost',
  ]);
});

test('recursion of 100,000 frames is paired', () => {
  const thread = new SimulatedThread(seeded(4), 1);
  for (let i = 0; i < 100_000; i++) thread.enter(1, undefined, 48);
  for (let i = 0; i < 100_000; i++) thread.leave('return');
  const { calls, unpaired } = pair(thread.events);
  expect(unpaired).toBe(0);
  expect(calls.at(-1)?.depth).toBe(99_999);
  expect(calls.every((call) => call.end === 'returned')).toBe(true);
});

test('frames larger than the distance limit keep their place in the tree', () => {
  const thread = new SimulatedThread(seeded(5), 1);
  for (let round = 0; round < 3; round++) {
    thread.enter(1);
    thread.enter(2, undefined, 200_000);
    thread.enter(3, undefined, 48);
    thread.leave('return');
    thread.leave('return');
    thread.leave('return');
  }
  const { calls, unpaired } = pair(thread.events);
  expect(unpaired).toBe(0);
  expect(calls.map((call) => [call.parent, call.depth, call.end])).toEqual(
    thread.calls.map((call) => [call.parent, call.depth, call.end]),
  );
});
