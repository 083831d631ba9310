import { expect, test } from 'vitest';
import { ClockMap } from '../../../src/collector/rings/clockMap.ts';
import { GoroutineEvents } from '../../../src/collector/rings/goroutineEvents.ts';
import type { RingSink, RingThread } from '../../../src/collector/rings/ringSink.ts';
import { CallStacks } from '../../../src/db/writer/pairing/callStacks.ts';
import { eventKind, type EventColumns } from '../../../src/model/eventColumns.ts';

const { enter, return: leave, callsC, leavesC } = eventKind;
const PARSE = 1;
const SCAN = 2;
const STEP = 3;
const names = ['', 'parse', 'scan', 'step'];
/** Where frames are: of goroutine 5, of goroutine 6, and of C. */
const GO = 5 * 2 ** 27 + 1000;
const OTHER = 6 * 2 ** 27 + 1000;
const C = 2 ** 46;
const TID = 77;

const nothing = (): void => undefined;

type Seen = readonly [ticks: number, kind: number, fn: number, sp: number];

function columns(rows: readonly Seen[], lostBefore = 0): EventColumns {
  const payload = new Uint8Array(16 * rows.length);
  for (const at of rows.keys())
    new DataView(payload.buffer).setBigUint64(16 * at, BigInt(TID), true);
  return {
    count: rows.length,
    kind: Uint8Array.from(rows, ([, kind]) => kind),
    fn: Uint32Array.from(rows, ([, , fn]) => fn),
    time: Float64Array.from(rows, ([ticks]) => ticks),
    ticks: Float64Array.from(rows, ([ticks]) => ticks),
    sp: Float64Array.from(rows, ([, , , sp]) => sp),
    payloadStart: Uint32Array.from({ length: rows.length + 1 }, (_, at) => 16 * at),
    payload,
    lostBefore,
  };
}

function threadOf(ring: string, tid: number): RingThread {
  return { ring, pid: 1, tid, slot: 3, generation: 1, name: 'M' };
}

/** Each call as `strand: name < its caller`, as what stores them sees it. */
function callsOf(go: readonly (readonly Seen[])[], c: readonly Seen[]): string[] {
  const seen: string[] = [];
  const byStrand = new Map<number, CallStacks>();
  const ordinals: string[] = [];
  const sink: RingSink = {
    events: ({ tid }, { count, kind, fn, time, sp, lostBefore }) => {
      const stacks = byStrand.get(tid) ?? new CallStacks(nothing);
      byStrand.set(tid, stacks);
      if (lostBefore > 0) stacks.lost(lostBefore, ordinals.length);
      for (let row = 0; row < count; row++) {
        const place = [fn[row] ?? 0, sp[row] ?? 0, time[row] ?? 0] as const;
        if (kind[row] === enter) {
          stacks.enter(...place, ordinals.length);
          const name = names[fn[row] ?? 0] ?? '';
          seen.push(`${tid}: ${name} < ${ordinals[stacks.parentOrdinal] ?? 'none'}`);
          ordinals.push(name);
        } else if (kind[row] === leave) stacks.end(...place);
      }
    },
    overwritten: nothing,
    torn: nothing,
    counted: nothing,
    threadEnded: nothing,
    defined: nothing,
    definitionsUnread: nothing,
    undefinedFunction: nothing,
    partRead: nothing,
  };
  const events = new GoroutineEvents(sink, false, new ClockMap(0n));
  for (const [at, rows] of go.entries())
    events.events(threadOf('go', 0), columns(rows, at === 0 ? 0 : 1));
  events.ofC.events(threadOf('c', TID), columns(c));
  events.end();
  return seen;
}

const scanned: Seen[] = [
  [30, enter, SCAN, C],
  [31, enter, STEP, C - 64],
  [32, leave, STEP, C - 64],
  [33, leave, SCAN, C],
];
const called: Seen[] = [
  [10, enter, PARSE, GO],
  [20, callsC, 0, GO - 9],
];
const returned: Seen[] = [
  [40, leavesC, 0, GO - 9],
  [50, leave, PARSE, GO],
];

test('calls of C hang below the call of Go whose goroutine their thread runs', () => {
  expect(callsOf([[...called, ...returned]], scanned)).toEqual([
    '5: parse < none',
    '5: scan < parse',
    '5: step < scan',
  ]);
});

test('calls of C behind the return stay those of their thread', () => {
  const later = scanned.map(([ticks, ...rest]): Seen => [ticks + 15, ...rest]);
  expect(callsOf([[...called, ...returned]], later).toSorted()).toEqual([
    '5: parse < none',
    '77: scan < none',
    '77: step < scan',
  ]);
});

test('calls of C stay those of their thread where another goroutine ran there, or records were lost', () => {
  const other: Seen[] = [
    [25, enter, PARSE, OTHER],
    [26, leave, PARSE, OTHER],
  ];
  const ofThread = ['77: scan < none', '77: step < scan'];
  expect(callsOf([[...called, ...other]], scanned)).toEqual(expect.arrayContaining(ofThread));
  expect(callsOf([called, returned], scanned)).toEqual(expect.arrayContaining(ofThread));
});

test('a call of Go that C calls hangs below that of C, and its own C below it', () => {
  const inner = GO - 100;
  const go: Seen[] = [
    ...called,
    [30, enter, PARSE, inner],
    [31, callsC, 0, inner - 9],
    [34, leavesC, 0, inner - 9],
    [35, leave, PARSE, inner],
    ...returned,
  ];
  const c: Seen[] = [
    [25, enter, SCAN, C],
    [32, enter, STEP, C - 512],
    [33, leave, STEP, C - 512],
    [36, leave, SCAN, C],
  ];
  expect(callsOf([go], c)).toEqual([
    '5: parse < none',
    '5: scan < parse',
    '5: parse < scan',
    '5: step < parse',
  ]);
});
