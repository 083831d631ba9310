import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startClient } from '../support/client.ts';
import type { TestHome } from '../support/home.ts';
import { isAlive, processesWith, until } from '../support/processes.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import {
  clientProgram,
  packageRoot,
  runProgram,
  runStrobe,
  type Ended,
} from '../support/strobe.ts';
import { withClient, withHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

/** An interactive shell in a terminal of its own: what a person has. */
describe('strobe run at a terminal', () => {
  const { home, client } = withClient();
  let shell: string;
  let place: string | undefined;
  const player = buildTarget('e2e/player.c');
  const run = (words: string): string =>
    `${process.execPath} ${clientProgram} run --out ${join(home.project, 'report')} ${words}`;

  beforeEach(async () => {
    place = undefined;
    const launched = await launch(client, home, 'bash', {
      args: ['--norc', '--noediting', '-i'],
      env: { ...home.env, PS1: '$ ', COLUMNS: '100' },
      tty: true,
    });
    shell = launched.sessionId;
  });
  afterEach(async () => {
    await client.ok('debug_session', { action: 'stop', sessionId: shell, graceMs: 200 });
  });

  const type = async (text: string): Promise<void> => {
    await client.ok('debug_session', { action: 'input', sessionId: shell, text });
  };
  /** The next line with this text, after what was seen before. */
  const seen = async (text: string): Promise<string> => {
    const { cursor, line } = await outputSeen(client, shell, text, place);
    place = cursor;
    return line;
  };
  const count = async (what: RegExp): Promise<number> => {
    const all = await client.ok('debug_query', { view: 'output', sessionId: shell, budget: 9000 });
    return all.text.match(what)?.length ?? 0;
  };
  const pidOf = (part: string): number => {
    const found = processesWith(`STROBE_HOME=${home.path}`).find((one) => one.command === part);
    if (!found) throw new Error(`no process ${part}`);
    return found.pid;
  };

  test('[cli.run-job] Ctrl-Z stops it, bg and fg go on, Ctrl-C reaches it once, and its status comes back', async () => {
    await type(`${run(`--trace step -- ${player}`)}\n`);
    await seen('step 2.');
    const pid = pidOf(player);
    await type('\x1a');
    await seen('Stopped');
    await until('the program is stopped', () => stateOf(pid) === 'T');
    await type('bg\n');
    await seen('step ');
    expect(stateOf(pid)).not.toBe('T');
    await type('fg\n');
    // Typed before the shell has read the line, Ctrl-C would discard it, as at any terminal.
    await until('it has the terminal', () => hasTerminal(pid));
    await type('\x03');
    await seen('interrupted');
    // What is sent to strobe alone is passed on; the third is for the group, and arrives once.
    const strobe = strobePid(home);
    process.kill(strobe, 'SIGUSR1');
    await seen('first user signal');
    process.kill(strobe, 'SIGTERM');
    await seen('first term');
    await type('\x1a');
    await seen('Stopped');
    await type('kill -TERM %1; fg\n');
    await seen('second term');
    await type('echo "status $?"\n');
    await seen('status 5');
    expect(readFileSync(join(home.project, 'report'), 'utf8')).toMatch(/step/);
  });

  test('[cli.run-job] a program that stops itself stops strobe too, and a group signal is not doubled', async () => {
    await type(
      `${run(`-- sh -c 'trap "echo got; echo term" TERM; kill -STOP $$; while :; do sleep 0.1; done'`)}\n`,
    );
    await seen('Stopped');
    await type('kill -TERM %1; fg\n');
    await vi.waitFor(async () => expect(await count(/out\| term/g)).toBe(1), 10_000);
    await type('\x03');
    await vi.waitFor(async () => expect(await count(/out\| \^C/g)).toBe(1), 10_000);
    await type('echo "status $?"\n');
    await seen('status 130');
    expect(await count(/out\| term/g)).toBe(1);
  });

  test('[cli.run-terminal] the terminal is as before after a crash, and as the program left it after an exit', async () => {
    const modes = `stty -a | grep -o -e '-\\?icanon' -e '-\\?echoctl' | tr '\\n' ' '; echo "$?."`;
    await type(`${run(`-- sh -c 'stty raw -echo -echoctl; kill -SEGV $$'`)}; ${modes}\n`);
    expect(await seen('echoctl 0.')).toMatch(/(^|[^-])icanon echoctl|echoctl icanon/);
    await type(`${run(`-- stty -echoctl`)}; ${modes}\n`);
    await seen('-echoctl');
  });
});

describe('strobe run when a part dies', () => {
  const home = withHome();

  /** Starts a program that waits for `go`; resolves when it runs. */
  async function started(): Promise<{ ended: Promise<Ended>; go: () => void; files: string }> {
    const files = mkdtempSync(join(home.project, 'run-'));
    const script = 'touch "$1/up"; until [ -e "$1/go" ]; do sleep 0.05; done; exit 9';
    const ended = runStrobe(
      { env: home.env, cwd: home.project },
      ['run', '--', 'sh', '-c', script, 'sh', files],
      '',
      80_000,
    );
    await until('the program runs', () => existsSync(join(files, 'up')), 40_000);
    return { ended, files, go: () => writeFileSync(join(files, 'go'), '') };
  }
  const pidIn = (what: RegExp): number => {
    const all = processesWith(`STROBE_HOME=${home.path}`);
    const found = all.find((one) => what.test(one.command));
    if (!found) throw new Error(`no ${String(what)} in ${JSON.stringify(all)}`);
    return found.pid;
  };

  test('[cli.run-job] what nohup ignores is ignored in the program too', async () => {
    const command = [
      'sh',
      '-c',
      'trap "" HUP; exec "$@"',
      'sh',
      join(packageRoot, 'strobe'),
      'run',
      '--',
      'sh',
      '-c',
      'kill -HUP $$; env | grep -c IGNORED; exit 6',
    ];
    const ended = await runProgram({ env: home.env, cwd: home.project }, command);
    expect(ended.stdout.toString()).toBe('0\n');
    expect(ended.code).toBe(6);
    const place = { env: home.env, cwd: home.project };
    const status = await runStrobe(place, ['daemon', 'status']);
    expect(status.stdout.toString()).not.toContain('IGNORED');
  });

  test('[cli.run-job] a traced program that becomes another by exec goes on', async () => {
    const script = 'echo one; exec env -i A=two printenv A';
    for (let round = 0; round < 5; round++) {
      const ended = await runStrobe(
        { env: home.env, cwd: home.project },
        ['run', '--trace', 'libc.so.6!exec*', '--', 'sh', '-c', script],
        '',
        30_000,
      );
      expect(ended.stdout.toString()).toBe('one\ntwo\n');
      expect(ended.code).toBe(0);
    }
  });

  test('[cli.run-death] the death of the daemon costs neither the program nor its status', async () => {
    const { ended, go } = await started();
    const daemon = pidIn(/daemon\.js/);
    process.kill(daemon, 'SIGKILL');
    await until('the daemon is gone', () => !isAlive(daemon));
    go();
    expect((await ended).code).toBe(9);
  });

  test('[cli.run-death] the next daemon writes the report, and says what it may miss', async () => {
    const ended = runStrobe(
      { env: home.env, cwd: home.project },
      ['run', '--trace', 'clockwork::tick', '--', buildTarget('e2e/ticker.cpp')],
      '',
      80_000,
    );
    const client = await startClient(home);
    const session = await vi.waitFor(
      async () => {
        const { structured } = await client.ok('debug_session', { action: 'list', scope: 'all' });
        const running = listAt(structured, 'sessions').find(
          (one) => at(one, 'state') === 'running' && textAt(one, 'command').includes('ticker'),
        );
        return textAt(running, 'sessionId');
      },
      { timeout: 60_000 },
    );
    await client.ok('debug_session', {
      action: 'wait',
      sessionId: session,
      for: ['event'],
      match: 'clockwork::tick',
    });
    await client.close();
    const daemon = pidIn(/daemon\.js/);
    process.kill(daemon, 'SIGKILL');
    await until('there is another daemon', () =>
      processesWith(`STROBE_HOME=${home.path}`).some(
        ({ pid, command }) => pid !== daemon && command.includes('daemon.js'),
      ),
    );
    process.kill(pidIn(/^\S*ticker/), 'SIGTERM');
    const { code, stderr, stdout } = await ended;
    expect(stdout.toString()).toMatch(/stopped\n$/);
    expect(stderr).not.toContain('no report');
    expect(stderr).toMatch(/clockwork::tick/);
    expect(stderr).toMatch(/The daemon crashed\. A new one /);
    expect(code).toBe(0);
  });

  test('[cli.run-death] [session.supervisor-killed] a killed supervisor costs neither status nor report', async () => {
    const { ended, go } = await started();
    const supervisor = pidIn(/dist\/supervisor/);
    process.kill(supervisor, 'SIGKILL');
    await until('the supervisor is gone', () => !isAlive(supervisor));
    go();
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(9);
    expect(stderr).toMatch(/its standby took over/);
  });

  test('[cli.run-death] without strobe the program runs on, and its session has its end', async () => {
    const { ended, go } = await started();
    const client = await startClient(home);
    const strobe = pidIn(/client\.js run /);
    process.kill(strobe, 'SIGKILL');
    await until('strobe is gone', () => !isAlive(strobe));
    const mine = await client.ok('debug_session', { action: 'list' });
    expect(mine.text).toMatch(
      /^You have no sessions, \d+ of other clients\.\nnext:\n.*"scope":"all"/,
    );
    const list = await vi.waitFor(async () => {
      const all = await client.ok('debug_session', { action: 'list', scope: 'all' });
      expect(all.text).toContain('owned by a `strobe run`, which has gone');
      return all;
    });
    const [first] = listAt(list.structured, 'sessions');
    const status = await client.ok('debug_session', {
      action: 'status',
      sessionId: textAt(first, 'sessionId'),
    });
    expect(status.text).toContain('! The `strobe run` that started it has gone');
    expect(status.text).toMatch(/next:\n {2}debug_session \{"action":"stop",.*"takeOver":true/);
    go();
    expect((await ended).signal).toBe('SIGKILL');
    expect(await exitOf(client, textAt(first, 'sessionId'))).toEqual({ kind: 'exited', code: 9 });
  });
});

function strobePid(home: TestHome): number {
  const found = processesWith(`STROBE_HOME=${home.path}`).find((one) =>
    /client\.js run /.test(one.command),
  );
  if (!found) throw new Error('strobe run is not there');
  return found.pid;
}

/** proc_pid_stat(5) from the state on. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function stateOf(pid: number): string | undefined {
  return statOf(pid)[0];
}

/** Whether the group of this process is the one in front of its terminal. */
function hasTerminal(pid: number): boolean {
  const [, , group, , , front] = statOf(pid);
  return group === front;
}
