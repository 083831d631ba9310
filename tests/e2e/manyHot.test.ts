import { describe, expect, test, vi } from 'vitest';
import { expectReconciled, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { openHome } from '../support/home.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const mebi = 1 << 20;

/** Counters of one run of the program that counts itself: nothing is lost, and each count it told is ours. */
async function burst(
  settings: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<unknown> {
  const home = openHome(settings);
  const client = await startClient(home);
  try {
    const program = buildTarget('e2e/evenlyHot.c', ['-O1', '-pthread']);
    const patterns = ['crowd_*', 'dive'];
    const { sessionId, exit } = await runToEnd(client, home, program, { args, patterns });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const lines = await linesOf(client, sessionId);
    const told = new Map(lines.map(({ text }) => [text.split(' ')[0], Number(text.split(' ')[1])]));
    const ask = (query: object) => client.ok('debug_query', { view: 'stats', sessionId, ...query });
    const { structured } = await ask({});
    const counters = at(structured, 'counters');
    expect(counters).toMatchObject({ seen: 2 * (told.get('calls') ?? 0), lost: 0 });
    expectReconciled(counters);
    for (const [name, calls] of told) {
      if (name === 'calls' || calls === 0) continue;
      const of = await ask({ function: { equals: name } });
      const [row] = listAt(of.structured, 'rows');
      const seen = [textAt(row, 'function'), at(row, 'count'), at(row, 'open') ?? 0];
      expect(seen).toEqual([name, calls, 0]);
    }
    return counters;
  } finally {
    await client.close();
    await home.close();
  }
}

describe('bursts over many functions', () => {
  test.each([
    { functions: '2000', calls: '3000000', threads: '1' },
    { functions: '10000', calls: '500000', threads: '4' },
  ])(
    '[hot.room] [hot.exact] with the settings as they are none is lost: $functions functions, $threads threads',
    async ({ functions, calls, threads }) => {
      const counters = await burst({}, ['even', functions, calls, threads]);
      expect(numberAt(counters, 'stored')).toBeGreaterThan(100_000);
    },
  );

  // A thread's first ring is of 8 MB: with so little beside it, all of these are far beyond the bounds.
  test.each([
    { mode: 'even', functions: '10', threads: '1' },
    { mode: 'even', functions: '2000', threads: '1' },
    { mode: 'even', functions: '10000', threads: '4' },
    { mode: 'skewed', functions: '2000', threads: '4' },
    { mode: 'deep', functions: '2000', threads: '2' },
  ])(
    '[hot.room] [hot.exact] what the rings cannot hold is thinned, not lost: $mode, $functions functions, $threads threads',
    async ({ mode, functions, threads }) => {
      const calls = String(4_000_000 / Number(threads));
      const settings = { STROBE_RING_OVERFLOW_BYTES: String(16 * mebi) };
      const counters = await burst(settings, [mode, functions, calls, threads]);
      expect(numberAt(counters, 'sampled')).toBeGreaterThan(1_000_000);
      expect(numberAt(counters, 'stored')).toBeGreaterThan(100_000);
    },
  );
});
