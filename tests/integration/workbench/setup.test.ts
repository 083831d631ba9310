import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, listAt } from '../../support/read.ts';
import { packageRoot, runProgram, runStrobe } from '../../support/strobe.ts';
import type { Ended } from '../../support/strobe.ts';

/** What a clone holds and a start needs. */
const parts = [
  'strobe',
  'scripts',
  'src',
  'agent',
  'native',
  'demo',
  'editors',
  // SQLite, compiled.
  '.cache/native',
  'package.json',
  'package-lock.json',
].concat('settings.schema.json', 'tsconfig.json');

/** A copy of the sources that was never built; packages are shared with this clone. */
const clone = mkdtempSync(join(tmpdir(), 'strobe-clone-'));
const home = join(clone, 'home');

async function strobe(args: readonly string[], path = process.env['PATH'] ?? ''): Promise<Ended> {
  const env = { PATH: path, HOME: clone, STROBE_HOME: home };
  return await runProgram({ env, cwd: clone }, [join(clone, 'strobe'), ...args], '', 100_000);
}

beforeAll(() => {
  for (const part of parts) cpSync(join(packageRoot, part), join(clone, part), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules'), join(clone, 'node_modules'));
  mkdirSync(home, { mode: 0o700 });
  symlinkSync(join(packageRoot, '.cache', 'home', 'runtime'), join(home, 'runtime'));
});

afterAll(() => {
  rmSync(clone, { recursive: true, force: true });
});

/** `strobe mcp` of the clone, asked line by line. */
class Client {
  readonly #child;
  readonly #answers = new Map<unknown, (answer: unknown) => void>();
  #number = 0;

  constructor(path = process.env['PATH'] ?? '') {
    const env = { PATH: path, HOME: clone, STROBE_HOME: home };
    this.#child = spawn(join(clone, 'strobe'), ['mcp', '--structured'], {
      env,
      cwd: clone,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer: unknown = JSON.parse(line);
      this.#answers.get(at(answer, 'id'))?.(answer);
    });
  }

  async ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#number;
    const answer = new Promise((resolve) => this.#answers.set(id, resolve));
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return await answer;
  }

  async shakeHands(): Promise<unknown> {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    return at(await this.ask('initialize', params), 'result');
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await once(this.#child, 'exit');
  }
}

it('names a missing compiler and the package that brings it [setup.toolchain]', async () => {
  const tools = join(clone, 'tools');
  mkdirSync(tools);
  symlinkSync(process.execPath, join(tools, 'node'));
  const { code, stdout, stderr } = await strobe(['--version'], tools);
  expect(code).toBe(1);
  expect(stdout.toString()).toBe('');
  expect(stderr).toContain('TOOLCHAIN_MISSING: gcc, g++ not found');
  expect(stderr).toContain('build-essential');
});

it('answers a client of a clone without a compiler, whose tool calls say what to install [setup.mcp]', async () => {
  const tools = join(clone, 'few');
  mkdirSync(tools);
  symlinkSync(process.execPath, join(tools, 'node'));
  for (const name of ['sh', 'dirname', 'readlink'])
    symlinkSync(`/usr/bin/${name}`, join(tools, name));
  const client = new Client(tools);
  expect(await client.shakeHands()).toMatchObject({ protocolVersion: '2025-06-18' });
  // Each call tries again.
  for (let round = 0; round < 2; round++) {
    const params = { name: 'debug_session', arguments: { action: 'list' } };
    const result = at(await client.ask('tools/call', params), 'result');
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'TOOLCHAIN_MISSING', retryable: true } },
    });
    expect(JSON.stringify(at(result, 'content'))).toContain('build-essential');
  }
  await client.close();
});

it('answers at once while a clone is set up, and the client that is built takes over [setup.mcp]', async () => {
  // The set-up of somebody else, who is alive: ours waits for it.
  const lock = join(clone, '.cache', 'setup.lock');
  writeFileSync(lock, String(process.pid));
  const client = new Client();
  expect(await client.shakeHands()).toMatchObject({ protocolVersion: '2025-06-18' });
  expect(listAt(at(await client.ask('tools/list', {}), 'result'), 'tools')).toHaveLength(11);
  const call = { name: 'debug_session', arguments: { action: 'list' } };
  const waits = client.ask('tools/call', call);
  expect(at(await client.ask('ping', {}), 'result')).toEqual({});
  rmSync(lock);
  let result = at(await waits, 'result');
  // A loaded machine takes longer than a tool call may.
  while (at(at(at(result, 'structuredContent'), 'error'), 'code') === 'SETTING_UP') {
    result = at(await client.ask('tools/call', call), 'result');
  }
  expect(result).toMatchObject({ structuredContent: { sessions: [] } });
  expect(listAt(at(await client.ask('tools/list', {}), 'result'), 'tools')).toHaveLength(11);
  await client.close();
  await runStrobe(
    { env: { PATH: process.env['PATH'] ?? '', HOME: clone, STROBE_HOME: home }, cwd: clone },
    ['daemon', 'stop'],
  );
}, 200_000);

it('sets itself up once, again for a changed source, and keeps standard output clean [setup.stdout] [setup.fresh]', async () => {
  rmSync(join(clone, 'dist', 'setup.json'));
  const first = await strobe(['--version']);
  expect(first.stderr).toContain('strobe set-up: ready');
  expect(first.stdout.toString()).toMatch(/^(strobe )?\d+\.\d+\.\d+\n$/);
  expect(first.code).toBe(0);

  const second = await strobe(['--version']);
  expect(second.stderr).toBe('');
  expect(second.stdout).toEqual(first.stdout);

  const soon = new Date(Date.now() + 60_000);
  utimesSync(join(clone, 'src', 'base', 'clock.ts'), soon, soon);
  const third = await strobe(['--version']);
  expect(third.stderr).toContain('strobe set-up: ready');
  expect(third.stdout).toEqual(first.stdout);
}, 200_000);
