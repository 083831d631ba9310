import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { holdThreads, threadsOf } from '../support/hang.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { isAlive, processesWith } from '../support/processes.ts';
import { at, numberAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000 });

function daemonOf(home: TestHome): number {
  const [daemon] = processesWith(`STROBE_HOME=${home.path}`).filter((one) =>
    /daemon\.js/.test(one.command),
  );
  if (daemon === undefined) throw new Error('there is no daemon');
  return daemon.pid;
}

describe('a thread that hangs', () => {
  test('[hang.index] what is stored is answered meanwhile, and capture goes on afterwards without a gap in output', async () => {
    const home = openHome();
    onTestFinished(async () => home.close());
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::**'],
    });
    await outputSeen(client, sessionId, 'round 3');
    const ticks = { function: { equals: 'clockwork::tick' } };
    const before = await callsOf(client, sessionId, ticks);
    const threads = threadsOf(daemonOf(home), 'strobe-index');
    expect(threads.length).toBeGreaterThan(0);
    const held = await holdThreads(threads);
    const meanwhile = await callsOf(client, sessionId, ticks);
    expect(meanwhile.slice(0, before.length)).toEqual(before);
    await held.release();
    const { line } = await outputSeen(client, sessionId, 'round');
    await outputSeen(client, sessionId, `round ${Number(line.split(' ')[1]) + 3}`);
    expect((await callsOf(client, sessionId, ticks)).length).toBeGreaterThan(meanwhile.length);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
    const rounds = (await linesOf(client, sessionId))
      .map(({ text }) => text)
      .filter((text) => text.startsWith('round '));
    expect(rounds.map((text) => Number(text.split(' ')[1]))).toEqual(
      rounds.map((_text, index) => index + 1),
    );
    await client.close();
  });

  test('[hang.index] one that hangs for long is replaced: the next goes on from its last commit', async () => {
    const home = openHome();
    onTestFinished(async () => home.close());
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::**'],
    });
    await outputSeen(client, sessionId, 'round 3');
    const ticks = { function: { equals: 'clockwork::tick' } };
    const before = await callsOf(client, sessionId, ticks);
    const held = await holdThreads(threadsOf(daemonOf(home), 'strobe-index'));
    await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(/did not answer "settle" in time/);
      },
      { timeout: 40_000, interval: 500 },
    );
    await held.release();
    await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(/could not be written for a while/);
      },
      { timeout: 40_000, interval: 500 },
    );
    const after = await callsOf(client, sessionId, ticks);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
    await client.close();
  });

  test('[hang.query] costs one question, not the next', async () => {
    const home = openHome();
    onTestFinished(async () => home.close());
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::**'],
    });
    await outputSeen(client, sessionId, 'round 3');
    const held = await holdThreads(threadsOf(daemonOf(home), 'strobe-query'));
    onTestFinished(async () => held.release());
    const query = { view: 'output', sessionId, tail: 1 };
    const late = await client.refused('debug_query', query);
    expect(late.text).toMatch(/^TIMED_OUT/);
    expect((await client.ok('debug_query', query)).text).toMatch(/round \d/);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
    await client.close();
  });
});

describe('the death of the target', () => {
  test('[exit.killed] is told as what it was, with all that was recorded until then', async () => {
    const home = openHome();
    onTestFinished(async () => home.close());
    const client = await startClient(home);
    const { sessionId, structured } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::**'],
    });
    const pid = numberAt(structured, 'pid');
    await outputSeen(client, sessionId, 'round 3');
    process.kill(pid, 'SIGKILL');
    expect(await exitOf(client, sessionId)).toMatchObject({
      kind: 'signalled',
      signal: 'SIGKILL',
    });
    expect(isAlive(pid)).toBe(false);
    const lines = (await linesOf(client, sessionId)).map(({ text }) => text);
    const tocks = await callsOf(client, sessionId, {
      function: { equals: 'clockwork::tock' },
      threadName: { equals: 'slow-wheel' },
    });
    // Each line is printed after its call: none may be missing.
    expect(tocks.length).toBeGreaterThanOrEqual(lines.length);
    await client.close();
  });
});
