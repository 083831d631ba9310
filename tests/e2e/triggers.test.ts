import { describe, expect, test } from 'vitest';
import { callsOf, expectReconciled, linesOf } from '../support/calls.ts';
import { at } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('triggers', () => {
  const { home, client } = withClient();

  const program = buildTarget('e2e/triggers.c', ['-pthread']);

  async function ran(
    patterns: readonly unknown[],
    how = '',
    query: Readonly<Record<string, unknown>> = {},
  ) {
    const plain = await runProgram({ env: home.env, cwd: home.project }, [program, how]);
    const { sessionId, text } = await runToEnd(client, home, program, { patterns, args: [how] });
    const lines = await linesOf(client, sessionId);
    expect(lines.map((line) => line.text).join('\n')).toBe(plain.stdout.toString().trimEnd());
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expectReconciled(at(stats.structured, 'counters'));
    const calls = await callsOf(client, sessionId, query);
    return { sessionId, text, calls, names: calls.map((call) => call.function) };
  }

  const open = { pattern: 'open_round', trigger: 'start' };
  const close = { pattern: 'close_round', trigger: 'stop' };
  const round = ['open_round', 'work', 'work', 'work', 'close_round'];

  test('[trace.triggers] calls are recorded from one that starts to one that stops', async () => {
    const { names, calls, text } = await ran(['work', 'other', open, close]);
    expect(names).toEqual(Array.from({ length: 10 }, () => round).flat());
    expect(calls.filter((call) => call.arguments['round'] === -1)).toEqual([]);
    expect(text).toContain(
      'Calls are recorded from a call of open_round on until a call of close_round',
    );
    const { names: untilFirst } = await ran(['work', 'other', close]);
    expect(untilFirst).toEqual(['other', 'work', 'work', 'work', 'close_round']);
  });

  test('[trace.triggers] a condition says which call starts and which stops, of one function, too', async () => {
    const { calls } = await ran([
      'work',
      { ...open, when: 'round == 4' },
      { pattern: 'open_round', trigger: 'stop', when: 'round == 6' },
    ]);
    const rounds = calls.filter((call) => call.function === 'open_round');
    expect(rounds.map((call) => call.arguments['round'])).toEqual([4, 5, 6]);
    const worked = calls.filter((call) => call.function === 'work');
    expect(worked.map((call) => call.arguments['round'])).toEqual([4, 4, 4, -1, 5, 5, 5, -1]);
  });

  test('[trace.triggers] threads that start and stop at once leave the hooks as the last one wants', async () => {
    const { names } = await ran(['work', open, close], 'race', {
      argument: [{ name: 'round', gt: 199_999 }],
    });
    expect(names).toEqual(['open_round', 'work', 'close_round']);
  });

  test('[trace.triggers] a forked child goes on as its parent was', async () => {
    const { calls } = await ran(['work', open, close], 'fork');
    const late = calls.filter((call) => Number(call.arguments['round']) > 100);
    expect(new Set(late.map((call) => call.arguments['round']))).toEqual(new Set([101, 102]));
  });

  test('[trace.triggers] while it runs they are added, listed and removed as patterns are', async () => {
    const refused = await client.refused('debug_launch', {
      command: program,
      projectRoot: home.project,
      patterns: [{ ...open, firstN: 3 }],
    });
    expect(refused.text).toMatch(/BAD_PATTERN.*trigger and firstN/);
    const staged = await client.ok('debug_trace', { pending: true, add: [open, close] });
    expect(staged.text).toContain('start open_round');
    const kept = await client.ok('debug_trace', {
      pending: true,
      remove: ['start open_round', 'stop close_round'],
      add: ['other'],
    });
    expect(kept.text).not.toContain('close_round: staged');
    const { names } = await ran([]);
    expect(names).toEqual(Array.from({ length: 10 }, () => 'other'));
  });
});
