import { describe, expect, test } from 'vitest';
import { expectReconciled, linesOf } from '../support/calls.ts';
import { at, listAt, numberAt } from '../support/read.ts';
import { ringsLeft, runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const callsOfEach = 3;

describe('short threads', () => {
  const { home, client } = withClient();
  const program = buildTarget('e2e/shortThreads.c', ['-O1', '-pthread']);

  async function traced(threads: number, together: number, pauseUs: number): Promise<unknown> {
    const args = [threads, together, callsOfEach, pauseUs].map(String);
    const plain = await runProgram({ env: home.env, cwd: home.project }, [program, ...args]);
    const run = await runToEnd(client, home, program, { args, patterns: ['step'] });
    const lines = await linesOf(client, run.sessionId);
    expect(`${lines.map((line) => line.text).join('\n')}\n`).toBe(plain.stdout.toString());
    expect(plain.stdout.toString()).toContain(`${threads * callsOfEach} calls`);
    const { structured } = await client.ok('debug_query', {
      view: 'stats',
      groupBy: 'thread',
      limit: 500,
      sessionId: run.sessionId,
    });
    const counters = at(structured, 'counters');
    expectReconciled(counters);
    const lost = numberAt(counters, 'lost');
    expect(numberAt(counters, 'seen')).toBe(threads * callsOfEach * 2);
    if (lost > 0) expect(at(counters, 'byCause')).toEqual({ noRing: lost });
    expect(numberAt(structured, 'totalCount')).toBe(threads - lost / 2 / callsOfEach);
    for (const row of listAt(structured, 'rows')) expect(numberAt(row, 'count')).toBe(callsOfEach);
    expect(ringsLeft(run.sessionId)).toEqual([]);
    return counters;
  }

  test.each([1, 100])(
    '[trace.short-threads] ten thousand, %d at a time: the calls are those the program counted',
    async (together) => {
      await traced(10_000, together, 0);
    },
  );

  test('[trace.short-threads] the rings of threads that have ended serve others at once', async () => {
    // As many threads as there are rings begin within less time than passes between two commits.
    expect(await traced(1000, 1, 1000)).toMatchObject({ lost: 0 });
  });
});
