import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endNames } from '../../../src/db/blockFormat.ts';
import { Activations } from '../../../src/db/writer/pairing/activations.ts';
import { CallStacks } from '../../../src/db/writer/pairing/callStacks.ts';
import { eventKind, firstActivation } from '../../../src/model/eventColumns.ts';
import { mixedRun, mixedThreads, type MixedCall, type MixedThread } from './mixedThread.ts';
import { seeded, type SimulatedEvent } from './simulatedThread.ts';

interface Paired {
  readonly fn: number;
  readonly parent: number;
  readonly depth: number;
  readonly start: number;
  readonly strand: number;
  end: string;
  durationNs: number | null;
  childNs: number;
  suspendedNs: number;
  waits: boolean;
}

/** Pairs events; what it knows of the calls is added to `calls`. */
class Pairing {
  readonly calls: Paired[] = [];
  unpaired = 0;
  #activations = this.#created();

  /** Goes on with what was saved. */
  restart(): void {
    const saved = this.#activations.save();
    this.#activations = this.#created();
    this.#activations.restore(saved);
  }

  lost(events: number): void {
    this.#activations.lost(events, this.calls.length);
  }

  finish(): void {
    this.#activations.tellParked();
  }

  take({ kind, fn, sp, time, payload }: SimulatedEvent): void {
    const activations = this.#activations;
    const known = (ordinal: number): void => void (this.unpaired += ordinal < 0 ? 1 : 0);
    switch (kind) {
      case eventKind.enter:
        this.#enter(fn, sp, time);
        return;
      case eventKind.jumped:
        activations.jump(sp, time, 0);
        return;
      case eventKind.context:
        activations.context(sp, new Uint32Array(payload.buffer)[0] ?? 0, time);
        return;
      case eventKind.suspend:
        known(activations.suspend(fn, sp, time));
        return;
      case eventKind.resume:
      case eventKind.throwIn:
        known(activations.resume(fn, sp, time));
        return;
      case eventKind.raise:
      case eventKind.handled:
        known(activations.activationAt(fn, sp));
        return;
      default:
        this.#end(kind, fn, sp, time);
    }
  }

  #enter(fn: number, sp: number, time: number): void {
    const { calls } = this;
    this.#activations.enter(fn, sp, time, calls.length);
    const { parentOrdinal: parent, depth, strand } = this.#activations;
    calls.push({
      fn,
      parent,
      depth,
      start: time,
      strand,
      end: 'open',
      durationNs: null,
      childNs: 0,
      suspendedNs: 0,
      waits: false,
    });
  }

  #end(kind: number, fn: number, sp: number, time: number): void {
    const activations = this.#activations;
    if (!activations.end(fn, sp, time)) {
      this.unpaired++;
      return;
    }
    const call = this.calls[activations.endedOrdinal];
    if (call?.end !== 'open') throw new RangeError('it has ended before');
    call.end = kind === eventKind.return ? 'returned' : 'unwound';
    call.durationNs = time - activations.endedStart;
    call.childNs = activations.endedChild;
    call.suspendedNs = activations.endedSuspended;
    call.waits = false;
  }

  #created(): Activations {
    const left = (...[, ordinal, end, durationNs]: [number, number, number, number | null]) => {
      const call = this.calls[ordinal];
      if (call?.end !== 'open') throw new RangeError('it has ended before');
      call.end = endNames[end] ?? '?';
      call.durationNs = durationNs;
    };
    const waits = (ordinal: number, since: number | null): void => {
      const call = this.calls[ordinal];
      if (call) call.waits = since !== null;
    };
    return new Activations(left, waits, new CallStacks(left));
  }
}

/** Pairs events; in between it is saved and taken up again by another, and some may be lost. */
function pair(
  events: readonly SimulatedEvent[],
  { gap = { from: 0, to: 0 }, savedAt = -1 } = {},
): { calls: Paired[]; eventOf: Map<number, number>; unpaired: number } {
  const pairing = new Pairing();
  const eventOf = new Map<number, number>();
  for (const [i, event] of events.entries()) {
    if (i === savedAt) pairing.restart();
    if (i >= gap.from && i < gap.to) continue;
    if (i === gap.to && gap.to > gap.from) pairing.lost(gap.to - gap.from);
    if (event.kind === eventKind.enter) eventOf.set(i, pairing.calls.length);
    pairing.take(event);
  }
  pairing.finish();
  return { calls: pairing.calls, eventOf, unpaired: pairing.unpaired };
}

const steps = fc.integer({ min: 1, max: 400 });

function expectTruth(calls: readonly Paired[], { calls: truth }: MixedThread): void {
  const shape = ({ fn, parent, depth, start, strand, end }: Paired | MixedCall): unknown => {
    return { fn, parent, depth, start, strand, end };
  };
  expect(calls.map(shape)).toEqual(truth.map(shape));
  for (const [ordinal, call] of calls.entries()) {
    const real = truth[ordinal];
    if (!real || real.end === 'open') continue;
    expect(call.durationNs).toBe(real.durationNs);
    const self = real.durationNs - call.childNs - call.suspendedNs;
    if (call.fn >= firstActivation) expect(call.suspendedNs).toBe(real.suspendedNs);
    // What a native frame waits while another greenlet runs counts as its own time.
    if (call.fn >= firstActivation || real.suspendedNs === 0) expect(self).toBe(real.selfNs);
  }
}

test.each([
  ['in mixed programs with generators and tasks every call has its caller, end and times', 0],
  ['greenlets that are told of run on stacks of their own', 3],
])('[dynamic.nesting] %s', (_title, greenlets) => {
  fc.assert(
    fc.property(fc.integer(), steps, fc.nat(), (seed, count, at) => {
      const thread = mixedRun(seeded(seed), count, { greenlets });
      const savedAt = at % (thread.events.length + 1);
      const { calls, unpaired } = pair(thread.events, { savedAt });
      expect(unpaired).toBe(0);
      expectTruth(calls, thread);
      const waiting = thread.waiting();
      for (const [ordinal, call] of calls.entries())
        if (call.end === 'open') expect(call.waits).toBe(waiting.has(ordinal));
    }),
    { numRuns: 100 },
  );
});

test('[dynamic.nesting] an activation that resumes on another thread changes no call of it: what it calls there hangs below the call that runs there', () => {
  let moved = 0;
  fc.assert(
    fc.property(fc.integer(), steps, fc.integer({ min: 2, max: 4 }), (seed, count, many) => {
      for (const thread of mixedThreads(seeded(seed), count * many, many)) {
        const { calls, unpaired } = pair(thread.events);
        expect(unpaired).toBe(thread.foreignEvents);
        expectTruth(calls, thread);
        const waiting = thread.waiting();
        for (const [ordinal, call] of calls.entries())
          if (call.end === 'open') expect(call.waits).toBe(waiting.has(ordinal));
        moved += thread.foreignEvents;
      }
    }),
    { numRuns: 100 },
  );
  expect(moved).toBeGreaterThan(300);
});

test('[dynamic.nesting] greenlets that nothing tells of never take the end of another call', () => {
  fc.assert(
    fc.property(fc.integer(), steps, (seed, count) => {
      const thread = mixedRun(seeded(seed), count, { greenlets: 3, tellsGreenlets: false });
      const { calls, unpaired } = pair(thread.events);
      expect(unpaired).toBe(0);
      expect(calls.map(({ end }) => end)).toEqual(thread.calls.map(({ end }) => end));
      for (const [ordinal, call] of calls.entries())
        if (call.end !== 'open') expect(call.durationNs).toBe(thread.calls[ordinal]?.durationNs);
    }),
    { numRuns: 100 },
  );
});

test('[dynamic.nesting] after a loss no call gets the end of another one', () => {
  const lengths = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(fc.integer(), steps, fc.nat(), lengths, (seed, count, at, length) => {
      const thread = mixedRun(seeded(seed), count, { greenlets: 2 });
      const { events } = thread;
      const from = at % (events.length + 1);
      const gap = { from, to: Math.min(events.length, from + length) };
      const { calls, eventOf } = pair(events, { gap });
      const trueOf = new Map<number, MixedCall | undefined>();
      for (const [i, { kind }] of events.entries())
        if (kind === eventKind.enter) trueOf.set(i, thread.calls[trueOf.size]);
      for (const [event, ordinal] of eventOf) {
        const call = calls[ordinal];
        if (!call || call.durationNs === null) continue;
        expect(call.durationNs).toBe(trueOf.get(event)?.durationNs);
        expect(call.end).toBe(trueOf.get(event)?.end);
      }
    }),
    { numRuns: 150 },
  );
});

/** Steps as [kind, fn, sp]; what is told of each call: caller, end and how long it took. */
function walked(
  walk: readonly (readonly [keyof typeof eventKind, number, number])[],
  lost = { from: 0, to: 0 },
): [number, string, number | null][] {
  const events = walk.map(([kind, fn, sp], i) => {
    return { kind: eventKind[kind], fn, sp, time: i * 10, payload: new Uint8Array(8) };
  });
  return pair(events, { gap: lost }).calls.map(({ parent, end, durationNs }) => {
    return [parent, end, durationNs];
  });
}

const [f, g] = [firstActivation, firstActivation + 1];

test('an id that is entered again has ended unseen: jumped, or lost when a record is missing', () => {
  const again = [
    ['enter', 1, 0x9000],
    ['enter', f, 7],
    ['return', f, 7],
    ['enter', f, 7],
    ['return', f, 7],
    ['return', 1, 0x9000],
  ] as const;
  expect(walked([...again.slice(0, 2), ...again.slice(3)])).toEqual([
    [-1, 'returned', 40],
    [0, 'jumped', null],
    [0, 'returned', 10],
  ]);
  expect(walked(again, { from: 2, to: 3 })).toEqual([
    [-1, 'returned', 50],
    [0, 'lost', null],
    [0, 'returned', 10],
  ]);
  // The end of another function at that id is not its own.
  expect(walked([again[1], ['return', g, 7], again[2]])).toEqual([[-1, 'jumped', null]]);
});

test('what is missing leaves no activation that may be another one', () => {
  const nested = [
    ['enter', 1, 0x9000],
    ['enter', f, 7],
    ['enter', 2, 0x8000],
    ['enter', g, 8],
    ['return', g, 8],
    ['return', 2, 0x8000],
    ['return', f, 7],
    ['return', 1, 0x9000],
  ] as const;
  expect(walked(nested, { from: 3, to: 5 })).toEqual([
    [-1, 'lost', null],
    [0, 'lost', null],
    [1, 'lost', null],
  ]);
  expect(walked(nested, { from: 4, to: 5 }).map(([, end]) => end)).toEqual([
    'returned',
    'returned',
    'returned',
    'lost',
  ]);
});

test('recursion of 20,000 activations is paired, and a jump below one leaves native frames only', () => {
  const deep = Array.from({ length: 20_000 }, (_unused, i) => ['enter', f, i] as const);
  const out = deep.toReversed().map(([, , id]) => ['return', f, id] as const);
  const calls = walked([...deep, ...out]);
  expect(calls.at(-1)).toEqual([19_998, 'returned', 10]);
  expect(calls.every(([, end]) => end === 'returned')).toBe(true);
  const jumped = [
    ['enter', 1, 0x9000],
    ['enter', f, 7],
    ['enter', 2, 0x8000],
    ['enter', 3, 0x7f00],
    ['jumped', 0, 0x7ff0],
    ['return', 2, 0x8000],
    ['return', f, 7],
    ['return', 1, 0x9000],
  ] as const;
  expect(walked(jumped).map(([, end]) => end)).toEqual([
    'returned',
    'returned',
    'returned',
    'jumped',
  ]);
});
