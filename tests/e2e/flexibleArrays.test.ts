import { describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildByClang, buildTarget } from '../support/targets.ts';

const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);
/** What a verbose answer says of such an array. */
const untold = { notCaptured: 'its length is not known' };

describe('arrays of a length only the program knows', () => {
  const { home, client } = withClient();

  async function isAsGiven(program: string, byValue: unknown): Promise<void> {
    const { sessionId } = await runToEnd(client, home, program, {
      patterns: [{ pattern: 'take*', depth: 1 }],
    });
    const calls = await callsOf(client, sessionId);
    const given = (name: string): unknown[] =>
      calls.filter((call) => call.function === name).map((call) => call.arguments);
    // The second lies at the very end of what can be read.
    expect(given('takeMessage')).toEqual(
      expect.arrayContaining([
        { m: { address, n: 24, data: untold } },
        { m: { address, n: 0, data: untold } },
      ]),
    );
    expect(given('takeNumbers')).toEqual([{ v: { address, count: 3, values: untold } }]);
    expect(given('takeOld')).toEqual([{ o: { address, n: 8, data: untold } }]);
    expect(given('takeOldest')).toEqual([{ o: { address, n: 8, data: 'o' } }]);
    expect(given('takeRows')).toEqual([{ r: { address, n: 1, pairs: untold } }]);
    expect(given('takeHolder')).toEqual([
      { h: { address, before: 1, last: address, next: address } },
    ]);
    expect(given('takeWord')).toEqual([{ m: byValue }]);
    expect(given('takeRow')).toEqual([{ n: 3, p: address }]);
    expect(given('takeTable')).toEqual([{ n: 2, m: 3, p: address }]);
    expect(given('takeFixed')).toEqual([{ p: { address, value: [1, 2, 3] } }]);
    expect(calls).toHaveLength(11);
  }

  test.each(['-O0 -gdwarf-5', '-O2 -gdwarf-5', '-O0 -gdwarf-4'])(
    '[values.flexible] by gcc, %s',
    async (flags) => {
      const program = buildTarget('e2e/flexible.c', flags.split(' '));
      await isAsGiven(program, { n: 9, data: untold });
    },
  );

  for (const level of ['-O0', '-O2'])
    itNeeds('clangBuilds', `[values.flexible] by clang, ${level}`, async () => {
      const program = buildByClang('e2e/flexible.c', [level]);
      // It passes such a structure in a way of its own.
      await isAsGiven(program, { notCaptured: 'a type that is not known completely' });
    });
});
