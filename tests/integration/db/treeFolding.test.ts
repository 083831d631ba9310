import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockCalls } from '../../../src/db/blockFormat.ts';
import { bucketFrom, bucketOf } from '../../../src/db/histogram.ts';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { eventKind, type TracedFunction } from '../../../src/model/eventColumns.ts';
import type { TreeNode } from '../../../src/model/questions/treeResult.ts';
import { batch, seeded, type SimulatedEvent } from '../../unit/db/simulatedThread.ts';
import { madeUpFunction, TemporaryFolder } from './randomSession.ts';

const names = ['main', 'load', 'read', 'parse', 'find'];
const functions: TracedFunction[] = names.map((name, number) =>
  madeUpFunction(name, number, {
    captured: [],
    returns: { kind: 'int', name: 'int', bytes: 4, signed: true },
  }),
);

interface Call {
  readonly fn: number;
  readonly ordinal: number;
  readonly start: number;
  /** Ended alike: unwound, open, negative or not. */
  kind: string;
  durationNs: number | null;
  readonly below: Call[];
}

/** One thread's random calls, some of them slow, some left open, with the events they make. */
function randomCalls(seed: number, count: number): { events: SimulatedEvent[]; roots: Call[] } {
  const random = seeded(seed);
  const events: SimulatedEvent[] = [];
  const roots: Call[] = [];
  const open: Call[] = [];
  let time = 0;
  for (let ordinal = 0; ordinal < count;) {
    time += random(400) === 0 ? 3000 + random(3000) : 1 + random(12);
    const top = open.at(-1);
    // Some calls have many below them, so that they span blocks.
    const stays = random(count > 5000 ? 2000 : 200) !== 0 || open.length > 3;
    if (open.length < 2 + (stays ? random(5) : 4)) {
      const call: Call = {
        fn: random(names.length),
        ordinal: ordinal++,
        start: time,
        kind: 'open',
        durationNs: null,
        below: [],
      };
      (top ? top.below : roots).push(call);
      open.push(call);
      events.push({
        kind: eventKind.enter,
        fn: call.fn,
        time,
        sp: 100_000 - open.length * 64,
        payload: new Uint8Array(0),
      });
    } else if (top && open.length > (random(count / 4) === 0 ? 0 : 1)) {
      const sp = 100_000 - open.length * 64;
      open.pop();
      top.durationNs = time - top.start;
      const isThrown = random(50) === 0;
      const isNegative = !isThrown && random(40) === 0;
      top.kind = isThrown ? 'unwound' : isNegative ? 'negative' : 'plain';
      const payload = new Uint8Array(8).fill(isNegative ? 255 : 0, 0, 4);
      events.push({
        kind: isThrown ? eventKind.unwound : eventKind.return,
        fn: top.fn,
        time,
        sp,
        payload: isThrown ? new Uint8Array(0) : payload,
      });
    }
  }
  return { events, roots };
}

interface Line {
  readonly fn: string | undefined;
  readonly first: number;
  readonly times: number;
  readonly totalNs: number;
  readonly minNs: number | null;
  readonly maxNs: number | null;
  readonly selfNs: number | null;
  readonly children: readonly Line[];
  readonly omitted: number;
}

/** Children that are shown: those of calls that are not shown take their place. */
function shownBelow(calls: readonly Call[], isShown: (call: Call) => boolean): Call[] {
  return calls.flatMap((call) => (isShown(call) ? [call] : shownBelow(call.below, isShown)));
}

/** Folding, written down as plainly as possible. */
function folded(calls: readonly Call[], isShown: (call: Call) => boolean, depth: number): Line[] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const key = `${call.fn} ${call.kind}`;
    const known = groups.get(key);
    if (known) known.push(call);
    else groups.set(key, [call]);
  }
  return [...groups.values()]
    .flatMap((alike) => withoutSlow(alike))
    .toSorted((a, b) => (a[0]?.ordinal ?? 0) - (b[0]?.ordinal ?? 0))
    .map((siblings) => {
      const all = [...siblings];
      const below: Call[] = [];
      let omitted = 0;
      for (const call of all) {
        const waiting = shownBelow(call.below, isShown);
        for (const child of waiting) {
          const isInner =
            child.fn === call.fn && (child.kind === 'unwound') === (call.kind === 'unwound');
          if (isInner) all.push(child);
          else if (depth > 1) below.push(child);
          else {
            omitted++;
            waiting.push(...shownBelow(child.below, isShown));
          }
        }
      }
      const durations = all.flatMap(({ durationNs }) => durationNs ?? []);
      return {
        fn: names[siblings[0]?.fn ?? 0],
        first: siblings[0]?.ordinal ?? -1,
        times: all.length,
        totalNs: siblings.reduce((sum, { durationNs }) => sum + (durationNs ?? 0), 0),
        minNs: durations.length === 0 ? null : Math.min(...durations),
        maxNs: durations.length === 0 ? null : Math.max(...durations),
        selfNs: all.reduce((sum, call) => sum + selfTime(call), 0),
        children: folded(
          below.toSorted((a, b) => a.ordinal - b.ordinal),
          isShown,
          depth - 1,
        ),
        omitted,
      };
    });
}

function selfTime({ durationNs, below }: Call): number {
  if (durationNs === null) return 0;
  return durationNs - below.reduce((sum, child) => sum + (child.durationNs ?? 0), 0);
}

function withoutSlow(calls: readonly Call[]): Call[][] {
  const durations = calls.flatMap(({ durationNs }) => durationNs ?? []).toSorted((a, b) => a - b);
  const usual = durations[(durations.length - 1) >> 1];
  if (usual === undefined || (durations.length === 1 && calls.length === 2)) return [[...calls]];
  const limit = bucketOf(10 * Math.max(1, bucketFrom(bucketOf(usual) + 1) - 1));
  const isSlow = ({ durationNs }: Call): boolean =>
    durationNs !== null && bucketOf(durationNs) > limit;
  const rest = calls.filter((call) => !isSlow(call));
  const slow = calls.filter((call) => isSlow(call));
  return [rest, slow].filter((part) => part.length > 0);
}

function drawn(nodes: readonly TreeNode[]): Line[] {
  return nodes.map(({ call, times, totalNs, minNs, maxNs, selfNs, children, omitted }) => ({
    fn: call.function,
    first: Number(call.id.split('.')[1]),
    times,
    totalNs,
    minNs,
    maxNs,
    selfNs,
    children: drawn(children),
    omitted,
  }));
}

interface Session {
  readonly seed: number;
  readonly count: number;
  readonly commits: number;
  readonly maxDepth: number;
  readonly blockCalls?: number;
  /** A reader asks after each commit, so that it knows contexts which later ends make untrue. */
  readonly isAskedEarly?: boolean;
}

const asked = {
  root: null,
  selfTime: true,
  maxNodes: 100_000,
  maxRead: 100_000,
  filter: {},
  until: Number.MAX_SAFE_INTEGER,
  deadlineMs: 60_000,
};

function compare(session: Session): void {
  const { seed, count, commits, maxDepth, isAskedEarly = false } = session;
  const { events, roots } = randomCalls(seed, count);
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  const options = { sessionId: 't', blockCalls: session.blockCalls ?? blockCalls };
  using writer = SessionWriter.open(path, options);
  writer.defineFunctions(functions);
  writer.defineThread({ key: 1, pid: 1, tid: 1, name: 'main' });
  using early = SessionReader.open(path);
  const every = Math.ceil(events.length / commits);
  for (let from = 0; from < events.length; from += every) {
    writer.append(1, batch(events.slice(from, from + every)));
    writer.commit(1e12);
    if (isAskedEarly) early.tree({ ...asked, maxDepth });
  }
  using reader = SessionReader.open(path);
  // The second time the contexts of blocks are known.
  for (const one of [reader, reader, early]) {
    const { threads } = one.tree({ ...asked, maxDepth });
    expect(drawn(threads[0]?.roots ?? [])).toEqual(folded(roots, () => true, maxDepth));
  }
  const filter = { function: { matches: '^(main|read|find)$' } };
  const isShown = ({ fn }: Call): boolean => fn !== 1 && fn !== 3;
  const { threads } = reader.tree({ ...asked, maxDepth, filter });
  expect(drawn(threads[0]?.roots ?? [])).toEqual(
    folded(shownBelow(roots, isShown), isShown, maxDepth),
  );
}

test('[query.tree] lines are what folding all calls at once makes of them', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 2, max: 600 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 7 }),
      (seed, count, commits, maxDepth) => {
        compare({ seed, count, commits, maxDepth });
      },
    ),
    { numRuns: 60 },
  );
});

test('[query.tree] lines are the same over many blocks, with calls that span them', () => {
  compare({ seed: 1, count: 50_000, commits: 3, maxDepth: 4 });
});

test('[query.tree] lines are the same where the contexts of some blocks were found while the session went on', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 300, max: 900 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 7 }),
      (seed, count, commits, maxDepth) => {
        compare({ seed, count, commits, maxDepth, isAskedEarly: true, blockCalls: 64 });
      },
    ),
    { numRuns: 30 },
  );
});
