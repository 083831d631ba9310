import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { isAlive, until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('what is done with a session', () => {
  const { home, client } = withClient();

  const act = async (action: string, sessionId: string, more: object = {}) =>
    await client.ok('debug_session', { action, sessionId, ...more });

  test('[session.restart] starts the same anew: arguments, environment, input and the patterns as they are now', async () => {
    const script = join(home.project, 'again');
    writeFileSync(script, '#!/bin/sh\necho "$1 $COLOUR $(pwd)"; cat; exec "$2"\n', { mode: 0o755 });
    const ticker = buildTarget('e2e/ticker.cpp');
    const one = await launch(client, home, ticker, {
      args: ['first'],
      env: { COLOUR: 'grün' },
      patterns: ['clockwork::tick'],
      requestId: 'restarted',
    });
    await outputSeen(client, one.sessionId, 'round 2');
    await client.ok('debug_trace', {
      sessionId: one.sessionId,
      add: ['clockwork::tock'],
      remove: ['clockwork::tick'],
    });
    const again = await act('restart', one.sessionId);
    const two = textAt(again.structured, 'sessionId');
    expect(two).not.toBe(one.sessionId);
    expect(again.structured).toMatchObject({
      action: 'restart',
      restartedFrom: one.sessionId,
      how: 'terminated',
      state: 'running',
    });
    expect(again.text).toContain(`Restarted from ${one.sessionId}, which ended on TERM.`);
    expect(numberAt(again.structured, 'pid')).not.toBe(numberAt(one.structured, 'pid'));
    expect(isAlive(numberAt(one.structured, 'pid'))).toBe(false);
    const before = await act('status', one.sessionId);
    expect(before.text).toContain(`Restarted as ${two}.`);
    await outputSeen(client, two, 'round 2');
    const calls = await callsOf(client, two, { limit: 20 });
    expect(new Set(calls.map((call) => call.function))).toEqual(new Set(['clockwork::tock']));
    expect(readFileSync(`/proc/${numberAt(again.structured, 'pid')}/environ`, 'utf8')).toContain(
      'COLOUR=grün',
    );
    await act('stop', two);

    const run = await runToEnd(client, home, script, {
      args: ['x', 'true'],
      env: { COLOUR: 'rot' },
      cwd: '/usr',
      stdin: { text: 'given\n' },
    });
    const rerun = textAt((await act('restart', run.sessionId)).structured, 'sessionId');
    expect(await exitOf(client, rerun)).toEqual({ kind: 'exited', code: 0 });
    expect((await linesOf(client, rerun)).map((line) => line.text)).toEqual([
      'x rot /usr',
      'given',
    ]);
  });

  test('[session.restart] what cannot be started again leaves the program running and says why', async () => {
    const script = join(home.project, 'vanishing');
    writeFileSync(script, '#!/bin/sh\necho up; exec sleep 300\n', { mode: 0o755 });
    const { sessionId, structured } = await launch(client, home, script);
    await outputSeen(client, sessionId, 'up');
    writeFileSync(script, '', { mode: 0o644 });
    const refused = await client.refused('debug_session', { action: 'restart', sessionId });
    expect(refused.text).toMatch(/NOT_EXECUTABLE/);
    expect(isAlive(numberAt(structured, 'pid'))).toBe(true);
    await act('stop', sessionId);
  });

  test('[session.detach] removes the hooks, lets the program live on, and does not hold up its output', async () => {
    const { sessionId, structured } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::**'],
    });
    const pid = numberAt(structured, 'pid');
    await outputSeen(client, sessionId, 'round 2');
    const detached = await act('detach', sessionId);
    expect(detached.structured).toMatchObject({ action: 'detach', state: 'released', pid });
    expect(detached.text).toMatch(/keeps running\. .*not kept/);
    const lines = await linesOf(client, sessionId);
    const calls = await callsOf(client, sessionId, { function: { equals: 'clockwork::tock' } });
    expect(calls.length).toBeGreaterThan(0);
    // Its own threads only: Frida's have gone with it.
    await until('Frida is out', () => !/frida|gum-js/.test(commandsOfThreads(pid)));
    expect(await linesOf(client, sessionId)).toEqual(lines);
    const again = await client.refused('debug_session', { action: 'detach', sessionId });
    expect(again.text).toMatch(/SESSION_ENDED/);
    expect(isAlive(pid)).toBe(true);
    const kept = await client.refused('debug_session', { action: 'delete', sessionId });
    expect(kept.text).toMatch(/SESSION_RUNNING[\s\S]*"stop"/);
    await act('stop', sessionId);
    await until('the program has ended', () => !isAlive(pid));
  });

  test('[session.detach] a detached program may do to itself what tracing guarded against', async () => {
    const program = buildTarget('e2e/letGo.c', ['-O1']);
    const told = async (name: string, run: (file: string) => Promise<number>): Promise<string> => {
      const file = join(home.project, name);
      const pid = await run(file);
      writeFileSync(`${file}.go`, '');
      await until('the program has ended', () => !isAlive(pid));
      return readFileSync(file, 'utf8');
    };
    const plain = await told('plain', async (file) => spawn(program, [file]).pid ?? 0);
    const detached = await told('detached', async (file) => {
      const one = await launch(client, home, program, { args: [file], patterns: ['worked'] });
      await outputSeen(client, one.sessionId, 'up');
      await act('detach', one.sessionId);
      const pid = numberAt(one.structured, 'pid');
      // Its count, not its list: the kernel cuts a list short while threads end.
      await until('it has one thread', () => statSync(`/proc/${pid}/task`).nlink === 3);
      return pid;
    });
    expect(plain).toContain('end 0');
    expect(detached).toBe(plain);
  });

  test('[session.detach] a detached program that writes a flood is not held up', async () => {
    const [go, mark] = ['go', 'mark'].map((name) => join(home.project, name));
    const script = 'until [ -e "$1" ]; do :; done; head -c 30000000 /dev/zero; echo done > "$2"';
    const { sessionId, structured } = await launch(client, home, 'sh', {
      args: ['-c', script, 'sh', go, mark],
    });
    await act('detach', sessionId);
    writeFileSync(go ?? '', '');
    await until('it has written all', () => existsSync(mark ?? ''));
    await until('it has ended', () => !isAlive(numberAt(structured, 'pid')));
  });

  test('[session.delete] removes an ended session with its files, by its id only', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '1'],
    });
    const folder = join(home.path, 'sessions', sessionId);
    expect(existsSync(folder)).toBe(true);
    expect((await client.refused('debug_session', { action: 'delete' })).text).toContain(
      'sessionId',
    );
    await act('delete', sessionId);
    expect(existsSync(folder)).toBe(false);
    const gone = await client.refused('debug_session', { action: 'status', sessionId });
    expect(gone.text).toMatch(/UNKNOWN_SESSION/);
  });

  test('[session.delete] a session of another client needs takeOver', async () => {
    const other = await startClient(home, 'v2');
    const { sessionId } = await runToEnd(other, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '1'],
    });
    for (const action of ['delete', 'restart']) {
      const refused = await client.refused('debug_session', { action, sessionId });
      expect(refused.text).toMatch(/NOT_OWNER[\s\S]*takeOver/);
    }
    await act('delete', sessionId, { takeOver: true });
    await other.close();
  });

  test('[session.retain] keeps what was captured, and says until when', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '1'],
    });
    const kept = await act('retain', sessionId);
    const untilText = textAt(kept.structured, 'retainedUntil');
    const days = (Date.parse(untilText) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    expect(kept.text).toContain(untilText.slice(0, 16));
  });

  test('[stop.tree] stop ends gently what left session, group and tree, and what is stopped', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/scattered.c'));
    await outputSeen(client, sessionId, 'parent');
    for (const who of ['session', 'group', 'daemon']) await outputSeen(client, sessionId, who);
    const pids = (await linesOf(client, sessionId)).map((line) => Number(line.text.split(' ')[1]));
    expect(pids).toHaveLength(4);
    const stopped = await act('stop', sessionId, { graceMs: 10_000 });
    expect(stopped.structured).toMatchObject({
      how: 'terminated',
      exit: { kind: 'signalled', signal: 'SIGTERM' },
    });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(at(stopped.structured, 'state')).toBe('ended');
  });

  test('[session.restart] the command line does the same', async () => {
    const strobe = async (...args: string[]): Promise<unknown> => {
      const ended = await runStrobe({ env: home.env, cwd: home.project }, [...args]);
      if (ended.code !== 0) throw new Error(`${args.join(' ')}: ${ended.stderr}`);
      return JSON.parse(ended.stdout.toString());
    };
    const one = textAt(
      await strobe('launch', '--json', '--', buildTarget('e2e/ticker.cpp')),
      'sessionId',
    );
    const two = textAt(await strobe('session', 'restart', one, '--json'), 'sessionId');
    const pid = numberAt(await strobe('session', 'status', two, '--json'), 'session', 'pid');
    expect(at(await strobe('session', 'detach', two, '--json'), 'state')).toBe('released');
    expect(isAlive(pid)).toBe(true);
    await strobe('session', 'stop', two, '--json');
    await strobe('session', 'retain', two, '--json');
    await strobe('session', 'delete', two, '--json');
    const left = listAt(await strobe('session', 'list', '--scope', 'all', '--json'), 'sessions');
    expect(left.map((session) => textAt(session, 'sessionId'))).not.toContain(two);
  });
});

function commandsOfThreads(pid: number): string {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.map((tid) => readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8')).join(' ');
}
