import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openHome, type TestHome } from '../../support/home.ts';
import { at } from '../../support/read.ts';
import { runProgram, type Ended } from '../../support/strobe.ts';
import { installStandIn, type StandInInstall } from './standInInstall.ts';

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

test('a newer client replaces an idle older daemon', async () => {
  await strobe(older, 'daemon', 'start');
  expect(await servingVersion()).toBe('0.9.0');
  const launched = await strobe(newer, 'launch', '--', 'app');
  expect([launched.code, launched.stderr]).toEqual([0, '']);
  expect(await servingVersion()).toBe('0.10.0');
});

test('a busy older daemon goes on serving, and the newer client says so', async () => {
  await strobe(older, 'launch', '--', 'app');
  const listed = await strobe(newer, 'session', 'list');
  expect([listed.code, listed.stdout.toString()]).toEqual([0, expect.stringMatching(/^app-/)]);
  expect(listed.stderr).toMatch(/^The daemon \(version 0\.9\.0, pid \d+\) is older/);
  expect(await servingVersion()).toBe('0.9.0');
});

test('an older client uses the newer daemon and says so', async () => {
  await strobe(newer, 'daemon', 'start');
  const launched = await strobe(older, 'launch', '--', 'app');
  expect(launched.code).toBe(0);
  expect(launched.stderr).toMatch(/is newer/);
  expect(await servingVersion()).toBe('0.10.0');
});
