import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openHome, type TestHome } from '../../support/home.ts';
import { at, listAt, textAt } from '../../support/read.ts';
import { runProgram, type Ended } from '../../support/strobe.ts';
import { installStandIn, type StandInInstall } from './standInInstall.ts';
import { Wire } from './wire.ts';

let older: StandInInstall;
let newer: StandInInstall;
let home: TestHome;
beforeAll(async () => {
  older = await installStandIn('0.9.0');
  newer = await installStandIn('0.10.0');
});
afterAll(() => {
  older.close();
  newer.close();
});
beforeEach(() => {
  home = openHome();
});
afterEach(async () => {
  await strobe(older, 'daemon', 'stop');
  await home.close();
});

async function strobe(install: StandInInstall, ...args: readonly string[]): Promise<Ended> {
  const place = { env: home.env, cwd: home.project };
  return await runProgram(place, [process.execPath, install.client, ...args]);
}

async function servingVersion(): Promise<unknown> {
  const status = await strobe(newer, 'daemon', 'status', '--json');
  return at(JSON.parse(status.stdout.toString()), 'version');
}

test('[daemon.versions] a newer client replaces an idle older daemon', async () => {
  await strobe(older, 'daemon', 'start');
  expect(await servingVersion()).toBe('0.9.0');
  const launched = await strobe(newer, 'launch', '--', 'app');
  expect([launched.code, launched.stderr]).toEqual([0, '']);
  expect(await servingVersion()).toBe('0.10.0');
});

test('[daemon.versions] a busy older daemon goes on serving, and the newer client says so', async () => {
  await strobe(older, 'launch', '--', 'app');
  const listed = await strobe(newer, 'session', 'list');
  expect([listed.code, listed.stdout.toString()]).toEqual([0, expect.stringMatching(/^app-/)]);
  expect(listed.stderr).toMatch(/^The daemon \(version 0\.9\.0, pid \d+\) is older/);
  expect(await servingVersion()).toBe('0.9.0');
});

test('[daemon.versions] an older client uses the newer daemon and says so', async () => {
  await strobe(newer, 'daemon', 'start');
  const launched = await strobe(older, 'launch', '--', 'app');
  expect(launched.code).toBe(0);
  expect(launched.stderr).toMatch(/is newer/);
  expect(await servingVersion()).toBe('0.10.0');
});

const launch = { command: 'app', projectRoot: '/' };

function texts(answer: unknown): string[] {
  return listAt(answer, 'result', 'content')
    .filter((part) => at(part, 'type') === 'text')
    .map((part) => textAt(part, 'text'));
}

test('[daemon.versions] clients that only are there do not keep an older daemon; they go on with the next', async () => {
  const waiting = new Wire(older.client, home.env, home.project);
  await waiting.initialize(1);
  waiting.call(2, 'debug_session', { action: 'list' });
  await waiting.answer(2);
  expect(await servingVersion()).toBe('0.9.0');

  const fresh = new Wire(newer.client, home.env, home.project);
  await fresh.initialize(1);
  fresh.call(2, 'debug_launch', launch);
  expect(texts(await fresh.answer(2))).toHaveLength(1);
  expect(await servingVersion()).toBe('0.10.0');

  waiting.call(3, 'debug_session', { action: 'list', scope: 'all' });
  const [list, note] = texts(await waiting.answer(3));
  expect(list).toMatch(/^app-/);
  expect(note).toMatch(/^! The daemon \(version 0\.10\.0, pid \d+\) is newer than this command/);
  await fresh.close();
  await waiting.close();
});

test('[daemon.versions] a coding agent is told once, in both forms, that the daemon is older and in use', async () => {
  const old = new Wire(older.client, home.env, home.project);
  await old.initialize(1);
  old.call(2, 'debug_launch', launch);
  await old.answer(2);

  const fresh = new Wire(newer.client, home.env, home.project);
  await fresh.initialize(1);
  fresh.call(2, 'debug_session', { action: 'list', scope: 'all' });
  const first = await fresh.answer(2);
  const expected = /The daemon \(version 0\.9\.0, pid \d+\) is older than this command and in use/;
  expect(texts(first)).toEqual([expect.stringMatching(/^app-/), expect.stringMatching(expected)]);
  expect(listAt(first, 'result', 'structuredContent', 'notes')).toEqual([
    expect.stringMatching(expected),
  ]);
  fresh.call(3, 'debug_session', { action: 'list', scope: 'all' });
  expect(texts(await fresh.answer(3))).toHaveLength(1);
  // What the older daemon has is what is listed from then on.
  fresh.send({ id: 4, method: 'tools/list' });
  expect(listAt(await fresh.answer(4), 'result', 'tools').length).toBeGreaterThan(3);
  await old.close();
  await fresh.close();
});
