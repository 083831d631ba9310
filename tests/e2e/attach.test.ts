import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { suiteFolder } from '../support/folder.ts';
import { openHome } from '../support/home.ts';
import { changedCode, footprint } from '../support/processImage.ts';
import { isAlive, until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { Requester } from '../support/requests.ts';
import { exitOf, outputSeen, ringsLeft, type Launched } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const program = (source: string): string => buildTarget(source, ['-pthread']);

describe('attaching', () => {
  const { home, client } = withClient();
  const folder = suiteFolder();

  async function attach(
    pid: number,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<Launched> {
    const answer = await client.ok('debug_launch', { pid, ...options });
    const sessionId = textAt(answer.structured, 'sessionId');
    return { sessionId, text: answer.text, structured: answer.structured };
  }

  async function detach(sessionId: string): Promise<string> {
    return (await client.ok('debug_session', { action: 'detach', sessionId })).text;
  }

  test('[attach.undisturbed] a busy server answers everything while it is attached to, traced and let go', async () => {
    const path = join(folder, 'busy.sock');
    await using server = await Running.start(program('e2e/server.c'), [path], 'listening');
    const requesters = await Promise.all([1, 2, 3].map(() => Requester.start(path)));
    const served = async (more: number): Promise<void> => {
      const goals = requesters.map((one) => one.answers + more);
      const reached = (): boolean =>
        requesters.every(
          (one, index) => one.answers >= (goals[index] ?? 0) || one.faults.length > 0,
        );
      await until('further requests are answered', reached, 30_000);
    };
    await served(200);
    const { sessionId, structured } = await attach(server.pid, { patterns: ['sum_to'] });
    expect(numberAt(structured, 'hooks', 'hookedFunctions')).toBe(1);
    await served(500);
    requesters.push(await Requester.start(path)); // a thread that begins under observation
    await served(100);
    await outputSeen(client, sessionId, 'answered');
    const [call] = await callsOf(client, sessionId, { limit: 1 });
    expect(call?.function).toBe('sum_to');
    const n = Number(call?.arguments['n']);
    expect(call?.returns).toBe((n * (n + 1)) / 2);
    // Frida itself leaves a thread in the process, in one of some 80 detaches on a busy machine; then that is told.
    expect(await detach(sessionId)).toMatch(
      /keeps running as it was before|threads of Frida did not end within 8 s/,
    );
    await served(200);
    await Promise.all(requesters.map((one) => one.end()));
    expect(requesters.flatMap((one) => one.faults)).toEqual([]);
    expect(server.stderr).toBe(''); // no call of the server's was cut short
    const threads = await client.ok('debug_query', { view: 'stats', sessionId, groupBy: 'thread' });
    expect(threads.text.match(/server/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test('[attach.undisturbed] a signal that the program blocks waits for it', async () => {
    await using waiter = await Running.start(program('hazards/blocked.c'), ['ready'], 'ready');
    const { sessionId } = await attach(waiter.pid, { patterns: ['round_of'] });
    waiter.write('go\n');
    expect(await waiter.ended()).toEqual({ code: 6, signal: null });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 6 });
    expect(waiter.stdout).toBe('ready\n121500, handled 100\n');
  });

  test('[attach.undisturbed] signals that all its threads block do not end it while it is attached to and let go', async () => {
    await using waiter = await Running.start(program('hazards/waitsForSignals.c'), [], 'waiting');
    for (let round = 0; round < 3; round++)
      await detach((await attach(waiter.pid, { patterns: ['took'] })).sessionId);
    waiter.write('\n');
    expect(await waiter.ended()).toEqual({ code: 7, signal: null });
  });

  test('[attach.undisturbed] threads that begin while it is attached to take signals as they would', async () => {
    await using busy = await Running.start(program('e2e/manyThreads.c'), [], 'running');
    const { sessionId } = await attach(busy.pid, { patterns: ['look'] });
    await detach(sessionId);
    busy.write('\n');
    expect(await busy.ended()).toEqual({ code: 0, signal: null });
    expect(busy.stdout).toBe('running\nblocking 0\n');
  });

  test('[attach.output] output is captured from the attach on, says how, and still goes where it went', async () => {
    await using talker = await Running.start(program('engine/talker.c'), [], 'ready');
    const { sessionId, text } = await attach(talker.pid);
    expect(text).toMatch(/copied on its way[\s\S]*Not seen: duplicates/);
    talker.write('print\nerror\nvectors\n');
    await until('it has written', () => talker.stdout.split('done').length === 4);
    expect(await linesOf(client, sessionId)).toEqual([
      { stream: 'stdout', text: 'printed 1' },
      { stream: 'stdout', text: 'done' },
      { stream: 'stderr', text: 'an error' },
      { stream: 'stdout', text: 'done' },
      { stream: 'stdout', text: 'in three parts' },
      { stream: 'stdout', text: 'done' },
    ]);
    expect(talker.stdout).toContain('in three parts\n');
    expect(talker.stderr).toBe('an error\n');
    const refused = await client.refused('debug_session', {
      action: 'input',
      sessionId,
      text: 'x',
    });
    expect(refused.text).toMatch(/^STDIN_CLOSED/);
    await detach(sessionId);
  });

  test('[attach.children] what an attached process starts is listed, and can be attached to', async () => {
    const script = 'echo ready; while read program; do $program & done';
    await using shell = await Running.start('sh', ['-c', script], 'ready');
    const { sessionId, text } = await attach(shell.pid);
    expect(text).toMatch(/not followed[\s\S]*attach to one by its pid/);
    shell.write('sleep 60\n');
    const child = await vi.waitFor(
      async () => {
        const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
        const shown = listAt(structured, 'processes', 'shown');
        const found = shown.find((one) => textAt(one, 'command') === 'sleep 60');
        expect(found).toMatchObject({ parent: shell.pid, running: true, hooked: null });
        return numberAt(found, 'pid');
      },
      { timeout: 60_000 },
    );
    const inner = await attach(child);
    expect(inner.text).toContain('running');
    await detach(inner.sessionId);
    process.kill(child, 'SIGKILL');
    await until('the child has ended', () => !isAlive(child));
    const after = await client.ok('debug_session', { action: 'status', sessionId });
    expect(after.text).toMatch(/ended, status not seen/);
    expect(shell.isRunning).toBe(true);
    await detach(sessionId);
  });

  test('[attach.children] a child that was seen before its exec is shown with what it runs then', async () => {
    const pipe = join(folder, 'go');
    const script = `mkfifo '${pipe}'; echo ready; while read line; do sh -c 'read go; exec sleep 61' <'${pipe}' & done`;
    await using shell = await Running.start('sh', ['-c', script], 'ready');
    const { sessionId } = await attach(shell.pid);
    shell.write('begin\n');
    const commandOf = async (wanted: RegExp): Promise<number> =>
      await vi.waitFor(
        async () => {
          const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
          const shown = listAt(structured, 'processes', 'shown');
          const found = shown.filter(
            (one) => at(one, 'running') === true && wanted.test(textAt(one, 'command')),
          );
          expect(found).toEqual([expect.objectContaining({ parent: shell.pid })]);
          return numberAt(found[0], 'pid');
        },
        { timeout: 20_000 },
      );
    const child = await commandOf(/^sh -c/);
    // Until the child opens it to read, nobody can write to it.
    const flag = constants.O_WRONLY | constants.O_NONBLOCK;
    await vi.waitFor(
      async () => {
        expect(shell.stderr).toBe('');
        await writeFile(pipe, 'go\n', { flag });
      },
      { timeout: 20_000 },
    );
    expect(await commandOf(/^sleep 61$/)).toBe(child);
    process.kill(child, 'SIGKILL');
    await detach(sessionId);
  });

  test('[attach.forked] children by fork alone are traced; what they become and that they ended is told', async () => {
    await using forker = await Running.start(program('e2e/forker.c'), [], 'ready');
    const { sessionId } = await attach(forker.pid, { patterns: ['step'] });
    const input = await client.refused('debug_session', { action: 'input', sessionId, text: 'x' });
    expect(input.text).toContain('was attached to');
    const begin = async (line: string, calls: number): Promise<number> => {
      forker.write(`${line}\n`);
      return await vi.waitFor(
        async () => {
          const made = await callsOf(client, sessionId, {});
          expect(made).toHaveLength(calls);
          return made[calls - 1]?.pid ?? 0;
        },
        { timeout: 20_000 },
      );
    };
    const processes = async (): Promise<unknown> => {
      const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
      return at(structured, 'processes');
    };
    const short = await begin('end', 1);
    expect(short).not.toBe(forker.pid);
    await until('the child has ended', () => !isAlive(short));
    const parent = { pid: forker.pid, running: true };
    expect(await processes()).toMatchObject({
      running: 1,
      ended: 1,
      shown: [parent, { pid: short, running: false, hooked: 1 }],
    });
    const other = await begin('exec', 2);
    // The drain removes the child's ring once it has noticed the exec.
    const ring = `${forker.pid}.ring.${other}.0`;
    await until(
      'the ring of the old program is removed',
      () => !ringsLeft(sessionId).includes(ring),
    );
    expect(await processes()).toMatchObject({ running: 2, ended: 1 });
    await vi.waitFor(
      async () => {
        const shown = listAt(await processes(), 'shown');
        expect(shown).toContainEqual(
          expect.objectContaining({ pid: other, command: 'sleep 62', running: true, hooked: null }),
        );
      },
      { timeout: 20_000 },
    );
    process.kill(other, 'SIGKILL');
    await until('it has ended', () => !isAlive(other));
    expect(await processes()).toMatchObject({ running: 1, ended: 2 });
    await detach(sessionId);
  });

  test('[attach.exit] the end of an attached process is told, with its status where the kernel tells it', async () => {
    const leaves = await Running.start(program('engine/talker.c'), [], 'ready');
    const { sessionId } = await attach(leaves.pid);
    leaves.write('print\nleave\n');
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 42 });
    expect(await leaves.ended()).toEqual({ code: 42, signal: null });
    const lines = await linesOf(client, sessionId);
    expect(lines.map(({ text }) => text)).toEqual(['printed 1', 'done']);

    const killed = await Running.start(program('engine/talker.c'), [], 'ready');
    const second = await attach(killed.pid);
    killed.signal('SIGKILL');
    expect(await exitOf(client, second.sessionId)).toMatchObject({ signal: 'SIGKILL' });

    const stopped = await Running.start(program('engine/talker.c'), [], 'ready');
    const third = await attach(stopped.pid);
    const answer = await client.ok('debug_session', { action: 'stop', sessionId: third.sessionId });
    expect(at(answer.structured, 'exit')).toMatchObject({ signal: 'SIGTERM' });
    expect((await stopped.ended()).signal).toBe('SIGTERM');
  });

  test('[attach.exec] a process that replaces its program is observed on, and the gap is told', async () => {
    const talker = await Running.start(program('engine/talker.c'), [], 'ready');
    const { sessionId } = await attach(talker.pid);
    talker.write('print\nreplace\n');
    await until('it begins anew', () => talker.stdout.split('ready').length === 3);
    await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(/replaced its program[\s\S]*output between/);
      },
      { timeout: 20_000 },
    );
    talker.write('vectors\nleave\n');
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 42 });
    const lines = (await linesOf(client, sessionId)).map(({ text }) => text);
    expect(lines.slice(0, 2)).toEqual(['printed 1', 'done']);
    expect(lines.slice(-2)).toEqual(['in three parts', 'done']);
  });

  test('[attach.detach] attached and let go time after time: code byte for byte, no growth', async () => {
    const path = join(folder, 'again.sock');
    await using server = await Running.start(program('e2e/server.c'), [path], 'listening');
    // A thread that sits in a traced call all the time.
    const requester = await Requester.start(path);
    const prints: ReturnType<typeof footprint>[] = [];
    for (let round = 0; round < 6; round++) {
      const { sessionId } = await attach(server.pid, { patterns: ['serve', 'sum_to', 'ask'] });
      expect(changedCode(server.pid)).not.toEqual([]);
      await client.ok('debug_session', {
        action: 'wait',
        sessionId,
        for: ['event'],
        match: 'sum_to',
      });
      await detach(sessionId);
      expect(changedCode(server.pid)).toEqual([]);
      prints.push(footprint(server.pid));
    }
    // The last of ours ends when the agent is gone already, a moment after the answer. The server's own: it
    // waits, waits for nothing, and serves.
    await until('our threads have ended', () => footprint(server.pid).threads === 3);
    await requester.end();
    expect(requester.faults).toEqual([]);
    expect(server.stderr).toBe('');
    const [second, last] = [prints[1], prints.at(-1)];
    expect(last?.descriptors).toBe(second?.descriptors);
    expect((last?.maps ?? 0) - (second?.maps ?? 0)).toBeLessThanOrEqual(8);
  }, 180_000);

  test('[attach.second] who comes second is told which session has the process, and how to go on', async () => {
    await using talker = await Running.start(program('engine/talker.c'), [], 'ready');
    const { sessionId } = await attach(talker.pid);
    const again = await client.refused('debug_launch', { pid: talker.pid });
    expect(again.text).toMatch(/^ALREADY_OBSERVED: [\s\S]*your session [\s\S]*debug_trace/);
    expect(again.text).toContain(sessionId);
    const other = await startClient(home);
    const foreign = await other.refused('debug_launch', { pid: talker.pid });
    expect(foreign.text).toMatch(/another client[\s\S]*takeOver/);
    await other.close();
    const elsewhere = openHome();
    const stranger = await startClient(elsewhere);
    const beyond = await stranger.refused('debug_launch', { pid: talker.pid });
    expect(beyond.text).toMatch(/ALREADY_OBSERVED: [\s\S]*another Strobe daemon/);
    await stranger.close();
    await elsewhere.close();
    const launched = await client.ok('debug_launch', {
      command: program('engine/talker.c'),
      stdin: 'open',
      projectRoot: home.project,
    });
    const own = await client.refused('debug_launch', { pid: numberAt(launched.structured, 'pid') });
    expect(own.text).toContain(textAt(launched.structured, 'sessionId'));
    for (const id of [sessionId, textAt(launched.structured, 'sessionId')])
      await client.ok('debug_session', { action: 'stop', sessionId: id });
  });

  test('[attach.owner] when its client goes, the process is let go and runs on as it was', async () => {
    const path = join(folder, 'owner.sock');
    await using server = await Running.start(program('e2e/server.c'), [path], 'listening');
    const visitor = await startClient(home);
    await visitor.ok('debug_launch', { pid: server.pid, patterns: ['sum_to'] });
    expect(changedCode(server.pid)).not.toEqual([]);
    await visitor.close();
    await until('its code is back', () => changedCode(server.pid).length === 0);
    const requester = await Requester.start(path);
    await until('it answers', () => requester.answers > 100);
    await requester.end();
    expect(requester.faults).toEqual([]);
  });

  test('[attach.owner] a process that another daemon is just leaving is attached to once it has been left', async () => {
    await using talker = await Running.start(program('engine/talker.c'), [], 'ready');
    const { sessionId } = await attach(talker.pid);
    const elsewhere = openHome();
    const stranger = await startClient(elsewhere);
    const attached = stranger.ok('debug_launch', { pid: talker.pid, patterns: ['talk'] });
    await until('it waits', () =>
      stranger.progress.some((text) => text.includes('another Strobe')),
    );
    await client.ok('debug_session', { action: 'detach', sessionId });
    expect((await attached).text).toContain('hooked 1');
    await stranger.close();
    await elsewhere.close();
  });

  test('[attach.owner] a daemon that is stopped, or killed, leaves an attached process as it was', async () => {
    const path = join(folder, 'daemon.sock');
    await using server = await Running.start(program('e2e/server.c'), [path], 'listening');
    const own = openHome();
    const traced = ['--trace', 'sum_to', '--trace', 'serve'];
    const words = ['attach', String(server.pid), ...traced, '--json'];
    const attached = await runStrobe({ env: own.env, cwd: own.project }, words);
    expect(attached.stderr).toBe('');
    expect(changedCode(server.pid)).not.toEqual([]);
    // Its thread is in a traced call, and waits there in the kernel, until the end.
    const sitting = await Requester.start(path);
    await until('it is answered', () => sitting.answers > 10);
    await runStrobe({ env: own.env, cwd: own.project }, ['daemon', 'stop']);
    const again = await runStrobe({ env: own.env, cwd: own.project }, words);
    expect(again.code).toBe(0);
    expect(changedCode(server.pid)).not.toEqual([]);
    const daemon = Number(
      own
        .processes()
        .find((line) => line.includes('daemon.js'))
        ?.split(' ')[0],
    );
    process.kill(daemon, 'SIGKILL');
    await until('its code is back', () => changedCode(server.pid).length === 0);
    await until('nothing of ours is left in it', () => footprint(server.pid).threads === 3);
    await sitting.end();
    expect(sitting.faults).toEqual([]);
    const requester = await Requester.start(path);
    await until('it answers', () => requester.answers > 100);
    await requester.end();
    expect(requester.faults).toEqual([]);
    expect(server.stderr).toBe('');
    // The next daemon tells it, and removes what the dead one left.
    const list = ['session', 'list', '--scope', 'all', '--json'];
    const next = await runStrobe({ env: own.env, cwd: own.project }, list);
    expect(next.stdout.toString()).toMatch(/"state": "released"/);
    await own.close();
  });

  test('[attach.own-threads] what the instrumentation does inside the process is not recorded as its calls', async () => {
    await using talker = await Running.start(program('engine/talker.c'), [], 'ready');
    const { sessionId } = await attach(talker.pid, {
      patterns: ['malloc', 'free', 'sendmsg', 'poll'].map((pattern) => ({
        pattern,
        module: 'libc.so.6',
      })),
    });
    for (let round = 0; round < 5; round++)
      await client.ok('debug_trace', {
        sessionId,
        add: [{ pattern: 'calloc', module: 'libc.so.6' }],
      });
    expect(await callsOf(client, sessionId)).toEqual([]);
    await detach(sessionId);
  });

  test('[attach.list] a session of an attached process shows its command, and the patterns that were staged', async () => {
    await using talker = await Running.start(
      program('engine/talker.c'),
      ['one', 'two words'],
      'ready',
    );
    await client.ok('debug_trace', { pending: true, add: ['talk'] });
    const { sessionId, structured } = await attach(talker.pid, { projectRoot: home.project });
    expect(at(structured, 'pendingPatternsApplied')).toBe(1);
    expect(textAt(structured, 'projectRoot')).toBe(home.project);
    const list = await client.ok('debug_session', { action: 'list' });
    const shown = listAt(list.structured, 'sessions').find(
      (session) => textAt(session, 'sessionId') === sessionId,
    );
    expect(textAt(shown, 'command')).toContain("talker one 'two words'");
    talker.write('crowd\n');
    await vi.waitFor(
      async () => {
        const calls = await callsOf(client, sessionId);
        expect(new Set(calls.map((call) => call.function))).toEqual(new Set(['talk']));
      },
      { timeout: 20_000 },
    );
    await detach(sessionId);
  });

  test('[attach.list] [attach.again] a program with a title of its own is shown by it; let go before it called anything, it is attached to again', async () => {
    const args = ['--listen', '127.0.0.1', '--workers', 'four'];
    await using titled = await Running.start(program('e2e/titled.c'), args, 'ready');
    const { sessionId, text } = await attach(titled.pid, {
      projectRoot: home.project,
      patterns: ['serve'],
    });
    expect(text).toContain(" · 'titled: serving 7' · pid ");
    await detach(sessionId);
    const empty = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(empty.text).toContain('none was called before it was let go');
    const [, step = ''] = /^ {2}debug_launch (\{.*\}) {2}— attaches again/m.exec(empty.text) ?? [];
    const request: unknown = JSON.parse(step);
    expect(request).toMatchObject({ pid: titled.pid, onClientExit: 'keep' });
    const again = await attach(titled.pid, {
      onClientExit: at(request, 'onClientExit'),
      patterns: ['serve'],
    });
    titled.write('now\n');
    await vi.waitFor(async () => expect(await callsOf(client, again.sessionId)).toHaveLength(1), {
      timeout: 20_000,
    });
    await detach(again.sessionId);
    const last = await attach(titled.pid, { patterns: ['serve'] });
    titled.signal('SIGTERM');
    await client.ok('debug_session', { action: 'wait', sessionId: last.sessionId, for: ['exit'] });
    const ended = await client.ok('debug_query', { view: 'tree', sessionId: last.sessionId });
    expect(ended.text).toMatch(
      /debug_launch \{"command":"\/[^"]*\/titled[^"]*","args":\[\].*title/,
    );
  });

  test('[trace.pending] staged watches without patterns reach an attached process, too', async () => {
    await using talker = await Running.start(program('engine/talker.c'), ['one'], 'ready');
    const watch = { expr: 'args[0]', label: 'first' };
    await client.ok('debug_trace', { pending: true, watches: { add: [watch] } });
    const { sessionId } = await attach(talker.pid, { projectRoot: home.project });
    const { text } = await client.ok('debug_trace', { sessionId });
    expect(text).toMatch(/^watch first/m);
    await detach(sessionId);
  });
});
