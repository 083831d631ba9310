import { closeSync, openSync, readdirSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openHome, type TestHome } from '../support/home.ts';
import { processesWith, until } from '../support/processes.ts';
import { at } from '../support/read.ts';
import { outputSeen, runToEnd, statusSays } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { expectContinued, startTicker } from '../support/ticker.ts';

const HOUR = 3600;
const MONTH = 30 * 24 * HOUR;

/** A home whose daemon has clocks of its own (targets/e2e/clockShift.c). */
class ShiftedHome {
  readonly home: TestHome;
  readonly #file: string;

  private constructor(settings: Readonly<Record<string, string>>) {
    this.home = openHome(settings);
    onTestFinished(async () => this.home.close());
    this.#file = join(this.home.project, 'shift');
    writeFileSync(this.#file, Buffer.alloc(16));
  }

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<ShiftedHome> {
    const shifted = new ShiftedHome(settings);
    const { home } = shifted;
    const flags = ['-shared', '-fPIC'];
    const preload = buildTarget('e2e/clockShift.c', flags, 'libclockShift.so');
    const env = { ...home.env, LD_PRELOAD: preload, CLOCK_SHIFT: shifted.#file };
    const started = await runStrobe({ env, cwd: home.project }, ['daemon', 'start']);
    expect([started.code, started.stderr]).toEqual([0, '']);
    return shifted;
  }

  /** Seconds by which wall clock and time since boot go wrong, for all to see at once. */
  set({ wall, boot }: { readonly wall: number; readonly boot: number }): void {
    const file = openSync(this.#file, 'r+'); // the same file: it is mapped
    writeSync(file, new BigInt64Array([BigInt(wall), BigInt(boot)]));
    closeSync(file);
  }
}

test('[daemon.clock] set forward or back it costs no session, no call and no wait, and that is told', async () => {
  const shifted = await ShiftedHome.open({ STROBE_RETENTION_MAX_BYTES: String(40 << 20) });
  const { home } = shifted;
  const ticker = await startTicker({ home });
  const { client, sessionId } = ticker;
  const large = async (): Promise<string> =>
    (await runToEnd(client, home, '/usr/bin/seq', { args: ['-f', '%0120g', '50000'] })).sessionId;
  const isKept = (id: string): boolean => readdirSync(join(home.path, 'sessions')).includes(id);

  const [oldest, older] = [await large(), await large()];
  shifted.set({ wall: MONTH, boot: 0 });
  await statusSays(client, sessionId, /set forward by 720 h: only dates/);
  const third = await large();
  // The room is used up: what is removed now goes for that, and nothing for its age.
  await until('the oldest is removed', () => !isKept(oldest));
  expect([isKept(older), isKept(third)]).toEqual([true, true]);

  const before = await ticker.ticks();
  shifted.set({ wall: -MONTH, boot: 0 });
  await statusSays(client, sessionId, /set back by 1440 h: only dates/);
  await ticker.goesOn();
  expectContinued(before, await ticker.ticks());
  const waited = await client.ok('debug_session', {
    action: 'wait',
    sessionId,
    for: ['exit'],
    timeoutMs: 200,
  });
  expect(at(waited.structured, 'happened')).toBe('timeout');
  const last = await runToEnd(client, home, '/bin/true');
  const list = await client.ok('debug_session', { action: 'list' });
  for (const id of [sessionId, third, last.sessionId]) expect(list.text).toContain(id);
  await ticker.stop();
});

test('[daemon.clock] a start that was cut short before the clock was set back holds up no other', async () => {
  const home = testHome();
  const marker = join(home.path, 'daemon.starting');
  writeFileSync(marker, '', { mode: 0o600 });
  const future = Date.now() / 1000 + MONTH;
  utimesSync(marker, future, future);
  const started = await runStrobe({ env: home.env, cwd: home.project }, ['daemon', 'start']);
  expect([started.code, started.stderr]).toEqual([0, '']);
});

test('[daemon.sleep] everything goes on after a sleep of the machine, waits too, and that is told', async () => {
  const shifted = await ShiftedHome.open();
  const { home } = shifted;
  const ticker = await startTicker({ home });
  const { client, sessionId } = ticker;
  const before = await ticker.ticks();
  const waiting = outputSeen(client, sessionId, 'round 60');
  // As the kernel has it: nobody runs, the monotonic clock stands, the others go on.
  const all = processesWith(`STROBE_HOME=${home.path}`).map(({ pid }) => pid);
  expect(all.length).toBeGreaterThanOrEqual(6);
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  shifted.set({ wall: 8 * HOUR, boot: 8 * HOUR });
  for (const pid of all) process.kill(pid, 'SIGCONT');
  await waiting;
  const told = await statusSays(client, sessionId, /The machine slept for 8 h: times and limits/);
  expect(told).not.toMatch(/was set|did not answer|host/);
  expectContinued(before, await ticker.ticks());
  await ticker.stop();
});
