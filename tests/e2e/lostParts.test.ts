import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { killDaemon, killParts, partOf, partsOf } from '../support/parts.ts';
import { isAlive, until, pidsOf } from '../support/processes.ts';
import { numberAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, statusSays } from '../support/runs.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { startTicker } from '../support/ticker.ts';

describe('the death of a part', () => {
  test('[host.lost] without its host the program runs on, another takes over, and that is told', async () => {
    const ticker = await startTicker();
    const { home, client, sessionId, pid } = ticker;
    const statusMatches = async (expected: RegExp) => statusSays(client, sessionId, expected);
    killParts(home, 'host');
    await statusMatches(/was interrupted: the process that speaks Frida ended\. Another took over/);
    const before = (await ticker.ticks()).length;
    await vi.waitFor(async () => expect((await ticker.ticks()).length).toBeGreaterThan(before), {
      timeout: 60_000,
    });
    // What goes on like that is given up: the program matters more than its trace.
    killParts(home, 'host');
    await statusMatches(/was interrupted[\s\S]*was interrupted/);
    killParts(home, 'host');
    await statusMatches(/TRACER_LOST/);
    await ticker.goesOn();
    expect(isAlive(pid)).toBe(true);
    await ticker.stop();
  });

  test('[host.lost] a program that ends before another host has taken over is told to have run without hooks', async () => {
    const { home, client, sessionId, pid } = await startTicker();
    // Nobody enters a program that stands still.
    process.kill(pid, 'SIGSTOP');
    const before = partsOf(home, 'host');
    killParts(home, 'host');
    const isOther = (host: number): boolean => !before.includes(host);
    await until('there is another host', () => partsOf(home, 'host').some(isOther));
    process.kill(pid, 'SIGKILL');
    expect(await exitOf(client, sessionId)).toMatchObject({ kind: 'signalled' });
    await statusSays(client, sessionId, /It ended before another took over; calls between/);
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(numberAt(stats.structured, 'counters', 'byCause', 'untraced')).toBeGreaterThan(0);
  });

  test('[session.supervisor-killed] its standby takes over: calls, output, stop and status as before', async () => {
    const ticker = await startTicker();
    const { home, client, sessionId } = ticker;
    killParts(home, 'supervisor');
    await statusSays(
      client,
      sessionId,
      /supervisor was killed at \+[\d.]+ s and its standby took over/,
    );
    await ticker.goesOn();
    expect(partOf(home, 'successor')).toBeGreaterThan(0);
    const tick = { for: ['event'], match: 'clockwork::tick' };
    await client.ok('debug_session', { action: 'wait', sessionId, ...tick });
    await ticker.stop();
    await until('its successor has ended', () => partsOf(home, 'successor').length === 0);
  });

  test('[session.supervisor-killed] after detach the program runs on undisturbed and can be ended', async () => {
    const { home, client, sessionId, pid } = await startTicker();
    await client.ok('debug_session', { action: 'detach', sessionId });
    killParts(home, 'supervisor');
    await until('the supervisor is gone', () => partsOf(home, 'supervisor').length === 0);
    const writes = writesOf(pid);
    await until('it writes on', () => writesOf(pid) > writes + 3);
    await client.ok('debug_session', { action: 'stop', sessionId });
    expect(isAlive(pid)).toBe(false);
  });

  test('[session.supervisor-lost] without supervisor and standby the session is over, says so, and leaves nothing', async () => {
    const home = testHome();
    const client = await startClient(home);
    const { sessionId, structured } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
    });
    const pid = numberAt(structured, 'pid');
    await outputSeen(client, sessionId, 'round 2');
    killParts(home, 'standby');
    killParts(home, 'supervisor');
    const waited = await client.ok('debug_session', { action: 'wait', sessionId });
    expect(waited.text).toMatch(/SUPERVISOR_LOST/);
    expect(waited.text).toMatch(/Supervisor \d+ is gone\. Standby \d+ was ended by SIGKILL\./);
    expect((await callsOf(client, sessionId, { limit: 5 })).length).toBeGreaterThan(0);
    // It was launched to end with its client: without supervisor it would end with nobody.
    await until('the program has ended', () => !isAlive(pid));
    expect(existsSync(`${home.path}/sessions/${sessionId}/supervisor.sock`)).toBe(false);
  });

  test('[session.supervisor-lost] a program that outlives its supervisor can still be ended', async () => {
    const home = testHome();
    const client = await startClient(home);
    const family = await launch(client, home, buildTarget('e2e/family.c'), {
      onClientExit: 'keep',
    });
    await outputSeen(client, family.sessionId, 'grandchild');
    await outputSeen(client, family.sessionId, 'parent');
    const pids = pidsOf(await linesOf(client, family.sessionId));
    killParts(home, 'standby');
    killParts(home, 'supervisor');
    const waited = await client.ok('debug_session', {
      action: 'wait',
      sessionId: family.sessionId,
    });
    expect(waited.text).toMatch(/may still run, unobserved: debug_session stop/);
    expect(pids.some((pid) => isAlive(pid))).toBe(true);
    const stop = { action: 'stop', sessionId: family.sessionId, graceMs: 100 };
    await client.ok('debug_session', stop);
    await until('the tree is gone', () => pids.every((pid) => !isAlive(pid)));
  });

  test('[session.supervisor-silent] a daemon that finds a supervisor silent goes on with its session when it answers', async () => {
    const home = testHome();
    const client = await startClient(home);
    const { sessionId, structured } = await launch(client, home, '/bin/sleep', { args: ['600'] });
    const pid = numberAt(structured, 'pid');
    const supervisor = partOf(home, 'supervisor');
    // Once it has been asked there is a store of it.
    await client.ok('debug_query', { sessionId, view: 'output' });
    process.kill(supervisor, 'SIGSTOP');
    try {
      await killDaemon(home);
      await statusSays(client, sessionId, /running[^]*supervisor process does not answer/);
      expect(isAlive(pid)).toBe(true);
    } finally {
      process.kill(supervisor, 'SIGCONT');
    }
    await statusSays(client, sessionId, /running(?![^]*supervisor process does not answer)/);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 2000 });
    expect(stopped.text).not.toMatch(/had ended/);
    expect(await exitOf(client, sessionId)).toMatchObject({ kind: 'signalled', signal: 'SIGTERM' });
    expect(isAlive(pid)).toBe(false);
  });
});

/** Of a process: how many system calls that write it has made. */
function writesOf(pid: number): number {
  return Number(/^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1]);
}
