import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { userIds, type TestHome } from '../support/home.ts';
import { itNeeds } from '../support/needs.ts';
import { openFiles, processesWith, until } from '../support/processes.ts';
import { launch, outputSeen, runToEnd } from '../support/runs.ts';
import { runStrobe, type Ended } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

async function strobe(home: TestHome, ...args: readonly string[]): Promise<Ended> {
  return await runStrobe({ env: home.env, cwd: home.project, prefix: home.prefix }, args);
}

/** Every file and folder below, links not followed, but for what belongs to the test. */
function below(folder: string, leave: readonly string[] = []): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (leave.includes(entry.name)) return [];
    return entry.isDirectory() ? [path, ...below(path)] : [path];
  });
}

const us = process.getuid?.() ?? 0;
const { nobody, loner } = userIds;

test('[security.place] a link or an open way above is refused, and nothing is written through it', async () => {
  const home = testHome();
  const outside = join(home.project, 'outside');
  writeFileSync(outside, 'precious');
  const folder = join(home.project, 'folder');
  mkdirSync(folder);
  for (const name of [
    'daemon.log',
    'daemon.err',
    'daemon.lock',
    'strobe.db',
    'sessions',
    'cache',
  ]) {
    const link = join(home.path, name);
    symlinkSync(name === 'sessions' || name === 'cache' ? folder : outside, link);
    const refused = await strobe(home, 'session', 'list');
    expect([name, refused.code, refused.stderr]).toEqual([
      name,
      5,
      expect.stringMatching(/^UNSAFE_HOME: .* is a symbolic link\.\nNext: /),
    ]);
    execFileSync('rm', [link]);
  }
  expect([readFileSync(outside, 'utf8'), readdirSync(folder)]).toEqual(['precious', []]);

  const above = join(home.project, 'above');
  mkdirSync(above);
  chmodSync(above, 0o777);
  const env = { ...home.env, STROBE_HOME: join(above, 'home') };
  const refused = await runStrobe({ env, cwd: home.project }, ['daemon', 'start']);
  expect(refused.stderr).toMatch(/^UNSAFE_HOME: .*above, above .* is open to others \(mode 777\)/);
  chmodSync(above, 0o1777);
  const started = await runStrobe({ env, cwd: home.project }, ['daemon', 'start']);
  expect([started.code, started.stderr]).toEqual([0, '']);
  await runStrobe({ env, cwd: home.project }, ['daemon', 'stop']);
});

itNeeds(
  'root',
  '[security.place] a home or a file in it that is another user’s is refused',
  async () => {
    const home = testHome();
    const log = join(home.path, 'daemon.log');
    writeFileSync(log, '');
    execFileSync('chown', [String(nobody), log]);
    expect((await strobe(home, 'daemon', 'start')).stderr).toMatch(
      /^UNSAFE_HOME: .*daemon\.log belongs to user 65534, not to 0/,
    );
    execFileSync('rm', [log]);
    execFileSync('chown', [String(nobody), home.path]);
    expect((await strobe(home, 'daemon', 'start')).stderr).toMatch(
      /^UNSAFE_HOME: .* belongs to user 65534, not to 0/,
    );
    execFileSync('chown', [String(us), home.path]);
    const theirs = testHome({}, undefined, 'nobody');
    const env = { ...theirs.env, STROBE_HOME: home.path };
    const place = { env, cwd: theirs.project, prefix: theirs.prefix };
    const refused = await runStrobe(place, ['daemon', 'start']);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(/^UNSAFE_HOME: /)]);
  },
);

test('[security.place] all that is written is the owner’s alone, also under an open umask', async () => {
  const home = testHome();
  const before = process.umask(0);
  let client: TestClient;
  try {
    client = await startClient(home);
  } finally {
    process.umask(before);
  }
  const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
    patterns: ['clockwork::**'],
    stdin: 'open',
  });
  await outputSeen(client, sessionId, 'round 2');
  const shared = join('/dev/shm', `strobe-${us}`);
  const rings = [shared, join(shared, sessionId), ...below(join(shared, sessionId))];
  expect(rings.length).toBeGreaterThan(2);
  const own = below(home.path, ['runtime', 'project']);
  expect(own.length).toBeGreaterThan(8);
  for (const path of [home.path, ...own, ...rings]) {
    const stat = lstatSync(path);
    const others = (stat.mode & 0o077).toString(8);
    expect([path, others, stat.uid]).toEqual([path, '0', us]);
  }
  await client.ok('debug_session', { action: 'stop', sessionId });
});

itNeeds('root', '[security.place] rings are not written where another user was first', async () => {
  const home = testHome({}, undefined, 'loner');
  const shared = join('/dev/shm', `strobe-${loner}`);
  onTestFinished(() => void execFileSync('rm', ['-rf', shared]));
  execFileSync('rm', ['-rf', shared]);
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  const client = await startClient(home);
  const ran = await runToEnd(client, home, buildTarget('e2e/ends.c'), {
    args: ['lines', '3'],
    patterns: ['line'],
  });
  expect(ran.exit).toEqual({ kind: 'exited', code: 0 });
  expect(ran.text).toMatch(/UNSAFE_HOME: \/dev\/shm\/strobe-65533, where traced values lie/);
  expect(readdirSync(shared)).toEqual([]);
  expect(await linesOf(client, ran.sessionId)).toHaveLength(6);
});

test('[security.socket] no process of ours has a network socket', async () => {
  const home = testHome();
  const client = await startClient(home);
  const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
    patterns: ['clockwork::**'],
  });
  await outputSeen(client, sessionId, 'round 2');
  const network = new Set(
    ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6', 'packet'].flatMap((kind) => {
      const file = join('/proc/net', kind);
      if (!existsSync(file)) return [];
      const rows = readFileSync(file, 'utf8').split('\n').slice(1);
      return rows.map((row) => row.trim().split(/\s+/)[kind === 'packet' ? 8 : 9] ?? '');
    }),
  );
  const processes = processesWith(`STROBE_HOME=${home.path}`);
  expect(processes.length).toBeGreaterThan(3);
  let sockets = 0;
  for (const { pid, command } of processes) {
    for (const file of openFiles(pid)) {
      const [, inode = ''] = /^socket:\[(\d+)\]$/.exec(file) ?? [];
      if (inode === '') continue;
      sockets += 1;
      expect([command, inode, network.has(inode)]).toEqual([command, inode, false]);
    }
  }
  expect(sockets).toBeGreaterThan(1);
  await client.ok('debug_session', { action: 'stop', sessionId });
});

itNeeds(
  'root',
  '[security.socket] another user reaches neither the socket nor the files',
  async () => {
    const home = testHome();
    await strobe(home, 'daemon', 'start');
    const theirs = testHome({}, undefined, 'nobody');
    const [command = '', ...prefix] = theirs.prefix;
    const tries = (what: string): number | null =>
      spawnSync(command, [...prefix, process.execPath, '-e', what], { cwd: '/', timeout: 60_000 })
        .status;
    const socket = join(home.path, 'daemon.sock');
    const connecting = `require('net').connect(${JSON.stringify(socket)}).on('connect',()=>process.exit(0)).on('error',(e)=>process.exit(e.code==='EACCES'?13:1))`;
    expect(tries(connecting)).toBe(13);
    const reading = `try{require('fs').readdirSync(${JSON.stringify(home.path)})}catch(e){process.exit(e.code==='EACCES'?13:1)}`;
    expect(tries(reading)).toBe(13);
    // Even when the folder is opened by mistake later, socket and store stay shut.
    chmodSync(home.path, 0o755);
    expect(tries(connecting)).toBe(13);
    const store = `try{require('fs').readFileSync(${JSON.stringify(join(home.path, 'strobe.db'))})}catch(e){process.exit(e.code==='EACCES'?13:1)}`;
    expect(tries(store)).toBe(13);
    chmodSync(home.path, 0o700);
  },
);

itNeeds('root', '[security.user] an unprivileged user traces in a home of its own', async () => {
  const home = testHome({}, undefined, 'nobody');
  const client = await startClient(home);
  const { sessionId, exit } = await runToEnd(client, home, buildTarget('e2e/flood.c'), {
    args: ['500'],
    patterns: ['mix'],
  });
  expect(exit).toEqual({ kind: 'exited', code: 0 });
  expect(await callsOf(client, sessionId)).toHaveLength(500);
  for (const path of below(home.path, ['runtime'])) expect(lstatSync(path).uid).toBe(nobody);
  const refused = await client.refused('debug_launch', {
    command: '/bin/true',
    cwd: '/root',
    projectRoot: home.project,
  });
  expect(refused.text).toMatch(/^[A-Z_]+: [\s\S]*\nNext: /);
  expect(refused.text).not.toMatch(/INTERNAL/);
});

itNeeds(
  'root',
  '[children.privilege] a setuid program that is followed is told, one that is not keeps its privilege',
  async () => {
    const home = testHome({}, undefined, 'nobody');
    const client = await startClient(home);
    const folder = mkdtempSync('/tmp/st-setuid-');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    chmodSync(folder, 0o755);
    const privileged = join(folder, 'id');
    copyFileSync('/usr/bin/id', privileged);
    chmodSync(privileged, 0o4755);
    for (const follow of ['all', 'none']) {
      const { sessionId } = await runToEnd(client, home, 'sh', {
        args: ['-c', `${privileged} -u; exit 3`],
        follow,
      });
      const [line] = await linesOf(client, sessionId);
      expect(line?.text).toBe(follow === 'all' ? String(nobody) : '0');
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      const told = status.text.includes(`${privileged} (pid `);
      expect(told).toBe(follow === 'all');
      if (told) expect(status.text).toMatch(/without its privilege[\s\S]*follow "none"/);
    }
    await client.close();
  },
);

itNeeds(
  'root',
  '[security.user] a process of another user is neither attached to nor touched',
  async () => {
    const ours = testHome();
    const theirs = testHome({}, undefined, 'nobody');
    const [command = '', ...prefix] = theirs.prefix;
    const sleeper = spawn(command, [...prefix, '/bin/sleep', '60'], { stdio: 'ignore' });
    onTestFinished(() => void sleeper.kill('SIGKILL'));
    await until('it sleeps', () => /sleep/.test(readFileSync(`/proc/${sleeper.pid}/comm`, 'utf8')));
    for (const [home, pid] of [
      [ours, sleeper.pid],
      [theirs, process.pid],
    ] as const) {
      const client = await startClient(home);
      const refused = await client.refused('debug_launch', { pid, patterns: ['main'] });
      expect(refused.text).toMatch(/^[A-Z_]+: Process \d+ belongs to user \d+[\s\S]*\nNext: \S/);
      await client.close();
    }
    expect(readFileSync(`/proc/${sleeper.pid}/maps`, 'utf8')).not.toMatch(/frida|engine\.so/);
  },
);

test('[security.paths] arguments and variables reach the program as they are, through no shell', async () => {
  const home = testHome();
  const client = await startClient(home);
  const args = ['$(touch pwned)', '`touch pwned`', '; touch pwned', '*', 'a\nb', '"', "'", ''];
  const { sessionId } = await runToEnd(client, home, '/usr/bin/printf', {
    args: ['<%s>\\0', ...args],
    env: { EVIL: '$(touch pwned)' },
  });
  const text = (await linesOf(client, sessionId)).map((line) => line.text).join('\n');
  expect(text).toBe(args.map((arg) => `<${arg}>\0`).join(''));
  expect(readdirSync(home.project)).toEqual([]);
});

test('[security.paths] a file for stdin that never ends is refused', async () => {
  const home = testHome();
  const client = await startClient(home);
  const pipe = join(home.project, 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const file of ['/dev/zero', pipe, home.project, '/dev/stdin']) {
    const refused = await client.refused('debug_launch', {
      command: '/bin/cat',
      projectRoot: home.project,
      stdin: { file },
    });
    expect(refused.text).toMatch(
      /^BAD_PARAMETER: stdin file .* (is not a plain file|cannot be read)/,
    );
  }
  expect(readdirSync(join(home.path, 'sessions'))).toEqual([]);
});
