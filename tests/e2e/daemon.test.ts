import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startClient } from '../support/client.ts';
import { partOf } from '../support/parts.ts';
import { isAlive, processesWith, until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

test('[daemon.idle] it stays while a session lives without its client, and ends after it', async () => {
  const place = testHome({ STROBE_DAEMON_IDLE_MINUTES: '0.01' });
  const client = await startClient(place);
  const { sessionId, structured } = await launch(client, place, buildTarget('e2e/ticker.cpp'), {
    patterns: ['tick'],
    onClientExit: 'keep',
  });
  const daemon = partOf(place, 'daemon');
  await client.close();
  // The idle limit is 0.6 s: many of them pass until the program has said so much.
  const watcher = await startClient(place);
  await outputSeen(watcher, sessionId, 'round 30');
  await watcher.close();
  expect(isAlive(daemon)).toBe(true);
  process.kill(numberAt(structured, 'pid'), 'SIGTERM');
  await until('the daemon has ended', () => !isAlive(daemon));
  await until('all has ended', () => processesWith(`STROBE_HOME=${place.path}`).length === 0);
  expect(existsSync(join(place.path, 'daemon.sock'))).toBe(false);
  expect(readdirSync(join(place.path, 'sessions'))).toEqual([sessionId]);
});

test('[cli.daemon] status tells pid, version, time, sessions, memory, home and socket; logs and options are checked', async () => {
  const place = testHome();
  const strobe = async (...args: string[]) =>
    await runStrobe({ env: place.env, cwd: place.project }, ['daemon', ...args]);
  const client = await startClient(place);
  await launch(client, place, buildTarget('e2e/ticker.cpp'), { patterns: ['tick'] });
  const status: unknown = JSON.parse((await strobe('status', '--json')).stdout.toString());
  expect(status).toMatchObject({
    running: true,
    pid: partOf(place, 'daemon'),
    home: place.path,
    socket: join(place.path, 'daemon.sock'),
    log: join(place.path, 'daemon.log'),
    busy: true,
    endsInMs: null,
    problems: [],
    sessions: { running: 1, stored: 1 },
  });
  expect(numberAt(status, 'memoryBytes')).toBeGreaterThan(20e6);
  const children = listAt(status, 'children').map((one) => textAt(one, 'name'));
  expect(children).toEqual(expect.arrayContaining(['host', 'supervisor']));
  expect(numberAt(status, 'sessions', 'storedBytes')).toBeGreaterThan(0);

  const text = (await strobe()).stdout.toString();
  expect(text).toMatch(/^daemon {4}version \S+, pid \d+, up \d+ s$/m);
  expect(text).toMatch(/^sessions {2}1 running, 1 on disk, [\d.]+ MB$/m);
  expect(text).toMatch(/^memory {4}daemon \d+ MB, (host|supervisor) \d+: [\d.]+ MB, /m);
  expect(text).toMatch(/^idle end {2}not while it is needed$/m);

  expect((await strobe('logs', '--all')).stdout.toString()).toContain('"msg":"serving"');
  expect((await strobe('--help')).stdout.toString()).toMatch(/^Usage: strobe daemon/);
  const wrong = await strobe('logs', '--al');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/Did you mean "--all"\?/)]);
  await client.close();
  expect((await strobe('stop')).stdout.toString()).toMatch(/has ended/);
  expect(at(JSON.parse((await strobe('status', '--json')).stdout.toString()), 'running')).toBe(
    false,
  );
});

test('[cli.doctor] an open home and what a cut start left are put right, once', async () => {
  const place = testHome();
  const doctor = async (...args: string[]) =>
    await runStrobe({ env: place.env, cwd: place.project }, ['doctor', '--quick', ...args]);
  const marker = join(place.path, 'daemon.starting');
  writeFileSync(marker, '');
  utimesSync(marker, 1, 1);
  const settings = join(place.path, 'settings.json');
  writeFileSync(settings, '{}');
  chmodSync(settings, 0o644);
  const notes = join(place.path, 'notes.txt');
  writeFileSync(notes, 'the user’s');
  chmodSync(notes, 0o644);
  chmodSync(place.path, 0o755);
  const found = await doctor();
  expect(found.code).toBe(5);
  expect(found.stdout.toString()).toMatch(
    /^✗ home +UNSAFE_HOME: .* is open to others \(mode 755\)/m,
  );

  const fixed: unknown = JSON.parse((await doctor('--fix', '--json')).stdout.toString());
  expect(listAt(fixed, 'fixed')).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^closed .* to others \(its mode was 755\)$/),
      expect.stringMatching(/^closed .*settings\.json to others \(its mode was 644\)$/),
      expect.stringMatching(/^removed .*daemon\.starting/),
    ]),
  );
  expect(listAt(fixed, 'findings').find((one) => at(one, 'what') === 'home')).toMatchObject({
    state: 'ok',
  });
  const modes = [place.path, settings, notes].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o644]);
  expect(existsSync(marker)).toBe(false);
  expect(listAt(JSON.parse((await doctor('--fix', '--json')).stdout.toString()), 'fixed')).toEqual(
    [],
  );
  const wrong = await doctor('--fiks');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/Did you mean "--fix"\?/)]);
});

test('[cli.doctor] another Frida than the pinned one is told, with the next step', async () => {
  const place = testHome();
  const runtime = join(place.path, 'runtime');
  const pinned = readdirSync(runtime).find((name) => name.startsWith('frida-')) ?? '';
  rmSync(runtime);
  const frida = async (): Promise<unknown[]> => {
    const doctor = ['doctor', '--quick', '--json'];
    const { stdout, code } = await runStrobe({ env: place.env, cwd: place.project }, doctor);
    const findings = listAt(JSON.parse(stdout.toString()), 'findings');
    const found = findings.find((one) => at(one, 'what') === 'frida');
    return [at(found, 'state'), at(found, 'detail'), code];
  };
  const version = pinned.slice('frida-'.length);
  mkdirSync(join(runtime, 'frida-16.0.1', 'frida-16.0.1.dist-info'), { recursive: true });
  expect(await frida()).toEqual([
    'warning',
    `${version} is not in ${runtime} yet (there: frida-16.0.1); it is installed at the first traced launch`,
    0,
  ]);
  mkdirSync(join(runtime, pinned, 'frida-16.0.1.dist-info'), { recursive: true });
  expect(await frida()).toEqual([
    'problem',
    expect.stringContaining(`${pinned} holds 16.0.1 in place of ${version}. Remove the folder`),
    5,
  ]);
  rmSync(runtime, { recursive: true });
  mkdirSync(join(runtime, pinned, `${pinned}.dist-info`), { recursive: true });
  expect(await frida()).toEqual(['ok', `${version} in ${runtime}`, 0]);
});
