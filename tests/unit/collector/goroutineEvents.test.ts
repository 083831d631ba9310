import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ClockMap } from '../../../src/collector/rings/clockMap.ts';
import { GoroutineEvents } from '../../../src/collector/rings/goroutineEvents.ts';
import type { RingSink } from '../../../src/collector/rings/ringSink.ts';
import { CallStacks } from '../../../src/db/writer/pairing/callStacks.ts';
import { eventKind, type EventColumns } from '../../../src/model/eventColumns.ts';

/** Of goroutine 1; `depth` 0 is the outermost call. */
interface Happened {
  readonly kind: number;
  readonly depth: number;
  readonly thread: number;
}

const SP = 2 ** 27 + 1000;
const nothing = (): void => undefined;

function columns(
  rows: readonly (Happened & { ticks: number })[],
  lostBefore: number,
): EventColumns {
  return {
    count: rows.length,
    kind: Uint8Array.from(rows, ({ kind }) => kind),
    fn: Uint32Array.from(rows, ({ depth }) => depth + 1),
    time: Float64Array.from(rows, ({ ticks }) => ticks),
    ticks: Float64Array.from(rows, ({ ticks }) => ticks),
    sp: Float64Array.from(rows, ({ depth }) => SP - depth),
    payloadStart: new Uint32Array(rows.length + 1),
    payload: new Uint8Array(0),
    lostBefore,
  };
}

/** How the calls ended that have no end of their own, as what stores them sees it. */
function endsOf(read: (events: GoroutineEvents) => void): { unwound: number; lost: number } {
  const ends = { unwound: 0, lost: 0 };
  const stacks = new CallStacks((_fn, _ordinal, _end, durationNs) => {
    if (durationNs === null) ends.lost++;
    else ends.unwound++;
  });
  let ordinal = 0;
  const take = ({ count, kind, fn, time, sp, lostBefore }: EventColumns): void => {
    if (lostBefore > 0) stacks.lost(lostBefore, ordinal);
    for (let row = 0; row < count; row++) {
      const place = [fn[row] ?? 0, sp[row] ?? 0, time[row] ?? 0] as const;
      if (kind[row] === eventKind.enter) stacks.enter(...place, ordinal++);
      else {
        const isOpen = stacks.end(...place);
        if (isOpen && kind[row] === eventKind.unwound) ends.unwound++;
      }
    }
  };
  const sink: RingSink = {
    events: (_thread, events) => take(events),
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
  read(events);
  events.end();
  return ends;
}

function threadOf(slot: number) {
  return { ring: 'ring', pid: 1, tid: slot + 1, slot, generation: 0, name: 'M' };
}

/** A walk through calls that return, on two threads in turn; `moves`: whether it goes deeper, and whether it moves. */
function walk(moves: readonly (readonly [boolean, boolean])[]): Happened[] {
  const all: Happened[] = [];
  let depth = 0;
  let thread = 0;
  for (const [isDeeper, isMoved] of moves) {
    if (isMoved) thread = 1 - thread;
    if (isDeeper || depth === 0) all.push({ kind: eventKind.enter, depth: depth++, thread });
    else all.push({ kind: eventKind.return, depth: --depth, thread });
  }
  while (depth > 0) all.push({ kind: eventKind.return, depth: --depth, thread });
  return all;
}

test('where events were lost no call is said to have been left by a panic', () => {
  const moves = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 4, maxLength: 60 });
  const gap = fc.tuple(fc.nat(80), fc.integer({ min: 1, max: 12 }));
  fc.assert(
    fc.property(
      moves,
      fc.array(gap, { minLength: 1, maxLength: 3 }),
      fc.nat(40),
      (all, gaps, cut) => {
        const happened = walk(all).map((one, at) => ({ ...one, ticks: at + 1 }));
        const { unwound } = endsOf((events) => {
          for (const part of [happened.slice(0, cut), happened.slice(cut)]) {
            for (const slot of [0, 1]) {
              const own = part.filter(({ thread }) => thread === slot);
              let read: typeof own = [];
              let lost = 0;
              for (const [at, row] of own.entries()) {
                // Newer events overwrite older ones: the newest are there.
                const isLast = at === own.length - 1;
                if (!isLast && gaps.some(([from, count]) => at >= from && at < from + count)) {
                  if (read.length > 0) {
                    events.events(threadOf(slot), columns(read, lost));
                    [read, lost] = [[], 0];
                  }
                  lost++;
                } else read.push(row);
              }
              if (read.length > 0) events.events(threadOf(slot), columns(read, lost));
            }
            events.tellTo(part.at(-1)?.ticks ?? 0);
          }
        });
        expect(unwound).toBe(0);
      },
    ),
    { numRuns: 3000 },
  );
});

test('a call that is open when hooks are removed has no end, one whose end is read later has', () => {
  const { enter, return: end } = eventKind;
  const row = (kind: number, ticks: number) => ({ kind, depth: 0, thread: 0, ticks });
  const ends = endsOf((events) => {
    events.events(threadOf(0), columns([row(enter, 1)], 0));
    events.tellTo(1);
    events.removed(10);
    const late = [row(end, 5), row(enter, 6), row(end, 7), row(enter, 8)];
    events.events(threadOf(0), columns([...late, row(enter, 20), row(end, 21)], 0));
  });
  expect(ends).toEqual({ unwound: 0, lost: 1 });
});

test('a call that a panic left is said to be so where nothing was lost', () => {
  const ends = endsOf((events) => {
    const rows = [
      { kind: eventKind.enter, depth: 0 },
      { kind: eventKind.enter, depth: 1 },
      { kind: eventKind.enter, depth: 2 },
      { kind: eventKind.return, depth: 0 },
    ].map((one, at) => ({ ...one, thread: 0, ticks: at + 1 }));
    events.events(threadOf(0), columns(rows, 0));
  });
  expect(ends).toEqual({ unwound: 2, lost: 0 });
});
