import { describe, expect, test } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const address: unknown = expect.stringMatching(/^0x[0-9a-f]+$/);
const usedUp = { notCaptured: 'the bytes of the event were used up' };

describe('values that are deeper or larger than what is captured', () => {
  const { home, client } = withClient();

  async function traced(options: object): Promise<(name: string) => readonly SeenCall[]> {
    const program = buildTarget('e2e/bounds.cpp');
    const run = await runToEnd(client, home, program, { patterns: ['shop::*'], ...options });
    const calls = await callsOf(client, run.sessionId);
    return (name) => calls.filter((call) => call.function === `shop::${name}`);
  }

  /** Those from `number` to `last`, the next one as an address. */
  const steps = (number: number, last: number): unknown =>
    number > last
      ? address
      : { address, number, name: `step ${number}`, next: steps(number + 1, last) };

  for (const depth of [4, 6, 10]) {
    test(`[values.bounds] ${depth} levels: what lies behind the last is an address`, async () => {
      const of = await traced({ serializationDepth: depth });
      const [walked] = of('walked');
      expect(walked?.arguments).toEqual({ first: steps(1, depth), after: 5 });
      const [nested] = of('nested');
      const value = [[[[1, 2], [3]], [[4]]], [[[5, 6]]]];
      expect(nested?.arguments).toEqual({ cube: { address, value } });
    });
  }

  test('[values.bounds] of what is larger than an event the number is told, and the rest is right', async () => {
    const of = await traced({});
    const [many, few] = of('listed');
    const row = (i: number, name: unknown): unknown => ({
      id: 1000 + i,
      name,
      values: [i + 0.5, 0, 0, 0, 0, 0, 0, 0],
    });
    expect(many).toMatchObject({ arguments: { before: -1, after: -2 }, returns: 97 });
    const shown = listAt(many?.arguments, 'rows', 'value');
    const captured = shown.length - 1;
    expect(captured).toBeGreaterThan(20);
    expect(captured).toBeLessThan(40);
    expect(shown).toEqual([
      ...Array.from({ length: captured }, (_unused, i) => row(i, `row ${i}`)),
      `…(+${100 - captured})`,
    ]);
    const [returned] = of('made');
    expect(listAt(returned?.returns).slice(0, captured)).toEqual(shown.slice(0, captured));

    // All rows have room, but not all names.
    expect(few).toMatchObject({ arguments: { before: -3, after: -4 }, returns: 17 });
    const named = listAt(few?.arguments, 'rows', 'value');
    const names = named.map((one) => at(one, 'name'));
    const known = names.filter((name) => typeof name === 'string').length;
    expect(known).toBeGreaterThan(0);
    expect(known).toBeLessThan(24);
    expect(named).toEqual(
      Array.from({ length: 24 }, (_unused, i) =>
        row(i, i < known ? `a row of a long name, ${i}` : usedUp),
      ),
    );
  });
});
