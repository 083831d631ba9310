import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { processFacts } from '../../src/base/proc.ts';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { killDaemon, partsOf } from '../support/parts.ts';
import { isAlive, processesWith, until, pidsOf } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, ringsLeft } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome, withHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { expectContinued, startTicker } from '../support/ticker.ts';

describe('life cycle', () => {
  const home = withHome();

  test('[stop.tree] stop ends the whole tree, also what ignores SIGTERM', async () => {
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/family.c'));
    await outputSeen(client, sessionId, 'grandchild');
    await outputSeen(client, sessionId, 'parent');
    const pids = pidsOf(await linesOf(client, sessionId));
    expect(pids).toHaveLength(3);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 100 });
    expect(at(stopped.structured, 'exit')).toMatchObject({ kind: 'signalled', signal: 'SIGKILL' });
    await until('the tree is gone', () => pids.every((pid) => !isAlive(pid)));
  });

  test('[stop.left] what a program leaves behind is told, traced, and ended by stop', async () => {
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/detaches.c'), {
      patterns: ['beat'],
    });
    const { line } = await outputSeen(client, sessionId, 'daemon ');
    const pid = Number(line.split(' ')[1]);
    await exitOf(client, sessionId);
    const asked = { action: 'status', sessionId };
    const status = await client.ok('debug_session', asked);
    expect(status.text.split('\n')[0]).toMatch(
      /exited with code 0.* · 1 process it left behind still running$/,
    );
    expect((await callsOf(client, sessionId, { limit: 1 }))[0]).toMatchObject({ pid });
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(stopped.text).toContain('It had ended before; what it had left running ended on TERM.');
    expect(at(stopped.structured, 'how')).toBe('terminated');
    await until('it is gone', () => !isAlive(pid));
    const again = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(again.text).toContain('It had ended before. What');
    const after = await client.ok('debug_session', asked);
    expect(after.text.split('\n')[0]).not.toContain('running');
  });

  test('[stop.neighbour] stopping one session leaves another alone', async () => {
    const client = await startClient(home);
    const one = await launch(client, home, buildTarget('e2e/ticker.cpp'));
    const two = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
    });
    const ambiguous = await client.call('debug_session', { action: 'stop', sessionId: 'ticker' });
    expect(ambiguous.text).toContain('AMBIGUOUS_SESSION');
    await client.ok('debug_session', { action: 'stop', sessionId: one.sessionId });
    await outputSeen(client, two.sessionId, 'round');
    const status = await client.ok('debug_session', { action: 'status', sessionId: two.sessionId });
    expect(at(status.structured, 'session', 'state')).toBe('running');
    await client.ok('debug_session', { action: 'stop', sessionId: two.sessionId });
  });

  test('[session.default] without sessionId the one used last is asked, also when another still runs', async () => {
    const client = await startClient(home);
    const running = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
    });
    const ended = await launch(client, home, buildTarget('e2e/prompts.c'));
    await exitOf(client, ended.sessionId);
    const output = await client.ok('debug_query', { view: 'output' });
    expect(textAt(output.structured, 'sessionId')).toBe(ended.sessionId);
    const traced = await client.ok('debug_trace', { add: ['clockwork::tock'] });
    expect(textAt(traced.structured, 'sessionId')).toBe(running.sessionId);
    await client.ok('debug_session', { action: 'status', sessionId: ended.sessionId });
    const stopped = await client.ok('debug_session', { action: 'stop' });
    expect(textAt(stopped.structured, 'sessionId')).toBe(running.sessionId);
  });

  test('[launch.request-id] a repeated launch with the same requestId starts no second process', async () => {
    const client = await startClient(home, 'v2');
    const options = { requestId: 'once', patterns: ['clockwork::tick'] };
    const one = await launch(client, home, buildTarget('e2e/ticker.cpp'), options);
    const two = await launch(client, home, buildTarget('e2e/ticker.cpp'), options);
    expect(two.sessionId).toBe(one.sessionId);
    expect(numberAt(two.structured, 'pid')).toBe(numberAt(one.structured, 'pid'));
    await client.ok('debug_session', { action: 'stop', sessionId: one.sessionId });
  });

  test('[launch.request-id] a session that was deleted is not come back to: the program is started again', async () => {
    const client = await startClient(home, 'v1');
    const options = { requestId: 'deleted', args: ['first'] };
    const one = await launch(client, home, '/bin/echo', options);
    await exitOf(client, one.sessionId);
    await client.ok('debug_session', { action: 'delete', sessionId: one.sessionId });
    const two = await launch(client, home, '/bin/echo', options);
    expect(two.sessionId).not.toBe(one.sessionId);
    expect((await launch(client, home, '/bin/echo', options)).sessionId).toBe(two.sessionId);
    await exitOf(client, two.sessionId);
    expect((await linesOf(client, two.sessionId)).map(({ text }) => text)).toEqual(['first']);
  });

  test('[owner.two] two clients see each other but own their own', async () => {
    const one = await startClient(home, 'v1');
    const two = await startClient(home, 'v2');
    const { sessionId } = await launch(one, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
    });
    const mine = await two.ok('debug_session', { action: 'list' });
    expect(
      listAt(mine.structured, 'sessions').map((session) => textAt(session, 'sessionId')),
    ).not.toContain(sessionId);
    const all = await two.ok('debug_session', { action: 'list', scope: 'all' });
    const seen = listAt(all.structured, 'sessions').find(
      (session) => textAt(session, 'sessionId') === sessionId,
    );
    expect(seen).toMatchObject({ mine: false, state: 'running' });
    await outputSeen(two, sessionId, 'round');
    expect((await callsOf(two, sessionId, { limit: 5 })).length).toBeGreaterThan(0);
    const refused = await two.refused('debug_session', { action: 'stop', sessionId });
    expect(refused.text).toMatch(/^NOT_OWNER: [\s\S]*takeOver/);
    const taken = await two.ok('debug_session', { action: 'stop', sessionId, takeOver: true });
    expect(at(taken.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
    await one.close();
    await two.close();
  });

  for (const how of ['SIGKILL', 'SIGTERM', 'stdin'] as const) {
    test(`[owner.gone] a client that goes (${how}) takes its program with it`, async () => {
      const client = await startClient(home);
      const { structured } = await launch(client, home, buildTarget('e2e/ticker.cpp'));
      const pid = numberAt(structured, 'pid');
      expect(isAlive(pid)).toBe(true);
      if (how === 'stdin') await client.close();
      else process.kill(client.pid, how);
      await until('the program has ended', () => !isAlive(pid));
      if (how !== 'stdin') await client.close();
    });
  }

  test('[owner.keep] with onClientExit keep the program lives on and the next client reads on', async () => {
    const one = await startClient(home);
    const { sessionId, structured } = await launch(one, home, buildTarget('e2e/ticker.cpp'), {
      onClientExit: 'keep',
      patterns: ['clockwork::tick'],
    });
    const pid = numberAt(structured, 'pid');
    await one.close();
    const two = await startClient(home);
    await outputSeen(two, sessionId, 'round');
    expect(isAlive(pid)).toBe(true);
    await two.ok('debug_session', { action: 'stop', sessionId, takeOver: true });
    await two.close();
  });
});

describe('the death of the daemon', () => {
  test('[daemon.killed] [daemon.adopts] the next daemon goes on: output, calls, status, owner', async () => {
    const ticker = await startTicker();
    const { home, client, sessionId, pid } = ticker;
    const before = await ticker.ticks();
    expect(before.length).toBeGreaterThan(0);
    await killDaemon(home);
    expect(isAlive(pid)).toBe(true);

    // The proxy connects again by itself: a new daemon is there before anybody asks.
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(/The daemon crashed\. A new one /);
        expect(at(status.structured, 'session', 'state')).toBe('running');
        expect(at(status.structured, 'session', 'mine')).toBe(true);
      },
      { timeout: 60_000 },
    );
    const resumedFrom = (await ticker.ticks()).length;
    await client.ok('debug_session', {
      action: 'wait',
      sessionId,
      for: ['event'],
      match: 'clockwork::tick',
    });
    const after = await ticker.ticks();
    expect(after.length).toBeGreaterThan(resumedFrom);
    expectContinued(before, after);
    // The time without hooks is a loss of its own, with its place in time.
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(numberAt(stats.structured, 'counters', 'byCause', 'untraced')).toBeGreaterThan(0);
    expect(stats.text).toMatch(/UNTRACED for up to \d+/);
    const losses = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['loss'],
    });
    expect(losses.text).toMatch(/ran without hooks/);
    // What was open when the daemon died is still the caller.
    const turns = await callsOf(client, sessionId, { function: { equals: 'clockwork::turn' } });
    expect(turns.map(({ end }) => end)).toEqual(['open', 'open']);
    expect(new Set(after.map(({ parent }) => parent))).toEqual(new Set(turns.map(({ id }) => id)));

    await ticker.stop();
  });

  test('[daemon.killed] [daemon.adopts] a program that was being entered runs on unharmed, traced', async () => {
    const home = testHome();
    const client = await startClient(home);
    const program = buildTarget('e2e/ticker.cpp');
    const launched = new AbortController();
    const launching = client
      .call('debug_launch', { command: program, projectRoot: home.project, patterns: ['tick'] })
      .finally(() => launched.abort());
    const target = (): number =>
      processesWith(`STROBE_HOME=${home.path}`).find((one) => one.command === program)?.pid ?? 0;
    await until('the program is there', () => launched.signal.aborted || target() !== 0);
    const pid = target();
    // While its host executes calls in it; 20 ms between two looks would miss it.
    while (!launched.signal.aborted && processFacts(pid)?.tracer === 0) await setImmediate();
    await killDaemon(home);
    await launching;
    const list = await client.ok('debug_session', { action: 'list' });
    const sessionId = textAt(listAt(list.structured, 'sessions')[0], 'sessionId');
    await vi.waitFor(
      async () => {
        const { text } = await client.ok('debug_session', { action: 'status', sessionId });
        expect(text).toMatch(/The daemon crashed\. A new one /);
      },
      { timeout: 60_000 },
    );
    const wait = { action: 'wait', sessionId, for: ['event'], match: 'tick' };
    expect((await client.ok('debug_session', wait)).structured).toMatchObject({
      happened: 'event',
    });
    expect(isAlive(pid)).toBe(true);
    const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(at(stopped.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
  });

  test('[daemon.adopts] watches that wait for patterns are known to the next daemon', async () => {
    const home = testHome();
    const client = await startClient(home);
    const watch = { expr: 'args[0]', label: 'first' };
    await client.ok('debug_trace', { pending: true, watches: { add: [watch] } });
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'));
    await killDaemon(home);
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    const added = await client.ok('debug_trace', { sessionId, add: ['clockwork::tick'] });
    expect(added.text).toMatch(/watch first .* of 1 function/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[daemon.adopts] a program that ended while there was no daemon is told with its true end', async () => {
    const { home, client, sessionId, pid } = await startTicker();
    process.kill(client.pid, 'SIGSTOP');
    await killDaemon(home);
    process.kill(pid, 'SIGTERM');
    await until('the program has ended', () => !isAlive(pid));
    process.kill(client.pid, 'SIGCONT');
    // A request that met the dead daemon's connection would be answered with an error.
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const lines = (await linesOf(client, sessionId)).map((line) => line.text);
    expect(lines.at(-1)).toBe('stopped');
    // The call that was running when the daemon died has returned meanwhile, unseen or seen.
    const turns = await callsOf(client, sessionId, { function: { equals: 'clockwork::turn' } });
    expect(turns).toHaveLength(2);
    // What it called without its hooks is missing, and said to be.
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(numberAt(stats.structured, 'counters', 'byCause', 'untraced')).toBeGreaterThan(0);
    expect(listAt(stats.structured, 'notes').join('\n')).toMatch(
      /A new one continued\. Calls between/,
    );
    expect(ringsLeft(sessionId)).toEqual([]);
  });

  test('[daemon.adopts] a program that ends before its hooks are back is told to have run without them', async () => {
    const { home, client, sessionId, pid } = await startTicker();
    // Nobody enters a program that stands still.
    process.kill(pid, 'SIGSTOP');
    await killDaemon(home);
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    await client.ok('debug_session', { action: 'status', sessionId });
    process.kill(pid, 'SIGKILL');
    expect(await exitOf(client, sessionId)).toMatchObject({ kind: 'signalled' });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(numberAt(stats.structured, 'counters', 'byCause', 'untraced')).toBeGreaterThan(0);
    expect(stats.text).toMatch(/UNTRACED for up to/);
  });

  test('[daemon.adopts] a program whose client is gone too ends as its launch says', async () => {
    const home = testHome();
    const [stays, goes] = [await startClient(home), await startClient(home)];
    const program = buildTarget('e2e/ticker.cpp');
    const ended = await launch(goes, home, program, { patterns: ['clockwork::tick'] });
    const kept = await launch(goes, home, program, { onClientExit: 'keep' });
    process.kill(stays.pid, 'SIGSTOP');
    process.kill(goes.pid, 'SIGKILL');
    await killDaemon(home);
    process.kill(stays.pid, 'SIGCONT');
    const waited = await stays.ok('debug_session', {
      action: 'wait',
      sessionId: ended.sessionId,
      for: ['exit'],
      timeoutMs: 40_000,
    });
    expect(at(waited.structured, 'exit')).toEqual({ kind: 'exited', code: 0 });
    await outputSeen(stays, kept.sessionId, 'round');
    await stays.ok('debug_session', { action: 'stop', sessionId: kept.sessionId, takeOver: true });
    await stays.close();
    await goes.close();
  });

  test('[daemon.stores] a daemon that is stopped while the end of a session is read has read it all', async () => {
    const home = testHome();
    const client = await startClient(home);
    const { sessionId, structured } = await launch(client, home, buildTarget('e2e/counting.cpp'), {
      args: ['100000'],
      patterns: [{ pattern: 'hot::**', sampling: 'off' }],
      onClientExit: 'detach',
    });
    const pid = numberAt(structured, 'pid');
    await until('the program has ended', () => !isAlive(pid));
    const place = { env: home.env, cwd: home.project };
    expect((await runStrobe(place, ['daemon', 'stop'])).code).toBe(0);
    expect(ringsLeft(sessionId)).toEqual([]);
    const { structured: stats } = await client.ok('debug_query', { view: 'stats', sessionId });
    expect(numberAt(stats, 'counters', 'lost')).toBe(0);
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });

  test('[daemon.one] ten clients that start at once share one daemon', async () => {
    const home = testHome();
    const clients = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, i) => await startClient(home, i % 2 === 0 ? 'v1' : 'v2'),
      ),
    );
    const lists = await Promise.all(
      clients.map((client) => client.ok('debug_session', { action: 'list' })),
    );
    expect(lists).toHaveLength(10);
    expect(partsOf(home, 'daemon')).toHaveLength(1);
  });
});

describe('exit without tracing', () => {
  test('[launch.plain] a program without patterns is only watched', async () => {
    const home = testHome();
    const client = await startClient(home);
    const { sessionId, structured } = await launch(client, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '1'],
    });
    expect(numberAt(structured, 'hooks', 'hookedFunctions')).toBe(0);
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });
});
