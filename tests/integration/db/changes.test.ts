import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { eventKind, watchFlags, watchNumberBits } from '../../../src/model/eventColumns.ts';
import type { ChangesPage, ChangesQuery } from '../../../src/model/questions/query.ts';
import type { WatchDefinition } from '../../../src/model/watches/watch.ts';
import { batch, seeded, type SimulatedEvent } from '../../unit/db/simulatedThread.ts';
import { functions, TemporaryFolder } from './randomSession.ts';

const total: WatchDefinition = {
  number: 0,
  label: 'total',
  expr: 'total',
  isOfCall: false,
  type: { kind: 'int', name: 'long', bytes: 8, signed: true },
};
const member: WatchDefinition = { ...total, number: 1, label: 'member', expr: 'this->m' };

const everything: ChangesQuery = {
  watch: null,
  pid: null,
  timeFrom: null,
  timeTo: null,
  limit: 100_000,
  cursor: null,
  until: Number.MAX_SAFE_INTEGER,
  deadlineMs: 60_000,
};

interface Frame {
  readonly id: string;
  readonly sp: number;
  readonly fn: number;
  readonly object: number;
}

/** A sample, a write, and each moment's innermost call, as a perfect observer sees them. */
interface Observed {
  readonly samples: { watch: WatchDefinition; place: string; time: number; value: number }[];
  readonly writes: { place: string; time: number; by: string | null }[];
  /** By thread: the innermost call in each nanosecond. */
  readonly running: (string | null)[][];
}

/** Threads that call, return and write to one global and to members of three objects. */
function simulate(seed: number, threads: number, steps: number) {
  const random = seeded(seed);
  const events: SimulatedEvent[][] = Array.from({ length: threads }, () => []);
  const stacks: Frame[][] = Array.from({ length: threads }, () => []);
  const ordinals = Array.from({ length: threads }, () => 0);
  const values = new Map<string, number>();
  const seen: Observed = {
    samples: [],
    writes: [],
    running: Array.from({ length: threads }, () => []),
  };
  let time = 1;
  const push = (thread: number, event: Omit<SimulatedEvent, 'time'>): void => {
    events[thread]?.push({ ...event, time });
  };
  const sample = (thread: number, frame: Frame, atReturn: boolean): void => {
    for (const watch of [total, member]) {
      const place = watch === total ? '' : String(frame.object);
      const value = values.get(place) ?? 0;
      const flags =
        (atReturn ? watchFlags.atReturn : 0) | (watch === member ? watchFlags.address : 0);
      const payload = new BigUint64Array([BigInt(value), BigInt(frame.object)]);
      push(thread, {
        kind: eventKind.watch,
        fn: watch.number | (flags << watchNumberBits),
        sp: frame.sp,
        payload: new Uint8Array(payload.buffer),
      });
      seen.samples.push({ watch, place, time, value });
    }
  };
  const advance = (): void => {
    for (const [thread, stack] of stacks.entries())
      (seen.running[thread] ??= [])[time] = stack.at(-1)?.id ?? null;
    time++;
  };
  const none = new Uint8Array(0);
  for (let step = 0; step < steps; step++) {
    const thread = random(threads);
    const stack = stacks[thread] ?? [];
    const top = stack.at(-1);
    const what = random(5);
    if (what < 2 && stack.length < 6) {
      const ordinal = ordinals[thread] ?? 0;
      ordinals[thread] = ordinal + 1;
      const frame = {
        id: `c${thread + 1}.${ordinal}`,
        sp: 0x7000_0000 + thread * 0x100_0000 - stack.length * 64,
        fn: random(12) * 3,
        object: 0x1000 * (1 + random(3)),
      };
      push(thread, { kind: eventKind.enter, fn: frame.fn, sp: frame.sp, payload: none });
      stack.push(frame);
      sample(thread, frame, false);
    } else if (what < 4 && top) {
      sample(thread, top, true);
      push(thread, { kind: eventKind.return, fn: top.fn, sp: top.sp, payload: none });
      stack.pop();
    } else {
      const place = random(2) === 0 ? '' : String(0x1000 * (1 + random(3)));
      values.set(place, random(4));
      seen.writes.push({ place, time, by: top?.id ?? null });
    }
    const ticks = 1 + random(3);
    for (let tick = 0; tick < ticks; tick++) advance();
  }
  return { events, seen };
}

/** As plainly as can be: every sample is compared with the one before it of the same place. */
function expected({ samples, running }: Observed) {
  const last = new Map<string, { time: number; value: number }>();
  return samples.flatMap(({ watch, place, time, value }) => {
    const key = `${watch.label} ${place}`;
    const before = last.get(key);
    last.set(key, { time, value });
    if (!before || before.value === value) return [];
    const own = new Map<string, number>();
    for (const calls of running) {
      for (let at = before.time; at < time; at++) {
        const call = calls[at];
        if (typeof call === 'string') own.set(call, (own.get(call) ?? 0) + 1);
      }
    }
    const suspects = Object.fromEntries(own);
    return [{ watch: watch.label, place, from: before.time, to: time, suspects }];
  });
}

function write(path: string, events: readonly SimulatedEvent[][], blockCalls: number): void {
  const writer = SessionWriter.open(path, { sessionId: 's', blockCalls });
  writer.defineFunctions(functions);
  writer.defineWatches([total, member]);
  for (const key of events.keys())
    writer.defineThread({ key: key + 1, pid: 7, tid: key + 1, name: 't' });
  // Threads are read one after the other, a part at a time: as a drain does.
  for (let from = 0; events.some((own) => own.length > from); from += 37) {
    for (const [thread, own] of events.entries())
      if (own.length > from)
        writer.append(thread + 1, batch(own, from, Math.min(own.length, from + 37)));
    writer.commit(from);
  }
  writer.commit(Number.MAX_SAFE_INTEGER);
  writer.close();
}

const plain = ({ changes }: ChangesPage) =>
  changes.map(({ watch, from, to, address, calls, others }) => ({
    watch,
    from,
    to,
    place: address === null ? '' : String(Number(address)),
    first: calls.map(({ call, ownNs }) => [call.id, ownNs] as const),
    count: calls.length + others,
  }));

test('[watch.changes] every change is found with its interval, and the calls that ran then by the time they had', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 160 }),
      fc.integer({ min: 2, max: 40 }),
      (seed, threads, steps, blockCalls) => {
        using folder = new TemporaryFolder();
        const { events, seen } = simulate(seed, threads, steps);
        write(folder.file('s.db'), events, blockCalls);
        using reader = SessionReader.open(folder.file('s.db'));
        const found = plain(reader.changes(everything));
        const wanted = expected(seen);
        const named = ({ watch, place, from, to }: (typeof wanted)[number]) =>
          `${from} ${to} ${watch} ${place}`;
        expect(
          found.map((one) => `${one.from} ${one.to} ${one.watch} ${one.place}`).toSorted(),
        ).toEqual(wanted.map(named).toSorted());
        for (const change of wanted) {
          const own = found.find(
            (one) => `${one.from} ${one.to} ${one.watch} ${one.place}` === named(change),
          );
          const suspects = Object.entries(change.suspects);
          expect([own?.count, own?.first.length]).toEqual([
            suspects.length,
            Math.min(3, suspects.length),
          ]);
          // The most likely first: no other had more time of its own.
          const times = suspects.map(([, ns]) => ns).toSorted((a, b) => b - a);
          expect(own?.first.map(([, ns]) => ns)).toEqual(times.slice(0, 3));
          for (const [id, ns] of own?.first ?? [])
            expect([id, change.suspects[id]]).toEqual([id, ns]);
          // Whoever truly wrote is one of them.
          const writers = seen.writes.filter(
            ({ place, time }) => place === change.place && time >= change.from && time < change.to,
          );
          const last = writers.at(-1);
          expect(last).toBeDefined();
          if (last?.by) expect(Object.keys(change.suspects)).toContain(last.by);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('[watch.changes] pages of any size give the same changes once each; a label that is not there is refused', () => {
  using folder = new TemporaryFolder();
  const { events } = simulate(42, 3, 300);
  write(folder.file('s.db'), events, 16);
  using reader = SessionReader.open(folder.file('s.db'));
  const whole = plain(reader.changes(everything));
  const paged: typeof whole = [];
  let cursor: string | null = null;
  do {
    const page = reader.changes({ ...everything, limit: 7, cursor });
    paged.push(...plain(page));
    ({ cursor } = page);
  } while (cursor !== null);
  expect(paged).toEqual(whole);
  expect(() => reader.changes({ ...everything, watch: 'totl' })).toThrow(
    'There is no watch "totl".',
  );
});
