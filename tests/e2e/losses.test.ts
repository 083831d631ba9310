import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { openHome } from '../support/home.ts';
import { at, numberAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('losses', () => {
  const { home, client } = withClient({
    STROBE_RING_BYTES_PER_THREAD: '65536',
    STROBE_OUTPUT_MAX_BYTES_PER_SESSION: '4096',
  });

  test('[trace.exact] [query.counters] what a small ring loses is counted, and what is shown is whole', async () => {
    const rounds = 3_000_000;
    const run = await runToEnd(client, home, buildTarget('e2e/flood.c'), {
      args: [String(rounds)],
      patterns: [{ pattern: 'mix', sampling: 'off' }],
    });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId: run.sessionId });
    const seen = numberAt(stats.structured, 'counters', 'seen');
    const stored = numberAt(stats.structured, 'counters', 'stored');
    const lost = numberAt(stats.structured, 'counters', 'lost');
    expect(seen).toBe(2 * rounds);
    expect(stored + lost).toBe(seen);
    expect(lost).toBeGreaterThan(0);
    const causes = Object.entries(at(stats.structured, 'counters', 'byCause') ?? {});
    const named: number = causes.reduce((sum, [, count]) => sum + Number(count), 0);
    expect(named).toBe(lost);
    expect(numberAt(stats.structured, 'counters', 'byCause', 'ringOverwritten')).toBeGreaterThan(0);
    expect(stats.text).toMatch(/\bLOST\b/);
    const calls = await callsOf(client, run.sessionId, { limit: 500 });
    const order = calls.map((call) => Number(call.arguments['round']));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    for (const call of calls.filter((one) => one.end === 'returned')) {
      const { value, round } = call.arguments;
      expect(call.returns).toBe(mixed(Number(value), Number(round)));
    }
  });

  test('[output.complete] output beyond its limit is counted and never fills the disk', async () => {
    const run = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '20000'],
    });
    expect(run.exit).toEqual({ kind: 'exited', code: 0 });
    const lines = await linesOf(client, run.sessionId);
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.length).toBeLessThan(1000);
    const answer = await client.ok('debug_query', { view: 'output', sessionId: run.sessionId });
    expect(at(answer.structured, 'counters', 'byCause', 'outputLimit')).toBeGreaterThan(0);
  });
});

describe('bursts', () => {
  /** Counters after so many calls without pause, and the numbers of the last ones. */
  async function burst(
    settings: Readonly<Record<string, string>>,
    rounds: number,
    how: readonly string[] = [],
    functions: readonly string[] = ['mix'],
  ) {
    const home = openHome(settings);
    const client = await startClient(home);
    try {
      const { sessionId } = await runToEnd(client, home, buildTarget('e2e/flood.c'), {
        args: [String(rounds), ...how],
        patterns: functions.map((pattern) => ({ pattern, sampling: 'off' })),
      });
      const stats = await client.ok('debug_query', { view: 'stats', sessionId });
      const calls = await callsOf(client, sessionId, { limit: 500 });
      const count = (name: string): number => numberAt(stats.structured, 'counters', name);
      return {
        seen: count('seen'),
        stored: count('stored'),
        lost: count('lost'),
        order: calls.map((call) => Number(call.arguments['round'])),
      };
    } finally {
      await client.close();
      await home.close();
    }
  }

  test('[store.growing] [trace.exact] three million calls without pause are whole with the settings as they are', async () => {
    const { seen, stored, lost } = await burst({}, 3_000_000);
    expect({ seen, stored, lost }).toEqual({ seen: 6_000_000, stored: 6_000_000, lost: 0 });
  });

  // The ring is looked at where 32 KB of it end: where every call takes 128 bytes, always at the same kind of record.
  test.each([
    { how: 'text', functions: ['text'], events: 2_000_000 },
    { how: 'nested', functions: ['inner', 'outer'], events: 4_000_002 },
  ])(
    '[store.growing] [trace.exact] a million calls of 128 bytes each are whole: $how',
    async ({ how, functions, events }) => {
      const { seen, stored, lost } = await burst({}, 1_000_000, [how], functions);
      expect({ seen, stored, lost }).toEqual({ seen: events, stored: events, lost: 0 });
    },
  );

  test('[store.growing] [trace.exact] rings grow as far as they may; what they cannot hold is counted', async () => {
    const most = { STROBE_RING_OVERFLOW_BYTES: String(7 << 20) };
    const { seen, stored, lost, order } = await burst(most, 3_000_000);
    expect(seen).toBe(6_000_000);
    expect(stored + lost).toBe(seen);
    expect(lost).toBeGreaterThan(0);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });
});

/** The target's function. */
function mixed(value: number, round: number): number {
  return (Math.imul(value, 2654435761) + ((round ^ (value >>> 7)) >>> 0)) >>> 0;
}
