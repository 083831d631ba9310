import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { callsOf, type SeenCall } from '../../support/calls.ts';
import { startClient, type TestClient } from '../../support/client.ts';
import { nodes } from '../../support/nodes.ts';
import { killDaemon, partsOf } from '../../support/parts.ts';
import { until } from '../../support/processes.ts';
import { pythons } from '../../support/pythons.ts';
import { numberAt, textAt } from '../../support/read.ts';
import { launch, outputSeen, statusSays } from '../../support/runs.ts';
import { testHome } from '../../support/suite.ts';
import { targetSource } from '../../support/targets.ts';

const interpreters = [
  ...nodes.slice(-1).map(({ path }) => ['node', path, 'node/ticking.cjs', 'later'] as const),
  ...pythons.slice(-1).map(({ path }) => ['python', path, 'python/ticking.py', 'late'] as const),
];

async function callsNamed(
  client: TestClient,
  sessionId: string,
  name: string,
): Promise<SeenCall[]> {
  return callsOf(client, sessionId, { function: { equals: name } });
}

async function comes(client: TestClient, sessionId: string, name: string): Promise<SeenCall[]> {
  const before = await callsNamed(client, sessionId, name);
  return await vi.waitFor(
    async () => {
      const after = await callsNamed(client, sessionId, name);
      expect(after.length).toBeGreaterThan(before.length + 2);
      return after;
    },
    { timeout: 20_000, interval: 100 },
  );
}

describe.each(interpreters)('a program of %s', (_name, command, source, late) => {
  async function start(): Promise<{
    readonly client: TestClient;
    readonly sessionId: string;
    readonly pid: number;
    readonly home: ReturnType<typeof testHome>;
  }> {
    const home = testHome();
    const client = await startClient(home);
    const script = targetSource(source);
    const { sessionId, structured } = await launch(client, home, command, {
      args: [script],
      projectRoot: dirname(script),
      patterns: ['ticking.tick', 'ticking.turn', `${late}.*`],
      onClientExit: 'keep',
    });
    const pid = numberAt(structured, 'pid');
    onTestFinished(() => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    });
    await outputSeen(client, sessionId, 'round 3');
    return { client, sessionId, pid, home };
  }

  test('[daemon.adopts] the next daemon goes on with its calls, its modules and its patterns', async () => {
    const { client, sessionId, pid, home } = await start();
    await comes(client, sessionId, 'ticking.tick');
    await killDaemon(home);
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    await statusSays(client, sessionId, /A new one continued/);

    const ticks = await comes(client, sessionId, 'ticking.tick');
    expect(ticks.at(-1)?.arguments).toHaveProperty('beat.round');

    process.kill(pid, 'SIGUSR2');
    const extras = await comes(client, sessionId, `${late}.extra`);
    expect(extras.at(-1)?.returns).toHaveProperty('round');

    await client.ok('debug_trace', { sessionId, add: ['ticking.also'], remove: ['ticking.tick'] });
    await comes(client, sessionId, 'ticking.also');
    const { length } = await callsNamed(client, sessionId, 'ticking.tick');
    await comes(client, sessionId, 'ticking.also');
    expect((await callsNamed(client, sessionId, 'ticking.tick')).length).toBe(length);

    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(stats.text).not.toMatch(/left no definition/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[attach.detach] a session that attaches after another was detached has all that was defined before', async () => {
    const { client, sessionId, pid } = await start();
    await comes(client, sessionId, 'ticking.tick');
    await client.ok('debug_session', { action: 'detach', sessionId });
    const again = await client.ok('debug_launch', { pid, patterns: ['ticking.tick'] });
    const second = textAt(again.structured, 'sessionId');
    const ticks = await comes(client, second, 'ticking.tick');
    expect(ticks.at(-1)?.arguments).toHaveProperty('beat.round');
    await client.ok('debug_session', { action: 'detach', sessionId: second });
  });
});
