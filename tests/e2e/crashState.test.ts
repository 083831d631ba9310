import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../support/tokens.ts';
import type { TestClient } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { Running } from '../support/running.ts';
import { runToEnd, statusSays } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

/** The line of a section, which the structured form must hold as well. */
async function crashOf(
  client: TestClient,
  sessionId: string,
): Promise<{
  readonly text: string;
  readonly structured: unknown;
  readonly section: (title: string) => string;
}> {
  const { text, structured } = await client.ok('debug_query', { view: 'crash', sessionId });
  expect(countTokens(text)).toBeLessThanOrEqual(1500);
  return {
    text,
    structured,
    section: (title) => {
      const found = listAt(structured, 'story').find((part) => at(part, 'title') === title);
      const lines = listAt(found, 'lines').join('\n');
      expect(text).toContain(`${title}:\n${lines}`);
      return lines;
    },
  };
}

describe('the state of a program that crashed', () => {
  const { home, client } = withClient();

  const registers = [
    /\br12 0x[0-9a-f]+000 \(the fault address − 0x20\)/,
    / r13 0x1234 /,
    /\br14 0x0( |$)/,
    /\br15 0xf{16}( |$)/,
  ];
  // Memory of Frida's may lie against the program's own.
  const memory =
    /^ {2}fault address 0x[0-9a-f]+020: not mapped; 0x20 bytes behind anonymous rw-p [\d,]+ KB, 0xfe0 bytes before anonymous r--p 4 KB\n {2}pc 0x[0-9a-f]+: behind r-xp 4 KB\n {2}sp 0x[0-9a-f]+: \[stack\] rw-p [\d,]+ KB$/;

  test('[crash.state] registers, places in the memory map and open files, those beyond what is shown counted', async () => {
    const program = buildTarget('crash/behind.c');
    const { sessionId, exit } = await runToEnd(client, home, program, {
      args: ['100'],
      patterns: ['scribble'],
      projectRoot: dirname(program),
      cwd: home.project,
      stdin: 'closed',
    });
    expect(exit).toMatchObject({ signal: 'SIGSEGV' });
    const { section, structured } = await crashOf(client, sessionId);
    for (const words of registers) expect(section('registers')).toMatch(words);
    expect(section('memory')).toMatch(memory);
    const fault = { signal: 'SIGSEGV', code: 1, meaning: 'the address is not mapped' };
    expect(at(structured, 'fault')).toMatchObject(fault);
    expect(textAt(at(structured, 'fault'), 'address')).toMatch(/^0x\w+020$/);
    const events = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['crash'],
    });
    const [event, ...others] = listAt(events.structured, 'events');
    expect(others).toEqual([]);
    expect(event).toMatchObject({ eventType: 'crash', ...fault });
    expect(at(event, 'address')).toBe(at(at(structured, 'fault'), 'address'));
    const files = section('open files');
    expect(files).toMatch(
      /^ {2}0 \/dev\/null · 1 pipe:\[\d+\] · 2 pipe:\[\d+\] · 3 \S+\/notes\.txt/,
    );
    // Both ends of the pipe and the copies of one of them are one thing; what is ours is left out.
    expect(files).toMatch(/· 4, 5, 7–31, \d+–\d+ pipe:\[\d+\] · 6 socket:\[\d+\] · 43 more$/);
  });

  test('[crash.state] of a program that may open no further file', async () => {
    const program = buildTarget('crash/exhausted.c', ['-O0', '-pthread']);
    const { sessionId, exit } = await runToEnd(client, home, program, {
      projectRoot: dirname(program),
      patterns: ['first_letter'],
    });
    expect(exit).toMatchObject({ signal: 'SIGSEGV' });
    const { text, section } = await crashOf(client, sessionId);
    expect(text).toMatch(
      /^CRASH SIGSEGV in first_letter .*: null pointer: text\[3\] at null \+ 0x3/m,
    );
    expect(text).toContain('#1 main()');
    expect(section('other threads')).toMatch(/thread waiter \(\d+\) in pause: wait_for_ever/);
    expect(section('memory')).toMatch(/pc 0x\w+: exhausted r-xp/);
    expect(section('open files')).toMatch(/ 4–31, \d+–\d+ \/dev\/zero · 130 more$/);
  });

  test('[crash.state] of a process that was attached to', async () => {
    await using late = await Running.start(buildTarget('crash/late.c'), [], 'ready');
    const launched = await client.ok('debug_launch', { pid: late.pid, patterns: ['fall'] });
    const sessionId = textAt(launched.structured, 'sessionId');
    late.write('go\n');
    expect(await late.ended()).toEqual({ code: null, signal: 'SIGSEGV' });
    await statusSays(client, sessionId, /CRASHED: SIGSEGV in fall/);
    const { section } = await crashOf(client, sessionId);
    expect(section('memory')).toMatch(/fault address 0x0: not mapped, the first page/);
    const files = section('open files');
    expect(files).toMatch(/ 3 \/dev\/zero/);
    expect(files).not.toContain('anon_inode');
  });

  test('[crash.state] of a child that is executed, and of one that was forked', async () => {
    const program = join(home.project, 'behind');
    copyFileSync(buildTarget('crash/behind.c'), program);
    const { sessionId } = await runToEnd(client, home, 'sh', {
      args: ['-c', './behind; true'],
      patterns: ['scribble'],
    });
    const { section } = await crashOf(client, sessionId);
    for (const words of registers) expect(section('registers')).toMatch(words);
    expect(section('memory')).toMatch(memory);
    expect(section('open files')).toMatch(
      /^ {2}0 \S+ · 1 pipe:\[\d+\] · 2 pipe:\[\d+\] · \d notes\.txt · \d, \d pipe:\[\d+\] · \d socket:\[\d+\]$/,
    );
    const forked = await runToEnd(client, home, buildTarget('crash/forkedBehind.c'), {
      patterns: ['fall'],
    });
    const child = await crashOf(client, forked.sessionId);
    expect(child.text).toContain('in fall (forkedBehind.c:');
    expect(child.section('open files')).toMatch(
      /^ {2}0 \S+ · 1 pipe:\[\d+\] · 2 pipe:\[\d+\] · 3 \/dev\/zero$/,
    );
  });

  itNeeds(
    'gdb',
    '[crash.state] of a core file: the same, but for the open files, which it says it does not hold',
    async () => {
      const program = buildTarget('crash/behind.c');
      const core = join(home.path, 'behind.core');
      const commands = ['run', `generate-core-file ${core}`, 'info registers', 'kill'];
      const args = ['--batch', '-nx', ...commands.flatMap((text) => ['-ex', text]), program];
      const shown = spawnSync('gdb', args, {
        cwd: home.project,
        timeout: 60_000,
        encoding: 'utf8',
      });
      const theirs = [...shown.stdout.matchAll(/^(r[a-z0-9]+) +(0x[0-9a-f]+)/gm)];
      expect(theirs).toHaveLength(17);
      const launched = await client.ok('debug_launch', {
        command: program,
        core,
        projectRoot: dirname(program),
      });
      const sessionId = textAt(launched.structured, 'sessionId');
      const { text, section } = await crashOf(client, sessionId);
      const ours = section('registers')
        .split(' · ')
        .flatMap((one) => {
          const [, names = '', value = ''] = /^ *((?:\w+ = )*\w+) (0x\w+)/.exec(one) ?? [];
          return names.split(' = ').map((name) => `${name} ${value}`);
        });
      expect(new Set(ours)).toEqual(new Set(theirs.map(([, name, value]) => `${name} ${value}`)));
      expect(section('memory')).toMatch(/fault address 0x\w+020: not mapped; 0x20 bytes behind/);
      expect(text).toContain('A core file does not tell which files were open.');
      expect(text).not.toContain('open files:');
    },
  );

  test('[crash.story] what a program wrote to stderr before a sanitizer’s report is not lost in it, and the twin of wait mentions the crash', async () => {
    const program = buildTarget('crash/warned.c', ['-O0', '-fsanitize=address']);
    const { sessionId } = await runToEnd(client, home, program, {
      projectRoot: dirname(program),
      patterns: ['spent'],
    });
    const { text, section } = await crashOf(client, sessionId);
    expect(text).toContain('it said: AddressSanitizer: heap-use-after-free');
    // The order of two streams is not known.
    const lines = section('last output').split('\n');
    expect(lines.filter((line) => line.includes('stderr|'))).toEqual([
      '  stderr| warning: closing account 7',
      '  stderr| warning: asked for account 7',
    ]);
    expect(lines).toHaveLength(3);
    const faulty = await runToEnd(client, home, buildTarget('crash/behind.c'), {
      patterns: ['scribble'],
    });
    const waited = await client.ok('debug_session', {
      action: 'wait',
      sessionId: faulty.sessionId,
      for: ['exit'],
    });
    expect(waited.text).toContain('! CRASHED: SIGSEGV in scribble (behind.c:18)');
    expect(listAt(waited.structured, 'notes')).toEqual([
      expect.stringContaining('CRASHED: SIGSEGV in scribble (behind.c:18)'),
    ]);
  });
});
