import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processFacts, threadsOf } from '../../src/base/proc.ts';
import { callsOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { buildIa32, itNeeds } from '../support/needs.ts';
import { changedCode, footprint } from '../support/processImage.ts';
import { isAlive, until } from '../support/processes.ts';
import { at, listAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { runToEnd } from '../support/runs.ts';
import { withPtraceScope } from '../support/smallDisk.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome, withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('attaching that is refused', () => {
  const { home, client } = withClient();

  async function refused(
    pid: number,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    return (await client.refused('debug_launch', { pid, ...options })).text;
  }

  const talker = (): Promise<Running> =>
    Running.start(buildTarget('engine/talker.c', ['-pthread']), [], 'ready');

  test('[attach.refused] a pid that is none, a kernel thread, a zombie', async () => {
    expect(await refused(4_194_303)).toMatch(/^NO_SUCH_PROCESS: .*4194303[\s\S]*pgrep/);
    expect(await refused(2)).toMatch(/^NOT_ATTACHABLE: 2 is a thread of the kernel/);
    await using parent = await Running.start('python3', [
      '-c',
      'import os,time\npid=os.fork()\nif pid==0: os._exit(3)\nprint(pid,flush=True)\ntime.sleep(60)',
    ]);
    await until('the zombie is there', () => parent.stdout.includes('\n'));
    const zombie = Number(parent.stdout);
    await until('it has ended', () => !isAlive(zombie));
    expect(await refused(zombie)).toMatch(/^NOT_ATTACHABLE: .*zombie/);
  });

  test('[attach.refused] a process that ends while it is being attached to', async () => {
    const attempt = async (): Promise<string | null> => {
      await using running = await talker();
      const attached = client.call('debug_launch', { pid: running.pid });
      for (let isThere = false; !isThere;) {
        const { structured } = await client.ok('debug_session', { action: 'list' });
        isThere = listAt(structured, 'sessions').some((one) => at(one, 'pid') === running.pid);
      }
      process.kill(running.pid, 'SIGKILL');
      const { text, isError } = await attached;
      return isError ? text.replace(String(running.pid), 'N') : null;
    };
    let told = await attempt();
    // It may have been attached to by then.
    for (let more = 0; told === null && more < 20; more++) told = await attempt();
    expect(told).toMatch(/^NO_SUCH_PROCESS: Process N ended while it was being attached to/);
  });

  test('[attach.refused] a thread of a process, a process of another user', async () => {
    const server = buildTarget('e2e/server.c', ['-pthread']);
    await using threads = await Running.start(server, [`/tmp/st-${process.pid}.sock`], 'listening');
    const [thread] = threadsOf(threads.pid).filter((tid) => tid !== threads.pid);
    expect(await refused(thread ?? 0)).toMatch(
      new RegExp(`^NOT_ATTACHABLE: ${thread} is a thread of process ${threads.pid}`),
    );
    rmSync(`/tmp/st-${process.pid}.sock`);
    const isRoot = process.geteuid?.() === 0;
    const foreign = isRoot ? spawn('sleep', ['60'], { uid: 65534 }) : null;
    try {
      expect(await refused(foreign?.pid ?? 1)).toMatch(/^PTRACE_DENIED: .*belongs to user \d+/);
    } finally {
      foreign?.kill('SIGKILL');
    }
  });

  test('[attach.refused] parts of Strobe itself', async () => {
    const launched = await client.ok('debug_launch', {
      command: buildTarget('engine/talker.c', ['-pthread']),
      stdin: 'open',
      patterns: ['main'],
      projectRoot: home.project,
    });
    const parts = home
      .processes()
      .filter((line) => /daemon\.js|dist\/supervisor|strobe-standby|sidecar|client\.js/.test(line));
    expect(parts.length).toBeGreaterThanOrEqual(5);
    for (const line of parts) {
      const pid = Number(line.split(' ')[0]);
      expect([line, await refused(pid)]).toEqual([
        line,
        expect.stringMatching(/^NOT_ATTACHABLE: .*part of Strobe itself/),
      ]);
    }
    expect(launched.text).toContain('hooked');
    await client.ok('debug_session', { action: 'stop' });
  });

  test('[attach.refused] a stopped process; when it goes on it can be attached to', async () => {
    await using program = await talker();
    const before = footprint(program.pid);
    program.signal('SIGSTOP');
    await until('it is stopped', () => processFacts(program.pid)?.state === 'T');
    expect(await refused(program.pid)).toMatch(/^NOT_ATTACHABLE: .*stopped[\s\S]*kill -CONT/);
    program.signal('SIGCONT');
    await until('it goes on', () => processFacts(program.pid)?.state !== 'T');
    expect(footprint(program.pid)).toEqual(before);
    const answer = await client.ok('debug_launch', { pid: program.pid });
    expect(answer.text).toContain('running');
    await client.ok('debug_session', { action: 'detach' });
  });

  itNeeds('gdb', '[attach.refused] a process that a debugger holds', async () => {
    await using program = await talker();
    const words = ['-q', '-nx', '-p', String(program.pid), '-ex', 'echo attached\\n'];
    const gdb = spawn('gdb', words, { stdio: 'pipe' });
    try {
      let said = '';
      gdb.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await until('gdb has it', () => said.includes('attached'), 20_000);
      expect(await refused(program.pid)).toMatch(/^ALREADY_OBSERVED: .*held by gdb[\s\S]*detach/);
    } finally {
      gdb.stdin.end('detach\nquit\n');
      await new Promise((resolve) => gdb.once('exit', resolve));
    }
    expect(changedCode(program.pid)).toEqual([]);
  });

  itNeeds(
    'mounts',
    '[attach.refused] [children.kinds] where Yama restricts it attaching is refused; what is launched, and what that executes, is traced',
    async () => {
      const theirs = testHome({}, undefined, 'nobody');
      const through = [...withPtraceScope(1), ...theirs.prefix];
      const restricted = await startClient(theirs, 'v1', through);
      const leaf = buildTarget('e2e/leaf.c', ['-g']);
      const { sessionId, exit } = await runToEnd(restricted, theirs, 'sh', {
        args: ['-c', `${leaf} 3; ${leaf} 4`],
        projectRoot: dirname(dirname(leaf)),
        patterns: ['leafWork'],
      });
      expect(exit).toEqual({ kind: 'exited', code: 4 });
      const calls = await callsOf(restricted, sessionId);
      expect(calls.map((call) => Number(call.arguments['number']))).toEqual([3, 4]);

      const [command = '', ...prefix] = theirs.prefix;
      const sleeper = spawn(command, [...prefix, '/bin/sleep', '60'], { stdio: 'ignore' });
      onTestFinished(() => void sleeper.kill('SIGKILL'));
      const pid = sleeper.pid ?? 0;
      await until('it sleeps', () => /sleep/.test(readFileSync(`/proc/${pid}/comm`, 'utf8')));
      const { text } = await restricted.refused('debug_launch', { pid });
      expect(text).toMatch(/^PTRACE_DENIED: .*ptrace_scope is 1[\s\S]*\nNext: sudo sysctl/);
      const place = { env: theirs.env, cwd: theirs.project, prefix: through };
      const doctor = await runStrobe(place, ['doctor']);
      expect(doctor.stdout.toString()).toMatch(/ptrace +scope 1: children only; launched programs/);
      await restricted.close();
    },
  );

  itNeeds('ia32', '[attach.refused] a program for another kind of machine', async () => {
    await using program = await Running.start(buildIa32(), [], 'ready');
    expect(await refused(program.pid)).toMatch(
      /^WRONG_ARCHITECTURE: .*32 bits[\s\S]*\nNext: Build it for this machine/,
    );
    expect(program.isRunning).toBe(true);
  });

  itNeeds('timeNamespaces', '[attach.refused] a program with a clock of its own', async () => {
    const words = ['--time', '--monotonic', '100000', '--fork', '--kill-child'];
    await using outer = await Running.start(
      'unshare',
      [...words, 'sh', '-c', 'echo $$; sleep 60; :'],
      '\n',
    );
    expect(await refused(Number(outer.stdout))).toMatch(
      /^NOT_ATTACHABLE: .*time namespace[\s\S]*\nNext: Run Strobe inside/,
    );
  });

  test('[attach.refused] a static program without a C library, a pattern that cannot be read: nothing is left behind', async () => {
    const still = buildTarget('e2e/bare.c', ['-static', '-nostdlib']);
    await using program = await Running.start(still, [], 'leaf 0');
    expect(await refused(program.pid)).toMatch(
      /^STATIC_PROGRAM: [\s\S]*Launch it with debug_launch/,
    );
    program.write('\n');
    await until('it runs on', () => !program.isRunning);

    await using dynamic = await talker();
    expect(await refused(dynamic.pid, { patterns: ['@file:'] })).toMatch(/^BAD_PATTERN/);
    await until('we left', () => footprint(dynamic.pid).threads === 1);
    expect(changedCode(dynamic.pid)).toEqual([]);
    const list = await client.ok('debug_session', { action: 'list' });
    expect(list.text).not.toContain(`pid ${dynamic.pid}`);
    dynamic.write('print\n');
    await until('it runs on', () => dynamic.stdout.includes('printed'));
  });

  test('[attach.contract] launch and attach are different requests; what belongs to one is refused in the other', async () => {
    const { text } = await client.refused('debug_launch', { pid: 1, args: ['x'] });
    expect(text).toMatch(
      /"args" is not a parameter of debug_launch with "pid"[\s\S]*belongs to "command"/,
    );
    const both = await client.refused('debug_launch', { pid: 1, command: 'x', projectRoot: '/' });
    expect(both.text).toMatch(/"command" is not a parameter of debug_launch with "pid"/);
    const none = await client.refused('debug_launch', { projectRoot: '/' });
    expect(none.text).toMatch(/command or pid.* is required/);
    const text1 = await client.refused('debug_launch', { pid: '12' });
    expect(text1.text).toMatch(/pid: expected number/);
  });
});
