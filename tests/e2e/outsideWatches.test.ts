import { spawnSync } from 'node:child_process';
import { describe, expect, test, vi } from 'vitest';
import { eventsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe('watches and invariants in programs that are traced from outside', () => {
  const { home, client } = withClient();

  /** The run, whose output and status are those of the untraced one. */
  const runAsAlone = async (
    program: string,
    add: readonly unknown[],
    watches: readonly unknown[],
  ) => {
    await client.ok('debug_trace', { pending: true, add, watches: { add: watches } });
    const { sessionId, exit } = await runToEnd(client, home, program);
    const untraced = spawnSync(program, { encoding: 'utf8' });
    expect(exit).toEqual({ kind: 'exited', code: untraced.status });
    const output = await client.ok('debug_query', { view: 'output', sessionId });
    const said = listAt(output.structured, 'lines').map((line) => textAt(line, 'text'));
    expect(`${said.join('\n')}\n`).toBe(untraced.stdout);
    return {
      /** `function: values` of each place where an invariant broke. */
      broken: async () =>
        (await eventsOf(client, sessionId, { eventType: ['logpoint'] })).map((one) => [
          textAt(one, 'functionName'),
          at(one, 'arguments'),
        ]),
      checks: async () => (await client.ok('debug_breakpoint', { sessionId })).text,
      changes: async (watch: string) => {
        const { structured } = await client.ok('debug_query', {
          view: 'changes',
          sessionId,
          watch,
        });
        return listAt(structured, 'changes').map((change) => [
          at(change, 'old'),
          at(change, 'new'),
          at(listAt(change, 'calls')[0], 'functionName'),
        ]);
      },
    };
  };

  for (const flags of [[], ['-gcflags', 'all=-N -l']])
    itNeeds(
      'go',
      `[watch.outside] [invariant.outside] globals, arguments and results of Go, also while stacks are copied ${flags.join(' ')}`,
      async () => {
        const pay = 'main.(*account).pay';
        const { broken, checks, changes } = await runAsAlone(
          buildTarget('e2e/ledger.go', flags),
          [
            { pattern: pay, invariant: 'a.cents >= 0' },
            { pattern: 'main.half', invariant: 'return * 2 == n' },
            { pattern: 'main.marked', invariant: '*first == return + 1' },
            'main.deep',
          ],
          [
            { expr: 'main.balance' },
            { expr: 'a.cents', on: pay },
            { expr: 'main.book', on: pay, at: 'return' },
          ],
        );
        expect(await broken()).toEqual([
          ['a.cents >= 0', { 'a.cents': -50 }],
          ['return * 2 == n', { return: 2, n: 5 }],
        ]);
        const text = await checks();
        expect(text).toMatch(/a\.cents >= 0 bound · return · checked 4, held 3, broken 1/);
        expect(text).toMatch(/return \* 2 == n bound · return · checked 2, held 1, broken 1/);
        expect(text).toMatch(/\*first == return \+ 1 bound · return · checked 8, held 8, broken 0/);
        expect(await changes('main.balance')).toEqual([
          [0, 15, pay],
          [15, 45, pay],
          [45, 90, pay],
          [90, 150, pay],
        ]);
        expect(await changes('a.cents')).toEqual([
          [100, 85, pay],
          [85, 55, pay],
          [55, 10, pay],
          [10, -50, pay],
        ]);
        expect((await changes('main.book')).at(-1)).toEqual([
          { note1: 60, note0: 30 },
          { note1: 60, note0: 90 },
          pay,
        ]);
      },
    );

  test.for([
    ['-O0', '-static'],
    ['-O2', '-static-pie'],
  ])(
    '[watch.outside] [invariant.outside] globals, thread-locals, arguments and results of C++ built with %s',
    async (flags) => {
      const { broken, checks, changes } = await runAsAlone(
        buildTarget('e2e/watches.cpp', flags),
        [
          { pattern: 'add', invariant: 'total >= amount' },
          { pattern: 'counted', invariant: 'return < 14' },
          'tune',
          'name',
          'nest',
          { pattern: 'Meter::set', invariant: 'this->rate < 20' },
        ],
        ['total', 'gConfig.audio', 'label', 'bank::accounts', 'depth', 'this->rate'].map(
          (expr) => ({ expr }),
        ),
      );
      expect(await changes('total')).toEqual([
        [0, 5, 'add'],
        [5, 3, 'add'],
        [3, 13, 'add'],
      ]);
      expect(await changes('gConfig.audio')).toEqual([
        [{ rate: 100, gain: 0.5 }, { rate: 150, gain: 0.75 }, 'tune'],
      ]);
      expect(await changes('label')).toEqual([['none', 'second', 'name']]);
      expect(await changes('bank::accounts')).toEqual([
        [1, 2, 'counted'],
        [2, 3, 'counted'],
      ]);
      expect((await changes('depth')).map(([, to]) => to)).toEqual([1, 2, 1, 0, 1, 0]);
      expect(await broken()).toEqual([
        ['return < 14', { return: 14 }],
        ['this->rate < 20', { 'this.rate': 20 }],
      ]);
      expect(await checks()).toMatch(/total >= amount bound · return · checked 4, held 4/);
    },
  );
});
