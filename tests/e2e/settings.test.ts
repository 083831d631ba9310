import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ringDirectory } from '../../src/collector/rings/ringFolder.ts';
import type { SettingName } from '../../src/protocol/settingsSchema.ts';
import { callsOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import type { TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { processesWith, until } from '../support/processes.ts';
import { at, numberAt } from '../support/read.ts';
import { launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

/** A home whose own file holds the settings, and a client in it. */
async function under(
  settings: Readonly<Partial<Record<SettingName, unknown>>>,
): Promise<{ readonly home: TestHome; readonly client: TestClient }> {
  const home = testHome();
  writeFileSync(join(home.path, 'settings.json'), JSON.stringify(settings));
  return { home, client: await startClient(home) };
}

const sessionsOf = (home: TestHome): string[] => {
  const folder = join(home.path, 'sessions');
  return existsSync(folder) ? readdirSync(folder) : []; // there is none before the first
};

/** What the files of a folder take, in bytes. */
function memoryIn(folder: string): number {
  return readdirSync(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.blocks ?? 0)
    .reduce((sum, blocks) => sum + blocks * 512, 0);
}

/** Bytes of the rings of a session with two threads, while it runs. */
async function ringBytes(settings: Readonly<Partial<Record<SettingName, unknown>>>) {
  const { home, client } = await under(settings);
  const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
    patterns: ['clockwork::**'],
  });
  await outputSeen(client, sessionId, 'round 2');
  const folder = join('/dev/shm', `strobe-${process.getuid?.() ?? 0}`, sessionId);
  const bytes = readdirSync(folder)
    .filter((name) => name.endsWith('.ring'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const stopped = await client.ok('debug_session', { action: 'stop', sessionId });
  return { bytes, lost: at(stopped.structured, 'counters', 'byCause', 'noRing') };
}

async function loss(settings: Readonly<Partial<Record<SettingName, unknown>>>, cause: string) {
  const { home, client } = await under(settings);
  const { sessionId } = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
    args: ['lines', '3000'],
    patterns: ['line'],
  });
  const answer = await client.ok('debug_query', { view: 'stats', sessionId });
  return at(answer.structured, 'counters', 'byCause', cause);
}

/** Counters of a session in which one function is called so often without pause. */
async function flooded(client: TestClient, home: TestHome, calls: number) {
  const { sessionId } = await runToEnd(client, home, buildTarget('e2e/flood.c'), {
    args: [String(calls)],
    patterns: ['mix'],
  });
  const { structured } = await client.ok('debug_query', { view: 'stats', sessionId });
  return {
    sampled: numberAt(structured, 'counters', 'sampled'),
    stored: numberAt(structured, 'counters', 'stored'),
  };
}

/** The log after some requests. */
async function logged(settings: Readonly<Partial<Record<SettingName, unknown>>>, requests: number) {
  const { home, client } = await under(settings);
  for (let i = 0; i < requests; i++) {
    await client.refused('debug_session', { action: 'status', sessionId: `no-${'x'.repeat(150)}` });
  }
  const file = join(home.path, 'daemon.log');
  return { text: readFileSync(file, 'utf8'), aside: existsSync(`${file}.1`) };
}

/**
 * What shows that a setting counts; a setting without an entry is a type error. Those of
 * debuggers stand below, that of pictures in vision.test.ts.
 */
type Shown = Exclude<SettingName, `adapters.${string}` | 'vision.command'>;
const proofs: Readonly<Record<Shown, () => Promise<void>>> = {
  async 'daemon.idleMinutes'() {
    const { home, client } = await under({ 'daemon.idleMinutes': 0.01 });
    await client.ok('debug_session', { action: 'list' });
    await client.close();
    await until(
      'the daemon has ended',
      () => processesWith(`STROBE_HOME=${home.path}`).length === 0,
    );
  },
  async 'retention.endedHours'() {
    const { home, client } = await under({ 'retention.endedHours': 0 });
    const { sessionId } = await launch(client, home, '/bin/sleep', { args: ['60'] });
    expect(sessionsOf(home)).toEqual([sessionId]);
    await client.ok('debug_session', { action: 'stop', sessionId });
    await until('it is removed', () => sessionsOf(home).length === 0);
  },
  async 'retention.days'() {
    const { home, client } = await under({ 'retention.days': 0 });
    const { sessionId } = await launch(client, home, '/bin/sleep', { args: ['60'] });
    await client.ok('debug_session', { action: 'stop', sessionId, retain: true });
    await until('it is removed', () => sessionsOf(home).length === 0);
  },
  async 'retention.maxBytes'() {
    const { home, client } = await under({ 'retention.maxBytes': 16 << 20 });
    const ids: string[] = [];
    for (let run = 0; run < 3; run++) {
      const args = ['-f', '%0120g', '50000'];
      ids.push((await runToEnd(client, home, '/usr/bin/seq', { args })).sessionId);
    }
    await until('the first is removed', () => !sessionsOf(home).includes(ids[0] ?? ''));
    expect(sessionsOf(home)).toContain(ids[2]);
  },
  async 'events.maxPerSession'() {
    expect(await loss({ 'events.maxPerSession': 1000 }, 'eventLimit')).toBeGreaterThan(4000);
    expect(await loss({}, 'eventLimit')).toBeUndefined();
  },
  async 'output.maxBytesPerSession'() {
    expect(await loss({ 'output.maxBytesPerSession': 4096 }, 'outputLimit')).toBeGreaterThan(1000);
  },
  async 'ring.bytesPerThread'() {
    const small = await ringBytes({ 'ring.bytesPerThread': 65_536, 'ring.slots': 4 });
    const large = await ringBytes({ 'ring.bytesPerThread': 131_072, 'ring.slots': 4 });
    expect(large.bytes - small.bytes).toBe(4 * 65_536);
  },
  async 'ring.overflowBytes'() {
    const peak = async (bytes: number): Promise<number> => {
      const { home, client } = await under({ 'ring.overflowBytes': bytes });
      let most = 0;
      const look = setInterval(() => {
        for (const id of sessionsOf(home))
          if (existsSync(ringDirectory(id))) most = Math.max(most, memoryIn(ringDirectory(id)));
      }, 2);
      await runToEnd(client, home, buildTarget('e2e/flood.c'), {
        args: ['8000000'],
        patterns: [{ pattern: 'mix', sampling: 'off' }],
      }).finally(() => clearInterval(look));
      return most;
    };
    expect(await peak(1 << 30)).toBeGreaterThan(16 << 20);
    expect(await peak(0)).toBeLessThan(10 << 20);
  },
  async 'ring.slots'() {
    const one = await ringBytes({ 'ring.bytesPerThread': 65_536, 'ring.slots': 1 });
    const four = await ringBytes({ 'ring.bytesPerThread': 65_536, 'ring.slots': 4 });
    expect(four.bytes).toBeGreaterThan(3 * one.bytes);
    expect(one.lost).toBeGreaterThan(0);
  },
  async 'crashes.alwaysExplained'() {
    const explained = async (settings: Readonly<Partial<Record<SettingName, unknown>>>) => {
      const { home, client } = await under(settings);
      const program = join(home.project, 'division');
      copyFileSync(buildTarget('crash/division.c', ['-O0']), program);
      const { sessionId } = await runToEnd(client, home, program);
      return (await client.ok('debug_query', { view: 'crash', sessionId })).text;
    };
    expect(await explained({})).toContain('CRASH SIGFPE in average (division.c:11)');
    expect(await explained({ 'crashes.alwaysExplained': false })).toContain('No stack was kept');
  },
  async 'stops.maxSeconds'() {
    const { home, client } = await under({ 'stops.maxSeconds': 1 });
    const { sessionId } = await launch(client, home, buildTarget('e2e/breakpoints.c', ['-O0']), {
      stdin: 'open',
    });
    await outputSeen(client, sessionId, 'ready');
    await client.ok('debug_breakpoint', { sessionId, add: ['price'] });
    await client.ok('debug_session', { action: 'input', sessionId, text: '2\n' });
    await outputSeen(client, sessionId, 'done');
  },
  async 'sampling.callsPerSecond'() {
    const { home, client } = await under({ 'sampling.callsPerSecond': 20_000 });
    expect((await flooded(client, home, 60_000)).sampled).toBeGreaterThan(0);
  },
  async 'sampling.rate'() {
    const { home, client } = await under({
      'sampling.callsPerSecond': 1000,
      'sampling.rate': 0.0001,
    });
    expect((await flooded(client, home, 300_000)).stored).toBeLessThan(20_000);
  },
  async 'redaction.names'() {
    const { home, client } = await under({ 'redaction.names': ['user'] });
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/secrets.c'), {
      patterns: ['login'],
    });
    const [call] = await callsOf(client, sessionId);
    expect(call?.arguments).toMatchObject({
      user: '<redacted: named "user">',
      password: 'correct horse',
    });
  },
  async 'answer.budget'() {
    const shown = async (settings: Readonly<Partial<Record<SettingName, unknown>>>) => {
      const { home, client } = await under(settings);
      const { sessionId } = await runToEnd(client, home, '/usr/bin/seq', { args: ['1000'] });
      return (await client.ok('debug_query', { view: 'output', sessionId, limit: 500 })).text
        .length;
    };
    const [little, usual] = [await shown({ 'answer.budget': 200 }), await shown({})];
    expect(little * 3).toBeLessThan(usual);
  },
  async 'frida.python'() {
    const { home, client } = await under({ 'frida.python': '/nonexistent/python' });
    const ran = await runToEnd(client, home, buildTarget('e2e/flood.c'), { patterns: ['mix'] });
    expect(ran.exit).toEqual({ kind: 'exited', code: 0 });
    expect(ran.text).toMatch(/[A-Z_]+: .*\/nonexistent\/python/);
  },
  async 'log.levels'() {
    expect((await logged({ 'log.levels': 'info' }, 3)).text).not.toContain('"level":"debug"');
    const { text } = await logged({ 'log.levels': 'error,rpc=debug' }, 3);
    expect(text).toMatch(/"level":"debug","tag":"rpc"/);
    expect(text).not.toContain('"msg":"serving"');
  },
  async 'log.maxBytes'() {
    expect((await logged({ 'log.levels': 'debug', 'log.maxBytes': 65_536 }, 300)).aside).toBe(true);
    expect((await logged({ 'log.levels': 'debug' }, 300)).aside).toBe(false);
  },
};

for (const [name, proof] of Object.entries(proofs)) {
  test(`[settings.keys] ${name}`, proof);
}

const debuggers = [
  ['adapters.gdb', '/bin/false', 'gdb', /failed: gdb cannot hold process \d+/],
  ['adapters.lldb', '/bin/nothing', 'lldb', /CANNOT_DEBUG: lldb-dap \(\/bin\/nothing\) is not on/],
  ['adapters.named', ['mine=/bin/false -x'], 'mine', /failed: mine cannot hold process \d+/],
] as const;
for (const [name, value, adapter, refusal] of debuggers) {
  test(`[settings.keys] ${name}`, async () => {
    const { home, client } = await under({ [name]: value });
    const { sessionId } = await launch(client, home, '/bin/sleep', { args: ['60'] });
    const asked = { sessionId, adapter, add: [{ function: 'nanosleep' }] };
    expect((await client.call('debug_breakpoint', asked)).text).toMatch(refusal);
  });
}

test('[settings.keys] adapters.use', async () => {
  const { home, client } = await under({ 'adapters.use': 'gdb', 'adapters.gdb': '/bin/nothing' });
  const { sessionId } = await launch(client, home, '/bin/sleep', { args: ['60'] });
  const asked = { sessionId, add: [{ function: 'nanosleep' }] };
  const { text } = await client.refused('debug_breakpoint', asked);
  expect(text).toMatch(/CANNOT_DEBUG: gdb \(\/bin\/nothing\) is not on this machine/);
});

itNeeds('go', '[settings.keys] adapters.delve', async () => {
  const { home, client } = await under({ 'adapters.delve': '/bin/false' });
  const program = buildTarget('e2e/orders.go');
  const { sessionId } = await launch(client, home, program, { stdin: 'open' });
  await outputSeen(client, sessionId, 'ready');
  const { text } = await client.ok('debug_breakpoint', { sessionId, add: ['main.price'] });
  expect(text).toMatch(/b1 .*failed: Delve \(\/bin\/false\) did not start/);
});

test('[settings.layers] a launch takes the file as it is then, and the environment of who launches', async () => {
  const { home, client } = await under({ 'redaction.names': ['user'] });
  writeFileSync(join(home.path, 'settings.json'), '{"redaction.names": [],\n "ring.slotz": 3}');
  const ran = await runToEnd(client, home, buildTarget('e2e/secrets.c'), { patterns: ['login'] });
  expect((await callsOf(client, ran.sessionId))[0]?.arguments['user']).toBe('ada');
  expect(ran.text).toMatch(
    /! Setting ring\.slotz: .*settings\.json:2: .*did you mean "ring\.slots"\?/,
  );

  const place = { env: { ...home.env, STROBE_REDACTION_NAMES: 'password' }, cwd: home.project };
  await runStrobe(place, ['launch', '--trace', 'login', '--', buildTarget('e2e/secrets.c')]);
  await runStrobe(place, ['session', 'wait']);
  const events = await runStrobe(place, ['query', '--view', 'tree']);
  expect(events.stdout.toString()).toMatch(/user="ada", .*password=<redacted: named "password">/);
});
