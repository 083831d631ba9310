import { spawnSync } from 'node:child_process';
import { describe, expect, vi } from 'vitest';
import { callsOf, linesOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const stripped = '-ldflags=-s -w';

describe('programs of Go without symbols', () => {
  const { home, client } = withClient();
  const traced = async (
    source: string,
    flags: readonly string[],
    args: readonly string[] = [],
  ): Promise<{ readonly calls: readonly SeenCall[]; readonly sessionId: string }> => {
    const program = buildTarget(source, flags);
    const untraced = spawnSync(program, args, { encoding: 'utf8' });
    const run = await runToEnd(client, home, program, { args, patterns: ['main.*'] });
    expect(run.exit).toEqual({ kind: 'exited', code: untraced.status });
    const { sessionId } = run;
    const lines = await linesOf(client, sessionId);
    expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
    return { calls: await callsOf(client, sessionId), sessionId };
  };

  for (const [what, flags] of [
    ['static', []],
    ['position-independent', ['-buildmode=pie']],
  ] as const)
    itNeeds(
      'go',
      `[go.stripped] ${what}: calls have the names and places of the whole program, without values`,
      async () => {
        const { calls, sessionId } = await traced(
          'e2e/accounts.go',
          [stripped, ...flags],
          ['exit'],
        );
        const whole = await traced('e2e/accounts.go', flags, ['exit']);
        const names = (all: readonly SeenCall[]): string[] => [
          ...new Set(all.map((call) => call.function)),
        ];
        expect(names(calls).toSorted()).toEqual(names(whole.calls).toSorted());
        expect(calls.filter((call) => call.function === 'main.fib')).toHaveLength(177);
        const { text } = await client.ok('debug_query', { sessionId, view: 'tree' });
        expect(text).toMatch(/main\.fib\(\) = \?.*accounts\.go:35/);
        expect(calls.flatMap((call) => Object.keys(call.arguments ?? {}))).toEqual([]);
      },
    );

  for (const linker of ['', ' -linkmode=external'])
    itNeeds('go', `[go.stripped] calls say how long they waited${linker}`, async () => {
      const { calls } = await traced('e2e/waits.go', [`${stripped}${linker}`]);
      for (const name of ['slept', 'received', 'locked', 'polled', 'called'])
        expect(calls.find((call) => call.function === `main.${name}`)?.suspendedNs).toBeGreaterThan(
          0,
        );
    });

  for (const [what, flags] of [
    ['with C', []],
    ['with C, position-independent', ['-buildmode=pie']],
  ] as const)
    itNeeds('go', `[go.stripped] ${what}, its calls are seen, also from threads of C`, async () => {
      const { calls } = await traced('e2e/goAndC.go', [stripped, ...flags]);
      const count = (name: string): number => calls.filter((call) => call.function === name).length;
      expect(count('main.deep')).toBe(20 * 201);
      expect(count('main.add')).toBe(60);
      expect(count('main.price')).toBe(20);
    });
});
