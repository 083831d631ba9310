import { describe, expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { isAlive, until } from '../support/processes.ts';
import { textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('a program in a terminal of its own', () => {
  const { home, client } = withClient();

  const type = async (sessionId: string, text: string, eof = false): Promise<string> =>
    (await client.ok('debug_session', { action: 'input', sessionId, text, eof })).text;
  const texts = async (sessionId: string): Promise<string[]> =>
    (await linesOf(client, sessionId)).map((line) => line.text);

  for (const patterns of [[], ['heard']]) {
    const how = patterns.length > 0 ? ', traced' : '';
    test(`[launch.tty] it has size, colours and a keyboard with Ctrl-C and the end of input${how}`, async () => {
      const launched = await launch(client, home, buildTarget('e2e/terminal.c'), {
        tty: true,
        patterns,
        env: { COLUMNS: '132', LINES: '50', TERM: 'xterm-256color' },
      });
      const { sessionId } = launched;
      expect(launched.text).toMatch(/pseudo-terminal: stdout and stderr are one stream/);
      const ready = await outputSeen(client, sessionId, 'on stderr');
      expect(await type(sessionId, 'grüße\n')).toMatch(/8 bytes typed into its terminal\./);
      const heard = await outputSeen(client, sessionId, '[grüße]', ready.cursor);
      await type(sessionId, '\x03');
      await outputSeen(client, sessionId, 'interrupted', heard.cursor);
      expect(await type(sessionId, 'half', true)).toMatch(/end of input \(Ctrl-D\)/);
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 7 });
      const lines = await linesOf(client, sessionId);
      expect(lines.map((line) => line.stream)).toEqual(lines.map(() => 'stdout'));
      expect(lines.map((line) => line.text)).toEqual([
        'tty 111 132x50 TERM=xterm-256color leader 1 foreground 1 named',
        'on stderr',
        'grüße',
        '\x1b[32mheard\x1b[0m [grüße]',
        '^Cinterrupted',
        'half\x1b[32mheard\x1b[0m [half]',
        'end after 11',
      ]);
      const calls = await callsOf(client, sessionId);
      expect(calls.map((call) => call.arguments['line'])).toEqual(
        patterns.length > 0 ? ['grüße', 'half'] : [],
      );
    });
  }

  test('[launch.tty] without a size or a type it is 80x24 and has colours; given input is typed', async () => {
    const { sessionId, exit } = await runToEnd(client, home, 'env', {
      args: ['sh', '-c', 'stty size; echo $TERM; cat'],
      envMode: 'replace',
      env: { PATH: '/usr/bin:/bin' },
      tty: true,
      stdin: { text: 'one\ntwo' },
    });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    // What is typed early is echoed wherever the output is just then.
    const all = (await texts(sessionId)).join('\n');
    for (const part of ['24 80', 'xterm-256color', 'one\n', 'two']) expect(all).toContain(part);
  });

  test('[launch.tty] an interactive shell has job control; stop ends what it left in the background', async () => {
    const { sessionId } = await launch(client, home, 'bash', {
      args: ['--norc', '--noediting', '-i'],
      env: { PS1: '> ', HISTFILE: '' },
      tty: true,
    });
    await type(sessionId, 'sleep 300 & echo "job $!"\n');
    const job = await outputSeen(client, sessionId, 'job ');
    await type(sessionId, "sed -u 's/^/got /'\n");
    await type(sessionId, 'one\n');
    const front = await outputSeen(client, sessionId, 'got one', job.cursor);
    await type(sessionId, '\x1a');
    const stopped = await outputSeen(client, sessionId, 'Stopped', front.cursor);
    await type(sessionId, 'fg\n');
    await type(sessionId, 'two\n');
    const again = await outputSeen(client, sessionId, 'got two', stopped.cursor);
    await type(sessionId, '\x03');
    // Until it is dead, sed may still read what is typed, as at any terminal.
    const back = await outputSeen(client, sessionId, '> ', again.cursor);
    await type(sessionId, 'echo "status $?"\n');
    await outputSeen(client, sessionId, 'status 130', back.cursor);
    const pid = Number(/^job (\d+)/m.exec((await texts(sessionId)).join('\n'))?.[1]);
    expect(isAlive(pid)).toBe(true);
    await client.ok('debug_session', { action: 'stop', sessionId, graceMs: 500 });
    await until('the job in the background has ended', () => !isAlive(pid));
  });

  test('[launch.tty] strobe launch --tty does the same', async () => {
    const program = buildTarget('e2e/terminal.c');
    const launched = await runStrobe({ env: home.env, cwd: home.project }, [
      'launch',
      '--json',
      '--tty',
      '--env',
      'TERM=vt100',
      '--',
      program,
    ]);
    const sessionId = textAt(JSON.parse(launched.stdout.toString()), 'sessionId');
    const { line } = await outputSeen(client, sessionId, 'tty 111');
    expect(line).toContain('TERM=vt100');
    await client.ok('debug_session', { action: 'stop', sessionId, takeOver: true });
  });
});
