import { describe, expect, test, vi } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { at, listAt, numberAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const hundred = Array.from({ length: 100 }, (_, i) => i);
const count = (meets: (i: number) => boolean): number => hundred.filter(meets).length;

/** Function, condition, how many of its calls meet it. */
const cases: readonly (readonly [string, string, number])[] = [
  ['numbers', 'size > 40', count((i) => i - 50 > 40)],
  ['numbers', 'size < -45 || size == 3', count((i) => i - 50 < -45 || i === 53)],
  ['numbers', 'size % 10 == 0 && !(small < 50)', count((i) => i % 10 === 0 && i >= 50)],
  ['numbers', '(small & 3) == 1', count((i) => (i & 3) === 1)],
  ['numbers', 'large > 0xfffffffffffffff0', count((i) => i < 15)],
  ['numbers', 'byte < 0', count((i) => i < 50)],
  ['numbers', 'size / (small - small) == 1', 100],
  ['decimals', 'precise > 1.25', count((i) => i / 4 - 5 > 1.25)],
  ['decimals', 'precise < 0', count((i) => i / 4 - 5 < 0)],
  [
    'decimals',
    'coarse >= 12.0 && precise != 19.5',
    count((i) => i / 8 >= 12 && i / 4 - 5 !== 19.5),
  ],
  ['text', 'name == "item-7"', 1],
  ['text', 'name != "item-7"', 99],
  [
    'text',
    'contains(name, "-9") && !isNull(name)',
    count((i) => /-9/.test(`item-${i}`) && i !== 99),
  ],
  ['text', 'len(title) >= 100', count((i) => i + `item-${i}`.length >= 100)],
  ['text', 'contains(title, "item-42")', 1],
  ['job', 'work != null && work->id == 17', 1 + 1],
  ['job', 'work->weight > 140', count((i) => i % 10 !== 9 && i * 1.5 > 140) + 11],
  ['job', 'work && work->tag == 249', 1],
  ['job', 'work && work->tag == 248', 2 + 1],
  ['job', 'isNull(work)', 10],
  ['job', 'work && work->owner == "item-5"', 1 + 1],
  ['seventh', 'g > 0 && args[0] == 1', count((i) => i - 50 > 0)],
];

describe('conditions', () => {
  const { home, client } = withClient();

  const ran = async (pattern: Readonly<Record<string, unknown>>, flags: readonly string[] = []) =>
    runToEnd(client, home, buildTarget('e2e/conditions.cpp', flags), { patterns: [pattern] });

  const expectChosen = async (flags: readonly string[]): Promise<void> => {
    for (const [name, when, wanted] of cases) {
      const pattern = { pattern: `yard::${name}`, when, depth: 1 };
      const { sessionId, exit } = await ran(pattern, flags);
      expect(exit).toEqual({ kind: 'exited', code: 0 });
      const calls = await callsOf(client, sessionId);
      const stats = await client.ok('debug_query', { view: 'stats', sessionId });
      const [row] = listAt(stats.structured, 'rows');
      expect([when, calls.length, at(row, 'count')]).toEqual([
        when,
        wanted,
        name === 'job' ? 101 : 100,
      ]);
    }
  };

  test('[trace.when] only calls that meet the condition are recorded; all are counted', async () => {
    await expectChosen([]);
  });

  test('[static.policies] conditions choose calls of a static program', async () => {
    await expectChosen(['-static']);
  });

  test('[trace.when] what is recorded are the calls meant', async () => {
    const { sessionId } = await ran({ pattern: 'yard::numbers', when: 'size * 2 == -8' });
    const calls = await callsOf(client, sessionId);
    expect(calls.map((call) => call.arguments['size'])).toEqual([-4]);
  });

  test('[trace.first] after the first calls of a function no more are recorded', async () => {
    const { sessionId } = await ran({ pattern: 'yard::*', firstN: 3 });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(numberAt(stats.structured, 'counters', 'stored')).toBe(5 * 3 * 2);
    expect(
      listAt(stats.structured, 'rows')
        .map((row) => numberAt(row, 'count'))
        .toSorted((a, b) => a - b),
    ).toEqual([100, 100, 100, 100, 101]);
    const { sessionId: both } = await ran({
      pattern: 'yard::numbers',
      when: 'size > 0',
      firstN: 2,
    });
    const calls = await callsOf(client, both);
    expect(calls.map((call) => call.arguments['size'])).toEqual([1, 2]);
  });

  test('[trace.when] what cannot be read or decided is said, with what there is', async () => {
    const launch = async (when: string, pattern = 'yard::numbers') =>
      client.refused('debug_launch', {
        command: buildTarget('e2e/conditions.cpp'),
        projectRoot: home.project,
        patterns: [{ pattern, when }],
      });
    expect((await launch('size >')).text).toMatch(/BAD_EXPRESSION: .*ends too early/);
    const { text } = await ran({ pattern: 'yard::*', when: 'sise > 3' });
    expect(text).toMatch(
      /cannot be decided in any of the 5 functions .*no parameter "sise": it has/,
    );
    const some = await ran({ pattern: 'yard::*', when: 'size > 3' });
    expect(some.text).toMatch(/means nothing in 4 of 5 functions, whose calls are only counted/);
  });
});
