import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionReader } from '../../../src/db/reader/sessionReader.ts';
import { sessionMigrations } from '../../../src/db/sessionSchema.ts';
import { Sqlite } from '../../../src/db/sqlite.ts';
import type { TreeQuery, TreeResult } from '../../../src/model/questions/query.ts';
import { RandomSession, TemporaryFolder } from './randomSession.ts';

const usual: TreeQuery = {
  ...{ filter: {}, root: null, maxDepth: 12, maxNodes: 2000, maxRead: 200, selfTime: false },
  ...{ until: Number.MAX_SAFE_INTEGER, deadlineMs: 60_000 },
};

/** Questions that a tree of a whole thread answers, nearly answers or does not answer. */
function questions(end: number): TreeQuery[] {
  const filters = [
    ...[{}, { threadName: { equals: 'main' } }, { threadId: 1001 }, { pid: 100 }],
    ...[{ timeFrom: 1 }, { timeFrom: end / 2 }, { timeTo: end }, { timeTo: end / 2 }],
    ...[{ minDurationNs: 1 }, { function: { contains: 'bank' } }],
  ];
  return [
    ...filters.map((filter) => ({ ...usual, filter })),
    ...[4, 11, 64].map((maxDepth) => ({ ...usual, maxDepth })),
    ...[1, 1999, 5000].map((maxNodes) => ({ ...usual, maxNodes, selfTime: true })),
    ...[5, 199, 5000].map((maxRead) => ({ ...usual, maxRead })),
    ...[end, end - 1, end / 3].map((until) => ({ ...usual, until })),
    { ...usual, root: 'bank::open0' },
    { ...usual, root: 'c1.5' },
  ];
}

function answers(path: string, asked: readonly TreeQuery[]): TreeResult[] {
  using reader = SessionReader.open(path);
  return asked.map((query) => reader.tree(query));
}

/** Each by a reader that has folded nothing before. */
function foldedAlone(path: string, asked: readonly TreeQuery[]): TreeResult[] {
  return asked.flatMap((query) => answers(path, [query]));
}

/** The questions that are answered differently: large answers are compared much faster than `toEqual` does. */
function differing(
  asked: readonly TreeQuery[],
  one: readonly TreeResult[],
  other: readonly TreeResult[],
): TreeQuery[] {
  return asked.filter((_, i) => !isDeepStrictEqual(one[i], other[i]));
}

/** Returns how many rows of a store that changed. */
function change(path: string, sql: string): number {
  using db = Sqlite.open(path, { migrations: sessionMigrations });
  return db.prepare(sql).run().changes;
}

function treesIn(path: string): number {
  using db = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  return db.number('SELECT count(*) FROM trees');
}

/** As of the last commit. */
function copyStore(path: string, copy: string): void {
  using db = Sqlite.openReadonly(path, { migrations: sessionMigrations });
  db.exec(`VACUUM INTO '${copy}'`);
}

function run(session: RandomSession, commits: number, steps: number): void {
  for (let i = 0; i < commits; i++) {
    session.step(steps);
    session.commit();
  }
}

test('[query.tree] trees that were kept when the session was over are what folding makes of its calls', () => {
  let kept = 0;
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 450, max: 700 }), (seed, steps) => {
      using folder = new TemporaryFolder();
      const path = folder.file('s.db');
      using session = new RandomSession(
        path,
        seed,
        { blockCalls: 16 },
        { names: ['main', 'worker-1'] },
      );
      run(session, 3, steps);
      const asked = questions(session.time);
      const folded = foldedAlone(path, asked);
      while (session.writer.workInSpareTime('over'));
      expect(differing(asked, answers(path, asked), folded)).toEqual([]);
      // What comes in spite of that is in the next answer.
      run(session, 1, 40);
      const later = answers(path, asked);
      kept += change(path, 'DELETE FROM trees');
      expect(differing(asked, later, foldedAlone(path, asked))).toEqual([]);
    }),
    { numRuns: 3 },
  );
  expect(kept).toBeGreaterThan(2);
});

test('[query.tree] a kept tree is answered without its calls; functions and threads are as they are called by then', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  using session = new RandomSession(path, 7, {}, { names: ['main'] });
  run(session, 3, 900);
  const [folded] = answers(path, [usual]);
  while (session.writer.workInSpareTime('over'));
  session.writer.defineThread({ key: 1, pid: 100, tid: 1000, name: 'renamed' });
  session.commit();
  const [renamed] = answers(path, [usual]);
  const [thread] = renamed?.threads ?? [];
  expect([thread?.name, thread?.roots[0]?.call.threadName]).toEqual(['renamed', 'renamed']);
  session.writer.defineThread({ key: 1, pid: 100, tid: 1000, name: 'main' });
  session.commit();
  change(path, 'DELETE FROM columns');
  expect(answers(path, [usual])).toEqual([folded]);
  change(path, 'DELETE FROM trees');
  expect(() => answers(path, [usual])).toThrow('A block of calls is damaged.');
});

test('[query.tree] trees that are folded while a session is quiet are given up when it goes on', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 2, maxLength: 3 }),
      (seed, pauses) => {
        using folder = new TemporaryFolder();
        const path = folder.file('s.db');
        using session = new RandomSession(
          path,
          seed,
          { blockCalls: 16 },
          { names: ['main', 'worker-1'] },
        );
        run(session, 1, 1400);
        while (session.writer.workInSpareTime());
        expect(treesIn(path)).toBe(0);
        for (const steps of pauses) {
          // Of some, a part only is folded before the session goes on.
          for (let i = 0; i < steps; i++) session.writer.workInSpareTime('quiet');
          if (steps % 2 === 0) {
            while (session.writer.workInSpareTime('over'));
            expect(treesIn(path)).toBeGreaterThan(0);
          }
          const asked = questions(session.time);
          const answered = answers(path, asked);
          const copy = folder.file('copy.db');
          copyStore(path, copy);
          change(copy, 'DELETE FROM trees');
          expect(differing(asked, answered, foldedAlone(copy, asked))).toEqual([]);
          rmSync(copy);
          run(session, 1, 60);
        }
      },
    ),
    { numRuns: 3 },
  );
});

test('[query.tree] a tree that was asked for before is answered without its calls while nothing of it changes', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      using folder = new TemporaryFolder();
      const path = folder.file('s.db');
      using session = new RandomSession(
        path,
        seed,
        { blockCalls: 16 },
        { names: ['main', 'worker-1'] },
      );
      using reader = SessionReader.open(path);
      for (const steps of [2600, 40]) {
        run(session, 1, steps);
        const asked = questions(session.time);
        const [first, again] = [0, 1].map(() => asked.map((query) => reader.tree(query)));
        const folded = foldedAlone(path, asked);
        expect(differing(asked, first ?? [], folded)).toEqual([]);
        expect(differing(asked, again ?? [], folded)).toEqual([]);
      }
      using other = SessionReader.open(path);
      const [once = [], twice = []] = [0, 1].map(() => other.tree(usual).threads);
      expect(once).toHaveLength(2);
      for (const [i, thread] of once.entries()) {
        expect(thread.calls).toBeGreaterThan(512); // Smaller trees are folded anew.
        expect(twice[i]?.roots).toBe(thread.roots);
      }
    }),
    { numRuns: 2 },
  );
});

test('[query.tree] while calls may come at any moment, and of few calls, no tree is kept', () => {
  using folder = new TemporaryFolder();
  const path = folder.file('s.db');
  using session = new RandomSession(path, 3, {}, { names: ['main'] });
  run(session, 1, 300);
  while (session.writer.workInSpareTime('over'));
  run(session, 2, 900);
  while (session.writer.workInSpareTime());
  expect(treesIn(path)).toBe(0);
});
