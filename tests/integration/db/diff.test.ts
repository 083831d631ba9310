import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import {
  eventKind,
  watchFlags,
  watchNumberBits,
  type TracedFunction,
} from '../../../src/model/eventColumns.ts';
import type { WatchedWrite } from '../../../src/model/watches/watchWrite.ts';
import type { WatchDefinition } from '../../../src/model/watches/watch.ts';
import type { DiffResult } from '../../../src/model/questions/diffResult.ts';
import type { CallView } from '../../../src/model/questions/query.ts';
import { batch, seeded, type Random, type SimulatedEvent } from '../../unit/db/simulatedThread.ts';
import { madeUpFunction, TemporaryFolder } from './randomSession.ts';

const functions: readonly TracedFunction[] = ['main', 'load', 'read', 'parse'].map((name, number) =>
  madeUpFunction(name, number, {
    captured: [
      { name: 'object', type: { kind: 'pointer', name: 'Object *' } },
      { name: 'name', type: { kind: 'cstring', name: 'const char *' } },
      { name: 'n', type: { kind: 'int', name: 'int', bytes: 4, signed: true } },
    ],
    returns:
      name === 'load'
        ? { kind: 'pointer', name: 'Object *' }
        : { kind: 'bool', name: 'bool', bytes: 1 },
  }),
);

interface Call {
  readonly fn: number;
  readonly depth: number;
  readonly n: number;
  readonly text: string;
  readonly returned: boolean;
  /** What a watch saw at its return; absent: it was not sampled. */
  readonly total?: number;
}

const total: WatchDefinition = {
  number: 0,
  label: 'total',
  expr: 'total',
  isOfCall: false,
  type: { kind: 'int', name: 'int', bytes: 4, signed: true },
};

/** Calls in the order in which they are entered; the first is the root of all others. */
function randomCalls(random: Random, count: number): Call[] {
  let depth = 0;
  return Array.from({ length: count }, (_unused, i) => {
    depth = i === 0 ? 0 : 1 + random(Math.min(depth + 1, 6));
    return {
      fn: i === 0 ? 0 : 1 + random(3),
      depth,
      n: random(5),
      text: ['', 'rye', 'a longer text'][random(3)] ?? '',
      returned: random(2) === 1,
    };
  });
}

/** What the engine writes of these calls; addresses and what registers hold besides are random. */
function eventsOf(calls: readonly Call[], random: Random, began = 0): SimulatedEvent[] {
  const events: SimulatedEvent[] = [];
  const open: Call[] = [];
  let time = began;
  const leave = (): void => {
    const call = open.pop();
    if (!call) return;
    const isPointer = call.fn === 1;
    const words = isPointer
      ? [call.returned ? 1 + random(1e9) : 0, 0]
      : [(call.returned ? 1 : 0) + 256 * random(1000), random(1e9)];
    const sp = 100_000 - open.length * 64;
    if (call.total !== undefined)
      events.push({
        kind: eventKind.watch,
        fn: watchFlags.atReturn << watchNumberBits,
        sp,
        time: time + 1,
        payload: bytesOf([call.total, 0]),
      });
    events.push({
      kind: eventKind.return,
      fn: call.fn,
      time: (time += 10),
      sp,
      payload: bytesOf(words),
    });
  };
  for (const call of calls) {
    while (open.length > call.depth) leave();
    const text = Buffer.alloc((call.text.length + 7) & ~7, random(256));
    text.write(call.text, 'latin1');
    const payload = Buffer.concat([
      bytesOf([1 + random(1e9), random(1e9), call.text.length, 0]),
      text,
      bytesOf([call.n, random(1e9)]),
    ]);
    const sp = 100_000 - open.length * 64;
    events.push({ kind: eventKind.enter, fn: call.fn, time: (time += 10), sp, payload });
    open.push(call);
  }
  while (open.length > 0) leave();
  return events;
}

function bytesOf(words: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(words).buffer);
}

const written: WatchDefinition = { ...total, number: 1, label: 'rate', isWritten: true };

const writesOf = (values: readonly number[]): WatchedWrite[] =>
  values.map((value, i) => ({
    watch: 1,
    time: 15 + i,
    pid: 1,
    tid: 1,
    site: 's',
    isNear: false,
    old: null,
    now: String(value),
  }));

/** What one thread did; its first call begins at `began`. */
interface Run {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly began: number;
}

const mainRun = (calls: readonly Call[]): Run[] => [{ name: 'main', calls, began: 0 }];

/** The threads are numbered in the order in which they are given. */
function store(
  path: string,
  runs: readonly Run[],
  random: Random,
  writes: readonly WatchedWrite[] = [],
): void {
  using writer = SessionWriter.open(path, { sessionId: 't', blockCalls: 16 });
  writer.defineFunctions(functions);
  writer.defineWatches([total, written]);
  writer.appendWrites({ sites: [], writes, missed: null });
  for (const [i, { name, calls, began }] of runs.entries()) {
    const key = i + 1;
    writer.defineThread({ key, pid: 1, tid: key, name });
    const events = eventsOf(calls, random, began);
    for (let from = 0; from < events.length;) {
      const to = Math.min(events.length, from + 1 + random(120));
      writer.append(key, batch(events, from, to));
      if (random(2) === 0) writer.commit(events[to - 1]?.time ?? 0);
      from = to;
    }
    writer.threadEnded(key);
  }
  writer.commit(1e9);
}

function diffOf(here: readonly Call[], there: readonly Call[], random: Random): DiffResult {
  return diffOfRuns(mainRun(here), mainRun(there), random);
}

function diffOfRuns(here: readonly Run[], there: readonly Run[], random: Random): DiffResult {
  using folder = new TemporaryFolder();
  store(folder.file('here.db'), here, random);
  store(folder.file('there.db'), there, random);
  using one = SessionReader.open(folder.file('here.db'));
  using other = SessionReader.open(folder.file('there.db'));
  const side = { filter: {}, until: Number.MAX_SAFE_INTEGER };
  return one.diff(other, { here: side, there: side, limit: 50, deadlineMs: 60_000 });
}

/** The first place where they differ, as an observer of everything tells it. */
function firstDifferent(
  here: readonly Call[],
  there: readonly Call[],
): { order: number | null; values: number | null } {
  let values: number | null = null;
  for (let i = 0; i < Math.max(here.length, there.length); i++) {
    const [a, b] = [here[i], there[i]];
    if (!a || !b || a.fn !== b.fn || a.depth !== b.depth) return { order: i, values };
    if (a.n !== b.n || a.text !== b.text || a.returned !== b.returned) values ??= i;
  }
  return { order: null, values };
}

test('[query.diff] the first different call and the first different value are found, wherever blocks end', () => {
  const change = fc.record({
    at: fc.nat(400),
    what: fc.constantFrom(...kindsOfChange, 'gone' as const),
  });
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 400 }),
      fc.array(change, { maxLength: 3 }),
      (seed, count, changes) => {
        const random = seeded(seed);
        const here = randomCalls(random, count);
        const there = changes.reduce<readonly Call[]>(withChange, here);
        const expected = firstDifferent(here, there);
        const [thread] = diffOf(here, there, random).threads;
        expect(thread?.order?.alike ?? null).toBe(expected.order);
        expect(thread?.values?.alike ?? null).toBe(expected.values);
        expect(thread?.compared).toBe(expected.order ?? here.length);
        const before = thread?.before ? Number(thread.before.id.split('.')[1]) : null;
        expect(before).toBe(
          expected.order === null || expected.order === 0 ? null : expected.order - 1,
        );
      },
    ),
    { numRuns: 60 },
  );
});

const kindsOfChange = ['n', 'text', 'returned', 'fn', 'depth'] as const;
type KindOfChange = (typeof kindsOfChange)[number];

/** The calls with one of them changed, or gone with all behind it; as they were where that cannot be. */
function withChange(
  calls: readonly Call[],
  { at, what }: { readonly at: number; readonly what: KindOfChange | 'gone' },
): readonly Call[] {
  const place = at % calls.length;
  const call = calls[place];
  if (!call || place === 0) return calls;
  // What follows a call must still be able to.
  const next = calls[place + 1];
  if (what === 'depth' && (call.depth < 2 || (next && next.depth > call.depth))) return calls;
  return what === 'gone'
    ? calls.slice(0, place)
    : calls.with(place, { ...call, ...changed(call, what) });
}

function changed(call: Call, what: KindOfChange): Partial<Call> {
  switch (what) {
    case 'n':
      return { n: call.n + 1 };
    case 'text':
      return { text: `${call.text}!` };
    case 'returned':
      return { returned: !call.returned };
    case 'depth':
      return { depth: call.depth - 1 };
    case 'fn':
      return { fn: 1 + (call.fn % 3) };
  }
}

/** A call as it is shown: of its values those that can differ. */
function shown(call: CallView | null | undefined): unknown {
  if (!call) return null;
  const values = call.arguments.filter(({ name }) => name !== 'object');
  return [
    call.tid,
    call.function,
    ...values.map(({ value }) => ('text' in value ? value.text : '')),
  ];
}

const expectedOf = (
  { key, calls }: NumberedRun | undefined = noRun,
  at: number | null,
): unknown => {
  const call = at === null ? undefined : calls[at];
  return call ? [key, functions[call.fn]?.name, call.text, String(call.n)] : null;
};

type NumberedRun = Run & { readonly key: number };
const noRun: NumberedRun = { key: 0, name: '', calls: [], began: 0 };

/** The n-th thread of a name belongs to the n-th of that name on the other side. */
function matched(
  here: readonly Run[],
  there: readonly Run[],
): { here: NumberedRun | undefined; there: NumberedRun | undefined }[] {
  const named = (runs: readonly Run[]): Map<string, NumberedRun> => {
    const found = new Map<string, NumberedRun>();
    const numbered = runs.map((run, i) => ({ ...run, key: i + 1 }));
    for (const run of numbered.toSorted((a, b) => a.began - b.began)) {
      for (let n = 1; ; n++) {
        if (found.has(`${run.name} ${n}`)) continue;
        found.set(`${run.name} ${n}`, run);
        break;
      }
    }
    return found;
  };
  const [ours, theirs] = [named(here), named(there)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((name) => ({
    here: ours.get(name),
    there: theirs.get(name),
  }));
}

test('[query.diff] of several threads each is compared with the one that began as the same of its name', () => {
  const change = fc.record({
    at: fc.nat(80),
    what: fc.constantFrom(...kindsOfChange, 'gone' as const),
  });
  const thread = fc.record({
    name: fc.constantFrom('main', 'worker', 'worker', 'io'),
    count: fc.integer({ min: 1, max: 80 }),
    changes: fc.array(change, { maxLength: 1 }),
    is: fc.constantFrom('both', 'both', 'both', 'here', 'there'),
  });
  let pairs = 0;
  fc.assert(
    fc.property(fc.nat(), fc.array(thread, { minLength: 2, maxLength: 6 }), (seed, threads) => {
      const random = seeded(seed);
      const here: Run[] = [];
      const there: Run[] = [];
      // No two threads begin at the same time; which comes first is another matter on each side.
      const began = (i: number): number => 1 + random(1000) * 10 + i;
      for (const [i, { name, count, changes, is }] of threads.entries()) {
        const calls = randomCalls(random, count);
        const changedCalls = changes.reduce<readonly Call[]>(withChange, calls);
        if (is !== 'there') here.push({ name, calls, began: began(i) });
        if (is !== 'here') there.unshift({ name, calls: changedCalls, began: began(i) });
      }
      fc.pre(here.length > 1 || there.length > 1);
      const { threads: found } = diffOfRuns(here, there, random);
      const expected = matched(here, there).map(({ here: ours, there: theirs }) => {
        const sides = { name: (ours ?? theirs)?.name, here: ours?.key, there: theirs?.key };
        if (!ours || !theirs) return { ...sides, order: null, values: null, pairs: [] };
        pairs++;
        const { order, values } = firstDifferent(ours.calls, theirs.calls);
        const places = [order, values].map((at) => [expectedOf(ours, at), expectedOf(theirs, at)]);
        return { ...sides, order, values, pairs: places };
      });
      const told = found.map(({ name, here: ours, there: theirs, order, values }) => ({
        name,
        here: ours?.tid,
        there: theirs?.tid,
        order: order?.alike ?? null,
        values: values?.alike ?? null,
        pairs:
          ours && theirs
            ? [order, values].map((pair) => [shown(pair?.here), shown(pair?.there)])
            : [],
      }));
      expect(told).toHaveLength(expected.length);
      expect(told).toEqual(expect.arrayContaining(expected));
    }),
    { numRuns: 30 },
  );
  expect(pairs).toBeGreaterThan(0);
});

test('[query.diff] in two time ranges of one session each thread is compared with itself', () => {
  using folder = new TemporaryFolder();
  const flat = (count: number): Call[] =>
    Array.from({ length: count }, (_unused, n) => ({
      fn: 2,
      depth: 0,
      n,
      text: '',
      returned: true,
    }));
  const worker = (began: number, calls: number): Run => ({
    name: 'worker',
    began,
    calls: flat(calls),
  });
  // The first ends in the first range; the last begins in the second.
  const runs = [worker(0, 10), worker(5, 100), worker(7, 100), worker(1500, 10)];
  store(folder.file('s.db'), runs, seeded(1));
  using session = SessionReader.open(folder.file('s.db'));
  const side = (range: object) => ({ filter: range, until: Number.MAX_SAFE_INTEGER });
  const { threads } = session.diff(session, {
    here: side({ timeTo: 1000 }),
    there: side({ timeFrom: 1001 }),
    limit: 50,
    deadlineMs: 60_000,
  });
  expect(threads.map(({ here, there }) => [here?.tid, there?.tid])).toEqual([
    [1, 4],
    [2, 2],
    [3, 3],
  ]);
});

test('[query.diff] a watched value that differs is found, sampled or written', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 200 }), (seed, count) => {
      const random = seeded(seed);
      const calls = randomCalls(random, count).map((call) =>
        random(3) === 0 ? call : { ...call, total: random(4) },
      );
      const sampled = calls.flatMap(({ total: value }, i) => (value === undefined ? [] : [i]));
      const at = sampled[random(Math.max(1, sampled.length))] ?? -1;
      const other = calls.map((call, i) =>
        i === at ? { ...call, total: (call.total ?? 0) + 1 } : call,
      );
      expect(diffOf(calls, calls, random).threads[0]?.values).toBeNull();
      const values = diffOf(calls, other, random).threads[0]?.values;
      if (at < 0) expect(values).toBeNull();
      else {
        expect([values?.alike, values?.names]).toEqual([at, ['total at return']]);
        expect(values?.there?.watched?.map(({ label }) => label)).toEqual(['total']);
      }
    }),
    { numRuns: 40 },
  );
  using folder = new TemporaryFolder();
  const calls = randomCalls(seeded(3), 5);
  store(folder.file('here.db'), mainRun(calls), seeded(3), writesOf([1, 2, 3]));
  store(folder.file('there.db'), mainRun(calls), seeded(3), writesOf([1, 2, 4, 5]));
  using here = SessionReader.open(folder.file('here.db'));
  using there = SessionReader.open(folder.file('there.db'));
  const side = { filter: {}, until: Number.MAX_SAFE_INTEGER };
  const question = { here: side, there: side, limit: 9, deadlineMs: 60_000 };
  expect(here.diff(here, question).writes).toEqual([]);
  expect(here.diff(there, question).writes).toMatchObject([
    { label: 'rate', alike: 2, here: { text: 'rate = 3' }, there: { text: 'rate = 4' } },
  ]);
});
