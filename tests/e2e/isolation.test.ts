import { describe, expect, test, vi } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { isAlive, until } from '../support/processes.ts';
import { at, listAt, numberAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000 });

describe('sessions side by side', () => {
  test('[owner.harm] another client may look at everything and change nothing', async () => {
    const home = testHome();
    const [owner, other] = [await startClient(home, 'v1'), await startClient(home, 'v2')];
    const { sessionId, structured } = await launch(owner, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
      stdin: 'open',
    });
    const pid = numberAt(structured, 'pid');
    await outputSeen(owner, sessionId, 'round 2');
    const harm: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ['debug_session', { action: 'stop' }],
      ['debug_session', { action: 'detach' }],
      ['debug_session', { action: 'restart' }],
      ['debug_session', { action: 'input', text: 'x' }],
      ['debug_trace', { add: ['clockwork::**'] }],
      ['debug_trace', { remove: ['clockwork::tick'] }],
      ['debug_trace', { clear: true }],
    ];
    for (const [tool, request] of harm) {
      const refused = await other.refused(tool, { ...request, sessionId });
      expect(refused.text, JSON.stringify(request)).toMatch(/^NOT_OWNER: [\s\S]*takeOver/);
    }
    for (const view of ['events', 'tree', 'stats', 'output']) {
      await other.ok('debug_query', { view, sessionId });
    }
    const seen = await other.ok('debug_session', { action: 'status', sessionId });
    expect(at(seen.structured, 'session', 'mine')).toBe(false);
    const trace = await other.ok('debug_trace', { sessionId });
    expect(listAt(trace.structured, 'activePatterns')).toHaveLength(1);
    expect(numberAt(trace.structured, 'hookedFunctions')).toBe(1);
    expect(isAlive(pid)).toBe(true);
    const { line } = await outputSeen(other, sessionId, 'round');
    await outputSeen(other, sessionId, `round ${Number(line.split(' ')[1]) + 2}`);

    await owner.ok('debug_session', { action: 'stop', sessionId });
    const refused = await other.refused('debug_session', { action: 'delete', sessionId });
    expect(refused.text).toMatch(/^NOT_OWNER/);
    const kept = await owner.ok('debug_session', { action: 'status', sessionId });
    expect(at(kept.structured, 'session', 'exit')).toEqual({ kind: 'exited', code: 0 });
  });

  test('[owner.same-program] two clients debug the same program, each its own run of it', async () => {
    const home = testHome();
    const clients = [await startClient(home, 'v1'), await startClient(home, 'v2')] as const;
    const program = buildTarget('e2e/ticker.cpp');
    const sessions = await Promise.all([
      launch(clients[0], home, program, { patterns: ['clockwork::tick'] }),
      launch(clients[1], home, program, { patterns: ['clockwork::tock'] }),
    ]);
    for (const [index, name] of ['clockwork::tick', 'clockwork::tock'].entries()) {
      const [client, session] = [clients[index], sessions[index]];
      if (!client || !session) throw new Error('two of each');
      await outputSeen(client, session.sessionId, 'round 3');
      const calls = await callsOf(client, session.sessionId, { limit: 500 });
      expect(new Set(calls.map((call) => call.function))).toEqual(new Set([name]));
      // Without a name each means its own.
      const status = await client.ok('debug_session', { action: 'status' });
      expect(at(status.structured, 'session', 'sessionId')).toBe(session.sessionId);
    }
    await clients[0].ok('debug_session', { action: 'stop' });
    await outputSeen(clients[1], sessions[1].sessionId, 'round');
    await clients[1].ok('debug_session', { action: 'stop' });
  });

  test('[session.many] twenty sessions at once are captured and ended each by itself', async () => {
    const home = testHome();
    const client = await startClient(home);
    const program = buildTarget('e2e/ticker.cpp');
    const sessions: { sessionId: string; pid: number; index: number }[] = [];
    const start = async (lane: number) => {
      for (let index = lane; index < 20; index += 4) {
        // A host for each traced one: every fourth is enough to have them side by side.
        const patterns = index % 4 === 0 ? ['clockwork::**'] : [];
        const { sessionId, structured } = await launch(client, home, program, { patterns });
        sessions.push({ sessionId, pid: numberAt(structured, 'pid'), index });
      }
    };
    await Promise.all([0, 1, 2, 3].map(start));
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(20);
    await Promise.all(sessions.map(({ sessionId }) => outputSeen(client, sessionId, 'round 3')));
    for (const { sessionId, index } of sessions.filter((one) => one.index % 4 === 0)) {
      const calls = await callsOf(client, sessionId, { limit: 5 });
      expect(calls.length, `session ${index}`).toBe(5);
    }
    const [first, ...others] = sessions;
    if (!first) throw new Error('no session');
    await client.ok('debug_session', { action: 'stop', sessionId: first.sessionId });
    expect(isAlive(first.pid)).toBe(false);
    expect(others.every(({ pid }) => isAlive(pid))).toBe(true);
    await stopAll(client, others);
    await until('all have ended', () => sessions.every(({ pid }) => !isAlive(pid)));
  });
});

async function stopAll(
  client: TestClient,
  sessions: readonly { readonly sessionId: string }[],
): Promise<void> {
  await Promise.all(
    sessions.map(async ({ sessionId }) => {
      const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
      expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
    }),
  );
}
