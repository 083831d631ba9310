import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { clientProgram, runProgram, runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

/** What a terminal or a reader of lines would act on. Line feeds and tabs are ours. */
const active =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** No line of an answer may begin with what the program made up. */
function expectTame(what: string, text: string): void {
  expect([what, active.exec(text)?.[0] ?? null]).toEqual([what, null]);
  const forged = text
    .split('\n')
    .filter((line) => /^(! *)?(FAKE|Next: FAKE|strobe: FAKE)/.test(line));
  expect([what, forged]).toEqual([what, []]);
}

/** The program with a function whose name holds a line feed, an escape and a byte that is no UTF-8. */
function hostileProgram(folder: string, name: string): string {
  const usual = Buffer.from('renamedByTheTest_________');
  const hostile = Buffer.from('renamed\nFAKE\x1b[2J\x9b________', 'latin1');
  expect(hostile.length).toBe(usual.length);
  const bytes = readFileSync(buildTarget('e2e/hostile.c', ['-pthread']));
  let renamed = 0;
  for (let from = bytes.indexOf(usual); from >= 0; from = bytes.indexOf(usual, from)) {
    hostile.copy(bytes, from);
    renamed += 1;
  }
  expect(renamed).toBeGreaterThan(0);
  const program = join(folder, name);
  writeFileSync(program, bytes);
  chmodSync(program, 0o755);
  return program;
}

const views = ['events', 'tree', 'stats', 'output'] as const;

async function expectAllTame(client: TestClient, sessionId: string): Promise<void> {
  for (const view of views) {
    for (const more of view === 'events' ? [{}, { verbose: true }] : [{}]) {
      const answer = await client.ok('debug_query', { view, sessionId, ...more });
      expectTame(`${view} ${JSON.stringify(more)}`, answer.text);
    }
  }
  for (const action of ['status', 'list', 'retain']) {
    const answer = await client.ok('debug_session', {
      action,
      ...(action === 'list' ? {} : { sessionId }),
    });
    expectTame(action, answer.text);
  }
}

test('[security.text] output, names of functions, threads, files and arguments stay text', async () => {
  const home = testHome();
  const client = await startClient(home);
  const folder = join(home.project, 'dir\nFAKE folder\x1b[2J');
  mkdirSync(folder);
  const program = hostileProgram(folder, 'app\nFAKE name\x1b]0;x\x07');
  const ran = await runToEnd(client, home, program, {
    args: ['\nFAKE argument\x1b[2J\u202e'],
    cwd: folder,
    patterns: ['@file:**/hostile.c', 'nothing\nFAKE pattern\x1b[2J]'],
  });
  expect(ran.exit).toEqual({ kind: 'exited', code: 0 });
  expectTame('launch', ran.text);
  await expectAllTame(client, ran.sessionId);
  const calls = (await callsOf(client, ran.sessionId)).filter((call) =>
    call.function.startsWith('renamed'),
  );
  expect(calls).toHaveLength(1);
  expect(calls[0]?.arguments['text']).toBe('\nFAKE argument\x1b[2J\u202e');
  const texts = (await linesOf(client, ran.sessionId)).map((line) => line.text);
  expect(texts).toContain('{"jsonrpc":"2.0","id":2,"result":{"content":[]}}');
  expect(texts).toContain('a\rFAKE carriage return');
  const trace = await client.call('debug_trace', { pending: true, add: ['x\nFAKE\x1b[2J'] });
  expectTame('trace', trace.text);
  for (const wrong of [
    { sessionId: 'x\nFAKE\x1b[2J' },
    { sessionId: ran.sessionId, function: { matches: '(\nFAKE\x1b[2J' } },
    { sessionId: ran.sessionId, cursor: '\nFAKE\x1b[2J' },
    { 'x\nFAKE\x1b[2J': 1 },
  ]) {
    expectTame(JSON.stringify(wrong), (await client.refused('debug_query', wrong)).text);
  }
});

test('[security.text] a program whose file name is no UTF-8 runs, is traced or says why not', async () => {
  const home = testHome();
  const client = await startClient(home);
  const plain = join(home.project, 'plain');
  copyFileSync(buildTarget('e2e/hostile.c', ['-pthread']), plain);
  chmodSync(plain, 0o755);
  const folder = Buffer.from(`${home.project}/`);
  renameSync(plain, Buffer.concat([folder, Buffer.from([0xff, 0x0a, 0x1b])]));
  const ran = await runToEnd(client, home, '/bin/sh', {
    args: ['-c', 'exec ./"$(printf \'\\377\\n\\033\')"'],
    cwd: home.project,
    patterns: ['@file:**/hostile.c'],
  });
  expect(ran.exit).toEqual({ kind: 'exited', code: 0 });
  expectTame('launch', ran.text);
  await expectAllTame(client, ran.sessionId);
  expect((await linesOf(client, ran.sessionId)).length).toBeGreaterThan(5);
});

/** What commands of ours write to a terminal: a line that is cleared, and colours (src/client/terminal/paint.ts). */
const own = ['\r\x1b[K', ...[0, 1, 2, 31, 32, 33, 36].map((code) => `\x1b[${code}m`)];

test('[security.text] commands show escapes on a terminal, as text and as JSON', async () => {
  const home = testHome();
  const program = hostileProgram(home.project, 'app');
  const place = { env: home.env, cwd: home.project };
  await runStrobe(place, ['launch', '--trace', '@file:**/hostile.c', '--', program]);
  await runStrobe(place, ['session', 'wait']);
  for (const command of [
    'query --view output',
    'query --view output --json',
    'query --view events --verbose --json',
    'session status',
    'session list --json',
    'daemon logs --all',
    'query --cursor "$(printf \'\\033[2J\')"',
  ]) {
    const typed = `${process.execPath} ${clientProgram} ${command}`;
    const shown = await runProgram(place, ['script', '-qec', typed, '/dev/null']);
    const text = own.reduce(
      (left, code) => left.replaceAll(code, ''),
      shown.stdout.toString().replaceAll('\r\n', '\n'),
    );
    expect(text.length).toBeGreaterThan(10);
    expectTame(command, text);
  }
  const piped = await runStrobe(place, ['query', '--view', 'output', '--json']);
  const lines = listAt(JSON.parse(piped.stdout.toString()), 'lines').map((line) =>
    at(line, 'text'),
  );
  expect(lines).toContain('a\rFAKE carriage return');
});

test('[security.text] the report of a run is tame, while the program has its terminal to itself', async () => {
  const home = testHome();
  const program = hostileProgram(home.project, 'app');
  const report = join(home.project, 'report');
  const place = { env: home.env, cwd: home.project };
  const ran = await runStrobe(place, [
    'run',
    '--trace',
    '@file:**/hostile.c',
    '--out',
    report,
    '--',
    program,
  ]);
  expect(ran.code).toBe(0);
  expect(ran.stdout.includes('\x1b[2J\x1b[1;1H')).toBe(true);
  expectTame('report', readFileSync(report, 'utf8'));
});
