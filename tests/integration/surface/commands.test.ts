import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome, type TestHome } from '../../support/home.ts';
import { at, listAt, textAt } from '../../support/read.ts';
import { runProgram, type Ended } from '../../support/strobe.ts';
import { installStandIn, type StandInInstall } from './standInInstall.ts';

let install: StandInInstall;
let home: TestHome;
beforeAll(async () => {
  install = await installStandIn();
  home = openHome();
});
afterAll(async () => {
  await strobe(['daemon', 'stop']);
  await home.close();
  install.close();
});

async function strobe(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return await runProgram({ env: { ...home.env, ...env }, cwd: home.project }, [
    process.execPath,
    install.client,
    ...args,
  ]);
}

test('consecutive commands share their sessions', async () => {
  expect((await strobe(['launch', '--', 'app', '-x', '--json'])).stdout.toString()).toContain(
    'with -x --json umask',
  );
  const listed: unknown = JSON.parse(
    (await strobe(['session', 'list', '--json'])).stdout.toString(),
  );
  expect(at(listed, 'sessions', 0, 'mine')).toBe(true);
  const stopped = await strobe(['session', 'stop']);
  expect([stopped.code, stopped.stdout.toString()]).toEqual([
    0,
    expect.stringMatching(/^stopped app-/),
  ]);
});

test('the exit status tells who has to act, and the message is on stderr', async () => {
  const cases: [string[], number, RegExp][] = [
    [['session', 'stop', 'nobody-2026'], 2, /^UNKNOWN_SESSION/],
    [['session', 'stop'], 3, /^NO_SESSION: .*\nNext: /],
    [['launch', '--', 'fault'], 70, /^INTERNAL/],
    [['query', '--limit', 'many'], 2, /^BAD_PARAMETER: --limit wants a number/],
    [['query', '--limit', '0'], 2, /^BAD_PARAMETER: limit: must be at least 1\.\nNext: Use 1\./],
    [['query', '--fucntion', 'x'], 2, /Did you mean --function\?/],
    [['qurey'], 2, /Did you mean "query"\?/],
    [['run', '--', 'nothing'], 127, /^strobe: PROGRAM_NOT_FOUND/],
    [['launch', './app'], 2, /Next: strobe launch -- \.\/app/],
    [['run'], 2, /^BAD_PARAMETER: No program/],
    [['daemon', 'stpo'], 2, /Did you mean "stop"\?/],
    [['daemon', 'constructor'], 2, /^BAD_PARAMETER: "constructor" is not an action/],
    [['daemon', 'stop', '--now'], 2, /^UNKNOWN_PARAMETER: --now .* strobe daemon stop\./],
    [['run', '--ouut'], 2, /^UNKNOWN_PARAMETER: --ouut .* Did you mean "--out"\?/],
    [['install', '--print', '--clinet', 'vscode'], 2, /^UNKNOWN_PARAMETER: --clinet .*\nNext: /],
    [['install', '--prnt'], 2, /Did you mean "--print"\?/],
    [['doctor', '-f'], 2, /^UNKNOWN_PARAMETER: -f is not an option of strobe doctor/],
    [['mcp', '--verbose'], 2, /^UNKNOWN_PARAMETER: --verbose is not an option of strobe mcp/],
    [['demo', 'fast'], 2, /^UNKNOWN_PARAMETER: fast is not an option of strobe demo/],
    [['version', '--long'], 2, /^UNKNOWN_PARAMETER: --long is not an option of strobe version/],
  ];
  for (const [args, code, message] of cases) {
    const ended = await strobe(args);
    expect([args, ended.code, ended.stdout.toString()]).toEqual([args, code, '']);
    expect(ended.stderr).toMatch(message);
  }
});

test('[bad.cwd] in a folder that was removed every command says so', async () => {
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@" 2>&1';
  for (const args of [['session', 'list'], ['run', '--', 'true'], ['doctor'], ['mcp']]) {
    const ended = await runProgram({ env: home.env, cwd: home.project }, [
      'sh',
      '-c',
      script,
      process.execPath,
      install.client,
      ...args,
    ]);
    expect([args, ended.code, ended.stdout.toString()]).toEqual([
      args,
      2,
      'NO_SUCH_DIRECTORY: The folder you are in was removed.\nNext: Go to one that exists: cd.\n',
    ]);
  }
});

test('--json answers errors as data too', async () => {
  const refused = await strobe(['session', 'stop', '--json']);
  expect(at(JSON.parse(refused.stdout.toString()), 'error', 'code')).toBe('NO_SESSION');
  expect(refused.stderr).toBe('');
});

test('[cli.daemon] start, status, logs and stop', async () => {
  expect((await strobe(['daemon', 'start'])).stdout.toString()).toMatch(
    /^The daemon runs: pid \d+/,
  );
  const status: unknown = JSON.parse(
    (await strobe(['daemon', 'status', '--json'])).stdout.toString(),
  );
  expect([at(status, 'running'), at(status, 'home')]).toEqual([true, home.path]);
  expect((await strobe(['daemon', 'logs'])).stdout.toString()).toContain('"msg":"serving"');
  expect((await strobe(['daemon', 'stop'])).stdout.toString()).toMatch(/has ended/);
  expect((await strobe(['daemon', 'status'])).stdout.toString()).toMatch(/^No daemon runs/);
});

test('[security.home] a folder that is open to others, or a path too long for a socket, is refused', async () => {
  const open = join(home.path, 'open');
  mkdirSync(open, { mode: 0o755 });
  chmodSync(open, 0o755);
  const refused = await strobe(['daemon', 'start'], { STROBE_HOME: open });
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(/^UNSAFE_HOME: .* is open to others \(mode 755\)/),
  ]);
  const long = join(home.path, 'x'.repeat(120));
  const tooLong = await strobe(['daemon', 'start'], { STROBE_HOME: long });
  expect([tooLong.code, tooLong.stderr]).toEqual([5, expect.stringMatching(/^PATH_TOO_LONG/)]);
  rmSync(open, { recursive: true });
});

test('[cli.help] every command explains itself, however it is asked', async () => {
  const commands = [
    'launch',
    'run',
    'daemon',
    'mcp',
    'doctor',
    'install',
    'demo',
    'version',
    'top',
  ];
  for (const name of commands) {
    const asked = await strobe([name, '--help']);
    expect([name, asked.code, asked.stderr]).toEqual([name, 0, '']);
    expect(asked.stdout.toString()).toMatch(`Usage: strobe ${name}`);
    expect((await strobe(['help', name])).stdout.toString()).toBe(asked.stdout.toString());
  }
});

test('[cli.install] prints what a client needs, and names the nearest of one it does not know', async () => {
  const printed = await strobe(['install', 'vscode', '--print']);
  expect(at(JSON.parse(printed.stdout.toString()), 'servers', 'strobe', 'args')).toEqual(['mcp']);
  for (const [name, meant] of [
    ['vscod', ' Did you mean "vscode"?'],
    ['constructor', ''],
  ]) {
    const refused = await strobe(['install', name ?? '']);
    expect(refused.stderr).toContain(`BAD_PARAMETER: "${name}" is not a known client.${meant}\n`);
    expect(refused.code).toBe(2);
  }
});

test('doctor names every part of the installation that is missing', async () => {
  const { stdout, code } = await strobe(['doctor', '--json']);
  const findings = listAt(JSON.parse(stdout.toString()), 'findings');
  const found = findings.find((one) => at(one, 'what') === 'installation');
  for (const part of ['engine.so', 'packWorker.js', 'exportWorker.js', 'spotter', 'host.so'])
    expect(textAt(found, 'detail')).toContain(join(dirname(install.client), part));
  expect(code).toBe(5);
});
