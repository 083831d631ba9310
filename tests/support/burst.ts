import { expect } from 'vitest';
import { expectReconciled, linesOf } from './calls.ts';
import { startClient } from './client.ts';
import { openHome } from './home.ts';
import { at, listAt, numberAt, textAt } from './read.ts';
import { runToEnd } from './runs.ts';
import { buildTarget } from './targets.ts';

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

/** Fails unless each call is stored with the settings as they are. */
export async function expectWhole(functions: number, calls: number, threads: number) {
  const counters = await burst({}, ['even', ...[functions, calls, threads].map(String)]);
  expect(numberAt(counters, 'stored')).toBeGreaterThan(100_000);
}

/** Fails unless four million calls, far beyond the bounds, are thinned: a thread's first ring alone is of 8 MB. */
export async function expectThinned(mode: string, functions: number, threads: number) {
  const settings = { STROBE_RING_OVERFLOW_BYTES: String(16 * mebi) };
  const calls = 4_000_000 / threads;
  const counters = await burst(settings, [mode, ...[functions, calls, threads].map(String)]);
  expect(numberAt(counters, 'sampled')).toBeGreaterThan(1_000_000);
  expect(numberAt(counters, 'stored')).toBeGreaterThan(100_000);
}
