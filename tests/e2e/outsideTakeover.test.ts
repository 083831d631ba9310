import { describe, expect, test, vi } from 'vitest';
import { callsOf, type SeenCall } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { killParts } from '../support/parts.ts';
import { changedCode } from '../support/processImage.ts';
import { numberAt, textAt } from '../support/read.ts';
import { statusSays } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('the death of what traces a program from outside', () => {
  const { home, client } = withClient();

  /** Attaches, kills what traces it, `deaths` times, and answers some calls of after that, of `called`. The program is left as it was. */
  async function callsAfterwards(
    running: Running,
    called: string,
    deaths: number,
  ): Promise<readonly SeenCall[]> {
    const { structured } = await client.ok('debug_launch', {
      pid: running.pid,
      patterns: [called],
    });
    const sessionId = textAt(structured, 'sessionId');
    const told = Array.from({ length: deaths }, () => 'Another took over');
    for (let death = 0; death < deaths; death++) {
      killParts(home, 'outside');
      await statusSays(client, sessionId, new RegExp(told.slice(0, death + 1).join('[\\s\\S]*')));
    }
    const { text } = await client.ok('debug_session', { action: 'status', sessionId });
    expect(text).not.toContain('How long goroutines wait is not known');
    const counted = async (): Promise<number> =>
      numberAt(
        (await client.ok('debug_query', { view: 'stats', sessionId })).structured,
        'counters',
        'stored',
      );
    const before = await counted();
    await vi.waitFor(async () => expect(await counted()).toBeGreaterThan(before + 80), {
      timeout: 60_000,
    });
    const removed = await client.ok('debug_trace', { sessionId, remove: [called] });
    expect(numberAt(removed.structured, 'hookedFunctions')).toBe(0);
    const calls = await callsOf(client, sessionId);
    // The last one may have been open when its hook was removed.
    expect(calls.slice(0, -1).map(({ end }) => end)).not.toContain('lost');
    await client.ok('debug_session', { action: 'detach', sessionId });
    expect(changedCode(running.pid)).toEqual([]);
    expect(running.isRunning).toBe(true);
    return calls.slice(-15, -5);
  }

  itNeeds(
    'go',
    '[host.lost] [go.waits] of Go another takes over, and waits are recorded',
    async () => {
      await using running = await Running.start(buildTarget('e2e/rests.go'));
      const calls = await callsAfterwards(running, 'main.rests', 2);
      expect(calls).toHaveLength(10);
      for (const call of calls) expect(call.suspendedNs).toBeGreaterThanOrEqual(2_000_000);
    },
  );

  test('[host.lost] of C another takes over, and leaves the program as it was', async () => {
    const program = buildTarget('e2e/outside.cpp', ['-O0', '-static']);
    await using running = await Running.start(program, ['stay'], 'child 3');
    const calls = await callsAfterwards(running, 'add', 2);
    expect(calls[0]).toMatchObject({ arguments: { a: 1, b: 2 }, returns: 3 });
  });
});
