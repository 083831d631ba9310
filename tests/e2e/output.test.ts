import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { listAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('output, input and exit', () => {
  const { home, client } = withClient();

  test('[output.utf8] characters split between reads come out whole', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/utf8.c'));
    const lines = await linesOf(client, sessionId);
    const of = (stream: string) =>
      lines.filter((line) => line.stream === stream).map((line) => line.text);
    expect(of('stdout')).toEqual(['grüße 日本 🚀', 'bad \ufffd byte', 'no newline at the end: ü']);
    expect(of('stderr')).toEqual(['größe']);
  });

  test('[output.complete] every line is kept, in order, and can be paged through', async () => {
    const { sessionId, exit } = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '3000'],
    });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    for (const [stream, word] of [
      ['stdout', 'out'],
      ['stderr', 'err'],
    ] as const) {
      const lines = await linesOf(client, sessionId, { stream });
      expect(lines.map((line) => line.text)).toEqual(
        Array.from({ length: 3000 }, (_, i) => `${word} ${i + 1}`),
      );
    }
  });

  test('[output.tail] tail and match choose lines', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
      args: ['lines', '120'],
    });
    const tail = await client.ok('debug_query', {
      view: 'output',
      sessionId,
      stream: 'stdout',
      tail: 3,
    });
    expect(listAt(tail.structured, 'lines')).toMatchObject([
      { text: 'out 118' },
      { text: 'out 119' },
      { text: 'out 120' },
    ]);
    expect(await linesOf(client, sessionId, { match: 'ERR 11' })).toHaveLength(11);
    expect(await linesOf(client, sessionId, { match: '/^out 1\\d$/' })).toHaveLength(10);
  });

  const ends = [
    { args: ['exit', '0'], exit: { kind: 'exited', code: 0 } },
    { args: ['exit', '217'], exit: { kind: 'exited', code: 217 } },
    { args: ['signal', '11'], exit: { kind: 'signalled', signal: 'SIGSEGV', number: 11 } },
    { args: ['fault', '16'], exit: { kind: 'signalled', signal: 'SIGSEGV', number: 11 } },
    { args: ['signal', '6'], exit: { kind: 'signalled', signal: 'SIGABRT', number: 6 } },
    { args: ['signal', '9'], exit: { kind: 'signalled', signal: 'SIGKILL', number: 9 } },
  ];
  for (const traced of [false, true]) {
    for (const { args, exit } of ends) {
      test(`[exit.status] ${args.join(' ')} is told${traced ? ', traced' : ''}`, async () => {
        const run = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
          args,
          patterns: traced ? ['line'] : [],
        });
        expect(run.exit).toMatchObject(exit);
      });
    }
  }

  const inputs = [
    { name: 'closed', stdin: 'closed', lines: ['end of input after 0 characters'] },
    {
      name: 'text',
      stdin: { text: 'one\ntwö' },
      lines: ['got [one]', 'got [twö]', 'end of input after 7 characters'],
    },
    {
      name: 'base64',
      stdin: { base64: Buffer.from('drei\n').toString('base64') },
      lines: ['got [drei]', 'end of input after 4 characters'],
    },
  ];
  for (const { name, stdin, lines } of inputs) {
    test(`[stdin.given] the program reads its input (${name})`, async () => {
      const { sessionId } = await runToEnd(client, home, buildTarget('e2e/reader.c'), {
        stdin,
        patterns: ['answer'],
      });
      expect((await linesOf(client, sessionId)).map((line) => line.text)).toEqual(lines);
    });
  }

  test('[stdin.open] input is written while the program runs, and closed', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/reader.c'), {
      stdin: 'open',
    });
    await client.ok('debug_session', { action: 'input', sessionId, text: 'hello\n' });
    const first = await outputSeen(client, sessionId, 'got [hello]', undefined);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'bye\n', eof: true });
    await outputSeen(client, sessionId, 'got [bye]', first.cursor);
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 8 });
    const late = await client.refused('debug_session', {
      action: 'input',
      sessionId,
      text: 'too late\n',
    });
    expect(late.text).toMatch(/SESSION_ENDED|STDIN_CLOSED/);
  });

  test('[stdin.not-open] input to a program whose stdin is closed is refused with the next step', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'));
    const refused = await client.refused('debug_session', {
      action: 'input',
      sessionId,
      text: 'x',
    });
    expect(refused.text).toContain('STDIN_CLOSED');
    expect(refused.text).toContain('stdin');
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[launch.env] a script with a #! line is launched like a program', async () => {
    const script = join(home.project, 'hello');
    writeFileSync(script, '#!/bin/sh\necho "hello $1"; exit 6\n', { mode: 0o755 });
    const { sessionId, exit } = await runToEnd(client, home, script, { args: ['there'] });
    expect(exit).toEqual({ kind: 'exited', code: 6 });
    expect(await linesOf(client, sessionId)).toEqual([{ stream: 'stdout', text: 'hello there' }]);
  });

  test('[launch.env] a command on the PATH gets its arguments, cwd and environment', async () => {
    const { sessionId } = await runToEnd(client, home, 'sh', {
      args: ['-c', 'echo "$1|$COLOUR|$(pwd)"', 'sh', 'a b'],
      env: { COLOUR: 'grün' },
      cwd: '/usr',
    });
    expect(await linesOf(client, sessionId)).toEqual([{ stream: 'stdout', text: 'a b|grün|/usr' }]);
  });
});
