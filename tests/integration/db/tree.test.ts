import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { SessionWriter } from '../../../src/db/writer/sessionWriter.ts';
import { eventKind, type TracedFunction } from '../../../src/model/eventColumns.ts';
import type { TreeNode, TreeQuery, TreeResult } from '../../../src/model/questions/treeResult.ts';
import { batch, type SimulatedEvent } from '../../unit/db/simulatedThread.ts';
import { wholeTree } from '../../support/questions.ts';
import { passes } from './plainReference.ts';
import { few, filters, scaled } from './randomFilters.ts';
import { madeUpFunction, RandomSession, TemporaryFolder, type KnownCall } from './randomSession.ts';

function query(change: Partial<TreeQuery> = {}): TreeQuery {
  return {
    ...wholeTree,
    maxDepth: 20,
    maxNodes: 1000,
    maxRead: 1000,
    ...change,
  };
}

const names = ['main', 'load', 'read', 'parse', 'fib', 'find'];
const functions: TracedFunction[] = names.map((name, number) =>
  madeUpFunction(name, number, {
    captured: [{ name: 'n', type: { kind: 'int', name: 'int', bytes: 4, signed: true } }],
    returns:
      name === 'find'
        ? { kind: 'pointer', name: 'void *' }
        : { kind: 'int', name: 'int', bytes: 4, signed: true },
  }),
);

/**
 * A thread as text: `load(1) read(2) <0 <!` enters load, enters read, read returns 0, load is
 * unwound. `+n` lets n nanoseconds pass.
 */
function script(text: string): SimulatedEvent[] {
  const events: SimulatedEvent[] = [];
  const open: { fn: number; sp: number }[] = [];
  let time = 0;
  const word = (value: number): Uint8Array => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setInt32(0, value, true);
    return bytes;
  };
  for (const part of text.trim().split(/\s+/)) {
    time += 10;
    const enter = /^(\w+)\((-?\d+)\)$/.exec(part);
    if (enter) {
      const fn = names.indexOf(enter[1] ?? '');
      const sp = 100_000 - open.length * 64;
      open.push({ fn, sp });
      events.push({ kind: eventKind.enter, fn, time, sp, payload: word(Number(enter[2])) });
    } else if (part.startsWith('+')) time += Number(part.slice(1));
    else {
      const frame = open.pop();
      if (!frame) throw new Error(`nothing is open at ${part}`);
      const isThrow = part === '<!';
      const kind = isThrow ? eventKind.unwound : eventKind.return;
      const payload = isThrow ? new Uint8Array(0) : word(Number(part.slice(1)));
      events.push({ kind, ...frame, time, payload });
    }
  }
  return events;
}

function treeOf(text: string, change: Partial<TreeQuery> = {}): TreeResult {
  using folder = new TemporaryFolder();
  using writer = SessionWriter.open(folder.file('s.db'), { sessionId: 't' });
  writer.defineFunctions(functions);
  writer.defineThread({ key: 1, pid: 1, tid: 1, name: 'main' });
  writer.append(1, batch(script(text)));
  writer.commit(1e12);
  using reader = SessionReader.open(folder.file('s.db'));
  return reader.tree(query(change));
}

/** `  load ×3 n=1..3 (+2)` per line. */
function drawn(tree: TreeResult): string[] {
  const lines: string[] = [];
  const draw = (node: TreeNode, indent: string): void => {
    const { call, times, varying, omitted } = node;
    const end = call.end === 'returned' ? '' : ` ${call.end}`;
    const more = omitted > 0 ? ` (+${omitted})` : '';
    lines.push(
      `${indent}${call.function}${times > 1 ? ` ×${times}` : ''}${varying.map((text) => ` ${text}`).join('')}${end}${more}`,
    );
    for (const child of node.children) draw(child, `${indent}  `);
  };
  for (const thread of tree.threads) {
    for (const root of thread.roots) draw(root, '');
    if (thread.omitted > 0) lines.push(`(+${thread.omitted})`);
  }
  return lines;
}

test('equal siblings fold with the ranges of their values, and their children below them', () => {
  expect(
    drawn(treeOf('main(0) load(1) read(5) <1 <0 load(2) read(5) <2 <0 load(3) read(5) <3 <0 <0')),
  ).toEqual(['main', '  load ×3 n=1..3', '    read ×3 return=1..3']);
});

test.each([
  ['threw', 'load(1) <0 load(2) <! load(3) <0', ['  load ×2 n=1..3', '  load unwound']],
  [
    'returned a negative number',
    'load(1) <4 load(2) <4 load(3) <-1 load(4) <4',
    ['  load ×3 n=1..4', '  load'],
  ],
  ['returned null', 'find(1) <4 find(2) <4 find(3) <0 find(4) <4', ['  find ×3 n=1..4', '  find']],
])('the only sibling that %s stays a line of its own', (_what, text, lines) => {
  expect(drawn(treeOf(`main(0) ${text} <0`))).toEqual(['main', ...lines]);
});

test('the only sibling that took ten times as long stays a line of its own', () => {
  const tree = treeOf('main(0) load(1) <0 load(2) +5000 <0 load(3) <0 load(4) <0 <0');
  expect(drawn(tree)).toEqual(['main', '  load ×3 n=1..4', '  load']);
  const [usual, slow] = tree.threads[0]?.roots[0]?.children ?? [];
  expect([usual?.minNs, usual?.maxNs, usual?.totalNs]).toEqual([10, 10, 30]);
  expect([slow?.times, slow?.totalNs]).toEqual([1, 5020]);
});

test('recursion folds into one line, whose total counts no time twice', () => {
  const tree = treeOf('main(0) fib(3) fib(2) fib(1) <1 fib(0) <0 <1 fib(1) read(9) <0 <1 <2 <0', {
    maxDepth: 2,
  });
  const [line] = tree.threads[0]?.roots[0]?.children ?? [];
  expect([line?.call.function, line?.times]).toEqual(['fib', 5]);
  expect(line?.totalNs).toBe(line?.maxNs);
  expect(line?.omitted).toBe(1);
});

test('[query.self-time] self time is what was not spent in traced calls below, shown or not', () => {
  const text = 'main(0) load(1) read(5) +100 <1 <0 load(2) read(5) +200 <1 <0 +50 <0';
  const times = (tree: TreeResult): unknown[] => {
    const [main] = tree.threads[0]?.roots ?? [];
    const [load] = main?.children ?? [];
    return [main, load, load?.children[0]].map((node) => [node?.totalNs, node?.selfNs]);
  };
  // Each step takes 10 ns; whoever is on top when it passes spends it.
  expect(times(treeOf(text, { selfTime: true }))).toEqual([
    [470, 90],
    [380, 40],
    [340, 340],
  ]);
  const shown = { selfTime: true, filter: { function: { matches: '^(main|load)$' } } };
  expect(times(treeOf(text, shown))).toEqual([
    [470, 90],
    [380, 40],
    [undefined, undefined],
  ]);
  expect(times(treeOf(text))).toContainEqual([380, null]);
});

test('what maxDepth and maxNodes leave out is counted', () => {
  const text = 'main(0) load(1) read(1) parse(1) <0 <0 <0 <0';
  expect(drawn(treeOf(text, { maxDepth: 2 }))).toEqual(['main', '  load (+2)']);
  expect(drawn(treeOf(text, { maxNodes: 1 }))).toEqual(['main (+3)']);
  expect(drawn(treeOf('load(1) <0 read(1) <0 parse(1) <0', { maxNodes: 2 }))).toEqual([
    'load',
    'read',
    '(+1)',
  ]);
});

test('a call or a pattern becomes the root', () => {
  const text = 'main(0) load(1) read(1) <0 <0 load(2) <0 <0';
  expect(drawn(treeOf(text, { root: 'c1.1' }))).toEqual(['load', '  read']);
  expect(drawn(treeOf(text, { root: 'load' }))).toEqual(['load ×2 n=1..2', '  read']);
  expect(() => treeOf(text, { root: 'c1.77' })).toThrow(
    expect.objectContaining({ code: 'BAD_PARAMETER' }),
  );
});

test('a filtered call hangs below its nearest shown ancestor', () => {
  const text = 'main(0) load(1) read(1) parse(2) <0 <0 <0 <0';
  expect(drawn(treeOf(text, { filter: { function: { matches: '^(main|parse)$' } } }))).toEqual([
    'main',
    '  parse',
  ]);
});

test('lines and what is left out stand for every call the filter takes, exactly once', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(
        {},
        { function: { contains: 'bank' } },
        { minDurationNs: 3000 },
        { timeFrom: 30_000 },
      ),
      (seed, maxDepth, maxNodes, filter) => {
        using session = RandomSession.inFolder(seed);
        session.stepAndCommit(5, 80);
        using reader = session.read();
        const tree = reader.tree(query({ filter, maxDepth, maxNodes }));
        const sum = (node: TreeNode): number =>
          node.times + node.omitted + node.children.reduce((total, child) => total + sum(child), 0);
        for (const thread of tree.threads) {
          const wanted = session.calls.filter(
            (call) =>
              call.thread.key === thread.thread &&
              passes(call, filter, session.calls, session.time),
          );
          expect(thread.calls).toBe(wanted.length);
          expect(thread.omitted + thread.roots.reduce((total, root) => total + sum(root), 0)).toBe(
            wanted.length,
          );
        }
        expect(tree.calls).toBe(
          session.calls.filter((call) => passes(call, filter, session.calls, session.time)).length,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('[query.tree] of so many lines as may be shown values are read, the others are told without', () => {
  const alone = (node: TreeNode): TreeNode => ({ ...node, children: [] });
  const linesIn = (nodes: readonly TreeNode[]): TreeNode[] =>
    nodes.flatMap((node) => [alone(node), ...linesIn(node.children)]);
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 2, max: 60 }), (seed, maxRead) => {
      using session = RandomSession.inFolder(seed);
      session.stepAndCommit(5, 80);
      using reader = session.read();
      const whole = reader.tree(query());
      const { threads } = reader.tree(query({ maxRead }));
      for (const [i, { roots }] of threads.entries()) {
        const lines = linesIn(roots);
        const expected = linesIn(whole.threads[i]?.roots ?? []);
        expect(lines.filter(({ isRead }) => isRead).length).toBe(Math.min(maxRead, lines.length));
        for (const [at, { isRead, call, varying, ...rest }] of lines.entries()) {
          const { isRead: _, call: known, varying: differing, ...others } = expected[at] ?? {};
          expect(rest).toEqual(others);
          const returns = { kind: 'notCaptured', reason: 'it was not read' };
          expect(call).toEqual(isRead ? known : { ...known, arguments: [], returns });
          expect(varying).toEqual(isRead ? differing : []);
        }
      }
    }),
    { numRuns: 30 },
  );
});

/** How many calls lie at the end of each chain of shown callers, recursion folded. */
function chains(taken: readonly KnownCall[], all: readonly KnownCall[]): Map<string, number> {
  const idOf = (call: KnownCall): string => `${call.thread.key} ${call.ordinal}`;
  const byId = new Map(all.map((call) => [idOf(call), call]));
  const shown = new Set(taken);
  const chainOf = (call: KnownCall): string[] => {
    let above = byId.get(`${call.thread.key} ${call.parent}`);
    while (above && !shown.has(above)) above = byId.get(`${above.thread.key} ${above.parent}`);
    if (!above) return [call.function.name];
    const isInner =
      above.function === call.function && (above.end === 'unwound') === (call.end === 'unwound');
    return isInner ? chainOf(above) : [...chainOf(above), call.function.name];
  };
  const counts = new Map<string, number>();
  for (const call of taken) {
    const key = `${call.thread.key}: ${chainOf(call).join(' > ')}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

test('[query.tree] every filter, alone and combined, leaves each call below its nearest shown caller', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(few(filters()), { minLength: 8, maxLength: 8 }),
      (seed, questions) => {
        using session = RandomSession.inFolder(seed);
        session.stepAndCommit(5, 80);
        using reader = session.read();
        for (const filter of questions.map((one) => scaled(one, session))) {
          const tree = reader.tree(
            query({ filter, maxDepth: 64, maxNodes: 100_000, maxRead: 100_000 }),
          );
          const found = new Map<string, number>();
          const visit = (node: TreeNode, thread: number, above: readonly string[]): void => {
            const chain = [...above, node.call.function];
            const key = `${thread}: ${chain.join(' > ')}`;
            found.set(key, (found.get(key) ?? 0) + node.times);
            for (const child of node.children) visit(child, thread, chain);
          };
          for (const { thread, roots } of tree.threads) {
            for (const root of roots) visit(root, thread, []);
          }
          const taken = session.calls.filter((call) =>
            passes(call, filter, session.calls, session.time),
          );
          expect(found).toEqual(chains(taken, session.calls));
        }
      },
    ),
    { numRuns: 12 },
  );
});

test('[query.tree] the same question again has the same answer until something is committed', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using folder = new TemporaryFolder();
      const path = folder.file('s.db');
      using session = new RandomSession(path, seed, { blockCalls: 16 });
      using reader = SessionReader.open(path);
      const asked = [
        query(),
        query({ selfTime: true }),
        query({ maxDepth: 2 }),
        query({ maxNodes: 3 }),
        query({ filter: { timeFrom: 100 } }),
        query({ root: 'bank::open0' }),
      ];
      for (const steps of [200, 40, 1]) {
        session.step(steps);
        session.commit();
        for (const one of asked) {
          using other = SessionReader.open(path);
          const first = reader.tree(one);
          expect(first).toEqual(other.tree(one));
          expect(reader.tree({ ...one, deadlineMs: 30_000 })).toBe(first);
        }
      }
    }),
    { numRuns: 5 },
  );
});
