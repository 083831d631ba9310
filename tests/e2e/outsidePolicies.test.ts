import { spawnSync } from 'node:child_process';
import { describe, expect, vi } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const twelve = Array.from({ length: 12 }, (_, i) => i);

/** Function, condition, the numbers of the goroutines whose call meets it. */
const cases: readonly (readonly [string, string, (i: number) => boolean])[] = [
  ['check', 'limit > 8', (i) => i > 8],
  ['check', 'o->ID % 4 == 1 && limit != 5', (i) => i % 4 === 1 && i !== 5],
  ['check', 'o->Owner == "ada"', (i) => i % 4 === 0 || i % 4 === 3],
  ['check', 'len(o->Items) >= 2', (i) => i % 4 >= 2],
  ['price', 'name == "bob"', (i) => i % 4 === 1],
  ['price', 'contains(name, "d") && len(name) == 3', (i) => i % 4 !== 1],
  ['price', 'factor >= 4.5', (i) => i >= 9],
  ['price', 'len(rest) == 2', (i) => i % 3 === 2],
];

describe('policies of patterns in programs that are traced from outside', () => {
  const { home, client } = withClient();

  const go = (): string => buildTarget('e2e/policies.go');

  const ran = async (
    program: string,
    ...patterns: (string | Readonly<Record<string, unknown>>)[]
  ): Promise<{ calls: readonly SeenCall[]; rows: readonly unknown[] }> => {
    const { sessionId, exit } = await runToEnd(client, home, program, { patterns });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const calls = await callsOf(client, sessionId);
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    return { calls, rows: listAt(stats.structured, 'rows') };
  };

  const counts = (rows: readonly unknown[]): unknown[] => rows.map((row) => at(row, 'count'));

  itNeeds(
    'go',
    '[go.policies] a condition chooses calls by their arguments; all are counted',
    async () => {
      for (const [name, when, meets] of cases) {
        const { calls, rows } = await ran(go(), { pattern: `main.${name}`, when });
        expect([when, calls.length, counts(rows)]).toEqual([
          when,
          twelve.filter(meets).length,
          [12],
        ]);
      }
    },
  );

  itNeeds('go', '[go.policies] calls are chosen by what they return', async () => {
    const empty = await ran(go(), { pattern: 'main.check', whenReturn: 'return.r0 == 0' });
    expect(empty.calls.map(({ arguments: values }) => at(values, 'limit'))).toEqual([0, 4, 8]);
    expect(counts(empty.rows)).toEqual([12]);
    const own = await ran(go(), { pattern: 'main.inner', whenReturn: 'return == 10 && n == 5' });
    expect(own.calls).toMatchObject([{ arguments: { n: 5 }, returns: 10 }]);
  });

  itNeeds(
    'go',
    '[go.policies] calls that take long are recorded, with those inside them',
    async () => {
      const { calls, rows } = await ran(go(), { pattern: 'main.slow', minDurationNs: 20_000_000 });
      expect(calls.map(({ arguments: values }) => at(values, 'n'))).toEqual([0, 3, 6, 9]);
      expect(counts(rows)).toEqual([12]);
    },
  );

  itNeeds('go', '[go.policies] the first calls, and those that are not too deep', async () => {
    const first = await ran(go(), { pattern: 'main.check', firstN: 5 });
    expect([first.calls.length, counts(first.rows)]).toEqual([5, [12]]);
    const deep = await ran(go(), { pattern: 'main.deep', maxDepth: 2 });
    const all = twelve.map((i) => (i % 5) + 1);
    expect([deep.calls.length, counts(deep.rows)]).toEqual([
      all.reduce((sum, depth) => sum + Math.min(depth, 2), 0),
      [all.reduce((sum, depth) => sum + depth, 0)],
    ]);
    const share = await ran(go(), { pattern: 'main.check', sampling: 0.25 });
    expect([share.calls.length > 0, share.calls.length < 12, counts(share.rows)]).toEqual([
      true,
      true,
      [12],
    ]);
  });

  itNeeds(
    'go',
    '[go.policies] calls that a panic left are told from those that returned',
    async () => {
      const falls = { pattern: 'main.falls', whenReturn: 'return == 4' };
      const { calls, rows } = await ran(go(), falls);
      expect(calls.map((call) => [at(call.arguments, 'n'), call.returns])).toEqual(
        [1, 3, 4, 5, 7, 9, 11].map((n) => [n, n === 4 ? 4 : undefined]),
      );
      expect(counts(rows)).toEqual([12]);
    },
  );

  itNeeds('go', '[go.policies] calls of functions start and stop the recording', async () => {
    const { calls } = await ran(
      go(),
      { pattern: 'main.begin', trigger: 'start' },
      { pattern: 'main.end', trigger: 'stop' },
      'main.check',
      'main.slow',
    );
    const seen = calls.map((call) => [call.function, Object.values(call.arguments).at(-1)]);
    expect(seen).toEqual([
      ['main.begin', 4],
      ['main.slow', 4],
      ['main.check', 5],
      ['main.slow', 5],
      ['main.check', 6],
      ['main.end', 6],
    ]);
  });

  itNeeds('go', '[go.policies] a program computes the same with conditions', () => {
    expect(spawnSync(go(), { encoding: 'utf8' }).stdout).toBe('sum 514\n');
  });
});
