import { spawn } from 'node:child_process';
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
  return callsOf(client, sessionId, { function: { contains: name } });
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
    await comes(client, sessionId, 'tick');
    await killDaemon(home);
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    await statusSays(client, sessionId, /A new one continued/);

    const ticks = await comes(client, sessionId, 'tick');
    expect(ticks.at(-1)?.arguments).toMatchObject({ beat: { round: expect.any(Number) } });

    process.kill(pid, 'SIGUSR2');
    const extras = await comes(client, sessionId, 'extra');
    expect(extras.at(-1)?.returns).toMatchObject({ round: expect.any(Number) });

    await client.ok('debug_trace', { sessionId, add: ['ticking.also'], remove: ['ticking.tick'] });
    await comes(client, sessionId, 'also');
    const { length } = await callsNamed(client, sessionId, 'tick');
    await comes(client, sessionId, 'also');
    expect((await callsNamed(client, sessionId, 'tick')).length).toBe(length);

    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(stats.text).not.toMatch(/left no definition/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});

test.skipIf(pythons.length === 0)(
  '[attach.detach] a Python program is traced again by the session after, with what was defined before',
  async () => {
    const home = testHome();
    const client = await startClient(home);
    const child = spawn(pythons.at(-1)?.path ?? '', [targetSource('python/ticking.py')]);
    onTestFinished(() => void child.kill('SIGKILL'));
    for (let turn = 0; turn < 2; turn++) {
      const { structured } = await client.ok('debug_launch', {
        pid: child.pid,
        patterns: ['ticking.tick'],
      });
      const sessionId = textAt(structured, 'sessionId');
      const ticks = await comes(client, sessionId, 'tick');
      expect(ticks.at(-1)?.arguments).toMatchObject({ beat: { round: expect.any(Number) } });
      const stats = await client.ok('debug_query', { view: 'stats', sessionId });
      expect(stats.text).not.toMatch(/left no definition/);
      await client.ok('debug_session', { action: 'detach', sessionId });
    }
  },
);
