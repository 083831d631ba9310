import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { within } from '../../src/base/deadline.ts';
import { startClient } from '../support/client.ts';
import type { HomeUser, TestHome } from '../support/home.ts';
import { malformedLines } from '../support/malformed.ts';
import { itNeeds } from '../support/needs.ts';
import { partOf, partsOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { at, listAt } from '../support/read.ts';
import { clientProgram, runStrobe } from '../support/strobe.ts';
import { testHome } from '../support/suite.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const messages = 10_000;
const seed = 20_261_121;

const initialize = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 'era',
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'malformed', version: '1' },
  },
})}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`;

function residentBytes(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Writes at the pace of the reader. */
async function write(stream: Writable, bytes: Buffer): Promise<void> {
  if (!stream.write(bytes)) await once(stream, 'drain');
}

/** A greeted connection to the daemon; what it answers is read and counted. */
async function greeted(home: TestHome, greet = true): Promise<{ socket: Socket; lines: string[] }> {
  const socket = connect(join(home.path, 'daemon.sock'));
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const lines: string[] = [];
  createInterface({ input: socket }).on('line', (line) => lines.push(line));
  if (!greet) return { socket, lines };
  const params = {
    version: '0',
    clientId: 'malformed',
    kind: 'mcp',
    cwd: '/',
    env: {},
    structured: false,
    shown: 'text',
    umask: 18,
    leader: null,
  };
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'hi', method: 'strobe/hello', params })}\n`);
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(0));
  return { socket, lines };
}

/** Nothing was executed, written elsewhere or went wrong in the daemon, and it still answers. */
async function isUnharmed(home: TestHome, daemon: number): Promise<void> {
  expect(partOf(home, 'daemon')).toBe(daemon);
  const log = readFileSync(join(home.path, 'daemon.log'), 'utf8');
  expect(log.split('\n').filter((line) => /"level":"error"/.test(line))).toEqual([]);
  expect(readdirSync(home.project)).toEqual([]);
  expect(readdirSync(join(home.path, 'sessions'))).toEqual([]);
  const known = /^(daemon\.|strobe\.db|tests\.db|sessions|drafts|cache|runtime|project|tests|run)/;
  expect(readdirSync(home.path).filter((name) => !known.test(name))).toEqual([]);
  const client = await startClient(home);
  const list = await client.ok('debug_session', { action: 'list', scope: 'all' });
  expect(listAt(list.structured, 'sessions')).toEqual([]);
  await client.close();
}

async function start(home: TestHome): Promise<number> {
  await runStrobe({ env: home.env, cwd: home.project, prefix: home.prefix }, ['daemon', 'start']);
  // One that lost the race to start may still be ending.
  await until('there is one daemon', () => partsOf(home, 'daemon').length === 1);
  return partOf(home, 'daemon');
}

async function overTheSocket(user: HomeUser): Promise<void> {
  const home = testHome({}, undefined, user);
  const daemon = await start(home);
  const next = malformedLines(seed);
  let answers = 0;
  let refusals = 0;
  for (let sent = 0; sent < messages;) {
    // A connection that is not greeted first is closed after a while; most are.
    const { socket, lines } = await greeted(home, sent % 5000 !== 0);
    socket.write(initialize);
    for (let i = 0; i < 1000; i++, sent++) {
      if (socket.destroyed) break;
      await write(socket, Buffer.concat([next(), Buffer.from('\n')]));
    }
    socket.end();
    await within(30_000, once(socket, 'close'), () => new Error('it was not closed'));
    for (const line of lines) expect(() => void JSON.parse(line)).not.toThrow();
    answers += lines.length;
    refusals += lines.filter((line) => line.includes('UNKNOWN_PARAMETER')).length;
  }
  // As many went through all layers as far as the tools.
  expect(refusals).toBeGreaterThan(messages / 20);
  expect(answers).toBeGreaterThan(messages / 4);
  await isUnharmed(home, daemon);
}

async function overStdio(user: HomeUser): Promise<void> {
  const home = testHome({}, undefined, user);
  const daemon = await start(home);
  const next = malformedLines(seed + 1);
  const [command, ...args] = [...home.prefix, process.execPath, clientProgram, 'mcp'];
  const proxy = spawn(command, args, { env: home.env, cwd: home.project, stdio: 'pipe' });
  let answers = 0;
  let last: unknown = null;
  createInterface({ input: proxy.stdout }).on('line', (line) => {
    const message: unknown = JSON.parse(line);
    answers += 1;
    if (at(message, 'id') === 'last') last = message;
  });
  proxy.stderr.resume();
  proxy.stdin.write(initialize);
  for (let sent = 0; sent < messages; sent++) {
    await write(proxy.stdin, Buffer.concat([next(), Buffer.from('\n')]));
  }
  proxy.stdin.write('{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
  await vi.waitFor(() => expect(last).toMatchObject({ result: {} }), { timeout: 60_000 });
  expect(answers).toBeGreaterThan(messages / 4);
  proxy.stdin.end();
  expect(await within(10_000, once(proxy, 'exit'), () => new Error('it did not end'))).toEqual([
    0,
    null,
  ]);
  await isUnharmed(home, daemon);
}

it('[security.malformed] 10,000 malformed messages over the socket harm nothing', async () =>
  await overTheSocket('us'));

itNeeds(
  'root',
  '[security.malformed] … nor those to an unprivileged user’s daemon',
  async () => await overTheSocket('nobody'),
);

it('[security.malformed] 10,000 malformed messages to `strobe mcp` harm nothing', async () =>
  await overStdio('us'));

itNeeds(
  'root',
  '[security.malformed] … nor those to an unprivileged user’s',
  async () => await overStdio('nobody'),
);

it('[security.large] a message of 100 MB is refused and not kept; the connection goes on', async () => {
  const home = testHome();
  const daemon = await start(home);
  const { socket, lines } = await greeted(home);
  const before = residentBytes(daemon);
  const piece = Buffer.alloc(1 << 20, 'x');
  let highest = 0;
  await write(socket, Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'));
  for (let mebi = 0; mebi < 100; mebi++) {
    await write(socket, piece);
    highest = Math.max(highest, residentBytes(daemon));
  }
  await write(socket, Buffer.from('"}}\n{"jsonrpc":"2.0","id":2,"method":"strobe/status"}\n'));
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(2));
  // Its id was not read: the refusal has none.
  expect(JSON.parse(lines[1] ?? '')).toEqual({
    jsonrpc: '2.0',
    error: { code: -32600, message: 'Request larger than 16 MB.' },
  });
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ id: 2, result: { pid: daemon } });
  // The most a line may have, and what the allocator holds on to.
  expect(highest - before).toBeLessThan(64 << 20);
  socket.destroy();
  await isUnharmed(home, daemon);
});

it('[security.large] more connections than anybody needs are refused; the others are served', async () => {
  const home = testHome();
  const daemon = await start(home);
  const { socket: first, lines } = await greeted(home);
  const sockets = Array.from({ length: 400 }, () => connect(join(home.path, 'daemon.sock')));
  for (const socket of sockets) socket.on('error', () => undefined);
  const closed = (): number =>
    sockets.filter((socket) => socket.readableEnded || socket.destroyed).length;
  for (const socket of sockets) socket.resume();
  await vi.waitFor(() => expect(closed()).toBeGreaterThanOrEqual(400 - 256), { timeout: 60_000 });
  first.write('{"jsonrpc":"2.0","id":2,"method":"strobe/status"}\n');
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(1));
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ id: 2, result: { pid: daemon } });
  for (const socket of [first, ...sockets]) socket.destroy();
  await isUnharmed(home, daemon);
});
