import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { contradictions, standsForMore } from '../support/contradictions.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget, libcxxFlags } from '../support/targets.ts';

/** Numbers and texts of a value. */
function told(value: unknown): number {
  if (typeof value === 'string') return standsForMore.test(value) ? 0 : 1;
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, one) => sum + told(one), 0);
}

describe('values behind several pointers', () => {
  const { home, client } = withClient();

  async function traced(
    program: string,
    patterns: readonly (string | { pattern: string; depth: number })[],
  ): Promise<{ sessionId: string; calls: readonly SeenCall[] }> {
    const { sessionId } = await runToEnd(client, home, program, { patterns });
    return { sessionId, calls: await callsOf(client, sessionId) };
  }

  const names = ['Shop::count', 'chain', 'every'];

  /** The arguments of each call as the program printed them, and as they were captured. */
  function compared(program: string, calls: readonly SeenCall[]): void {
    const lines = execFileSync(program, { encoding: 'utf8' }).trim().split('\n');
    expect(calls).toHaveLength(lines.length);
    for (const [i, line] of lines.entries()) {
      const printed: unknown = JSON.parse(line.slice(line.indexOf(' ')));
      expect(contradictions(calls[i]?.arguments, printed, line.split(' ')[0])).toEqual([]);
    }
  }

  const isSound = async (program: string): Promise<void> => {
    const patterns = names.map((name) => `far::${name}`);
    const usual = await traced(program, patterns);
    const near = await traced(
      program,
      patterns.map((one) => ({ pattern: one, depth: 1 })),
    );
    const whole = await traced(
      program,
      patterns.map((one) => ({ pattern: one, depth: 3 })),
    );
    for (const { calls } of [usual, near, whole]) compared(program, calls);
    // Of an object without elements there is no more to tell.
    for (const [i, call] of usual.calls.entries()) {
      const least = told(near.calls[i]?.arguments);
      expect(told(call.arguments), call.function).toBeGreaterThanOrEqual(
        i === 0 ? least : least + 1,
      );
    }
  };

  test.each(['-O0', '-O2'])(
    '[values.far] what lies deeper than one pointer is the beginning of what is there, %s',
    async (level) => {
      await isSound(buildTarget('e2e/farValues.cpp', ['-std=c++20', level]));
    },
  );
  itNeeds('libcxx', '[values.far] the same of LLVM’s C++ library', async () => {
    await isSound(buildByClang('e2e/farValues.cpp', [...libcxxFlags, '-O0']));
  });

  test('[values.far] an answer says what had no room and how to have it; filters mean what is captured whole', async () => {
    const program = buildTarget('e2e/farValues.cpp', ['-std=c++20', '-O0']);
    const { sessionId } = await traced(program, ['far::Shop::count', 'far::chain']);
    const answer = await client.ok('debug_query', { view: 'events', sessionId });
    expect(answer.text).toContain('a greater "depth" of the pattern captures more');
    expect(answer.text).toMatch(/first=0x[0-9a-f]+\{id=4, [^}]*next=0x[0-9a-f]+\{id=5, price=5.5/);
    const name = (path: string, equals: unknown) => ({ argument: [{ name: path, equals }] });
    expect(await callsOf(client, sessionId, name('first.id', 4))).toHaveLength(1);
    const refused = await client.refused('debug_query', {
      view: 'events',
      sessionId,
      ...name('first.next.id', 5),
    });
    expect(refused.text).toMatch(/captured only where there was room[^]*"depth": 3/);
    const deep = await traced(program, [{ pattern: 'far::chain', depth: 3 }]);
    expect(await callsOf(client, deep.sessionId, name('first.next.id', 5))).toHaveLength(1);
  });
});
