import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endNames } from '../../../src/db/blockFormat.ts';
import { CallStacks } from '../../../src/db/writer/pairing/callStacks.ts';
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
  const stacks = new CallStacks((_fn, ordinal, end, durationNs, childNs) => {
    const call = calls[ordinal];
    expect(call?.end).toBe('open');
    if (!call) return;
    call.end = endNames[end] ?? '?';
    call.durationNs = durationNs;
    if (durationNs !== null) call.childNs = childNs;
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
    } else if (event.kind === eventKind.jumped) {
      const [last = 0n] = new BigUint64Array(event.payload.buffer);
      stacks.jump(event.sp, event.time, Number(last));
    } else if (stacks.end(event.fn, event.sp, event.time)) {
      const call = calls[stacks.endedOrdinal];
      expect(call?.end).toBe('open');
      if (call) {
        call.end = ['', '', 'returned', 'unwound', '', 'tail'][event.kind] ?? '?';
        call.durationNs = event.time - stacks.endedStart;
        call.childNs = stacks.endedChild;
      }
    } else unpaired++;
  }
  return { calls, eventOf, unpaired };
}

/** A run on one or several stacks in which every end is recorded. */
function recordedRun(seed: number, steps: number, stacks: number, mostJumped = 5): SimulatedThread {
  const random = seeded(seed);
  const thread = new SimulatedThread(random, stacks);
  for (let i = 0; i < steps; i++) {
    const dice = random(100);
    if (dice < 48) thread.enter(random(8));
    else if (dice < 88) thread.leave('return');
    else if (dice < 92) for (let n = random(5); n > 0; n--) thread.leave('unwound');
    else if (dice < 94) thread.jump(1 + random(mostJumped));
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
    { numRuns: 100 },
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
    { numRuns: 100 },
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
    { numRuns: 100 },
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
        const thread = recordedRun(seed, steps, 1, 1);
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
          if (call.end !== 'jumped') ended++;
          expect(call.durationNs).toBe(truth?.durationNs);
          expect(call.end).toBe(truth?.end);
        }
        const kept = events.filter((_event, i) => i < gap.from || i >= gap.to);
        const { enter, jumped } = eventKind;
        const ends = kept.filter(({ kind }) => kind !== enter && kind !== jumped);
        expect(ended + unpaired).toBe(ends.length);
      },
    ),
    { numRuns: 150 },
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

/** `at`: a call is entered there; `jump`: where to, and the signal stack that it leaves. */
type Step = { readonly at: number } | { readonly jump: number; readonly leaves?: [number, number] };

/** Each step takes 10 ns. Answers of each call its caller, how it ended, how long it took and, of one that ended, its callees in that. */
function walked(steps: readonly Step[]): [number, string, number | null, number][] {
  const calls: [number, string, number | null, number][] = [];
  const stacks = new CallStacks((_fn, ordinal, end, durationNs, childNs) => {
    calls[ordinal] = [calls[ordinal]?.[0] ?? -1, endNames[end] ?? '?', durationNs, childNs];
  });
  let last = 0;
  for (const [i, step] of steps.entries()) {
    if ('jump' in step) {
      stacks.jump(step.jump, i * 10, last - 40, ...(step.leaves ?? []));
      last = step.jump;
      continue;
    }
    stacks.enter(1, step.at, i * 10, calls.length);
    last = step.at;
    calls.push([stacks.parentOrdinal, 'open', null, 0]);
  }
  return calls;
}

const main = 0x7ff0_0000_0000;
const other = 0x7000_0000_0000;

test('what a jump leaves ends at it, and a deeper call hangs below the caller that is left', () => {
  const steps = [{ at: main }, { at: main - 100 }, { at: main - 200 }, { jump: main - 50 }];
  expect(walked([...steps, { at: main - 300 }])).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 20, 10],
    [1, 'jumped', 10, 0],
    [0, 'open', null, 0],
  ]);
});

test('a jump to a caller that is not traced leaves all calls, far below it none is known to be left', () => {
  const calls = [{ at: main }, { at: main - 100 }];
  expect(walked([...calls, { jump: main + 400 }, { at: main - 1000 }])).toEqual([
    [-1, 'jumped', 20, 10],
    [0, 'jumped', 10, 0],
    [-1, 'open', null, 0],
  ]);
  const ends = walked([...calls, { jump: main + 400_000 }]).map(([, end]) => end);
  expect(ends).toEqual(['open', 'open']);
});

test('a frame that calls setjmp itself, at the end of its stack frame, goes on', () => {
  expect(walked([{ at: main }, { at: main - 8 }, { jump: main }])).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 10, 0],
  ]);
});

test('coroutines that jump to one another go on where they were', () => {
  const calls = walked([
    { at: main },
    { at: main - 200 },
    { at: other },
    { at: other - 100 },
    { jump: main - 300 },
    { at: main - 400 },
    { jump: other - 150 },
    { at: other - 200 },
    { jump: other - 50 },
    { jump: main - 100 },
  ]);
  expect(calls).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 80, 40],
    [1, 'open', null, 0],
    [2, 'jumped', 50, 10],
    [1, 'jumped', 40, 0],
    [3, 'jumped', 10, 0],
  ]);
});

test('a coroutine that jumps beyond the frame it began below stays open', () => {
  const steps = [{ at: main }, { at: main - 100 }, { at: other }, { jump: main - 50 }];
  expect(walked([...steps, { jump: other - 10 }, { at: other - 100 }])).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 20, 0],
    [1, 'open', null, 0],
    [2, 'open', null, 0],
  ]);
});

test('frames with large arrays lie on one stack: a jump leaves those below, too', () => {
  const steps = [
    { at: main },
    { at: main - 100 },
    { at: main - 100_000 },
    { at: main - 100_100 },
    { at: main - 300_000 },
    { jump: main - 50 },
    { at: main - 500 },
  ];
  expect(walked(steps)).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 40, 30],
    [1, 'jumped', 30, 20],
    [2, 'jumped', 20, 10],
    [3, 'jumped', 10, 0],
    [0, 'open', null, 0],
  ]);
  const own = [{ at: main }, { at: main - 100_000 }, { jump: main - 99_900 }];
  expect(walked(own)).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 10, 0],
  ]);
});

test('a jump out of a signal handler leaves the stack that the handler had, wherever that lies', () => {
  const left: [number, number] = [other - 8000, other];
  const handler = [{ at: main }, { at: other - 1000 }, { at: other - 1100 }];
  expect(walked([...handler, { jump: main - 50, leaves: left }, { at: other - 1000 }])).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 20, 10],
    [1, 'jumped', 10, 0],
    [0, 'open', null, 0],
  ]);
  // What the signal interrupted is left as by any other jump.
  const deep = [{ at: main }, { at: main - 100_000 }, { at: other - 1000 }];
  const ends = walked([...deep, { jump: main + 400, leaves: left }]).map(([, end]) => end);
  expect(ends).toEqual(Array.from({ length: 3 }, () => 'jumped'));
  // Without the word of the jump it is a coroutine.
  expect(walked([...handler, { jump: main - 50 }]).map(([, end]) => end)).toEqual(
    Array.from({ length: 3 }, () => 'open'),
  );
  const inside: [number, number] = [main - 5000, main - 1000];
  const array = [{ at: main }, { at: main - 1200 }, { jump: main - 6000, leaves: inside }];
  expect(walked(array)).toEqual([
    [-1, 'open', null, 0],
    [0, 'jumped', 10, 0],
  ]);
});

test('waits of a thread belong to all calls that were open, and not to those before and after', () => {
  const first = new CallStacks(() => undefined);
  first.enter(1, 900, 0, 0);
  first.enter(2, 800, 10, 1);
  first.suspend(20);
  expect(first.ordinals()).toEqual([0, 1]);
  first.resume(50);
  expect(first.end(2, 800, 60)).toBe(true);
  expect([first.endedStart, first.endedSuspended, first.endedChild]).toEqual([10, 30, 0]);
  first.enter(3, 800, 70, 2);
  first.waited(5);
  first.suspend(80);
  // As another writer of the file continues.
  const second = new CallStacks(() => undefined);
  second.restore(first.save());
  expect(second.waitsSince).toBe(80);
  second.resume(90);
  expect(second.end(3, 800, 100)).toBe(true);
  expect(second.endedSuspended).toBe(15);
  expect(second.end(1, 900, 110)).toBe(true);
  // What its calls did besides waiting: 20 and 15.
  expect([second.endedSuspended, second.endedChild]).toEqual([45, 35]);
});

test('a wait whose end was lost is left out', () => {
  const stacks = new CallStacks(() => undefined);
  stacks.enter(1, 900, 0, 0);
  stacks.suspend(10);
  stacks.lost(1, 1);
  expect(stacks.waitsSince).toBe(-1);
  stacks.resume(50);
  expect(stacks.end(1, 900, 60)).toBe(true);
  expect(stacks.endedSuspended).toBe(0);
});
