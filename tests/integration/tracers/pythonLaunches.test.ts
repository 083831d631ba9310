import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf, type SeenCall } from '../../support/calls.ts';
import { itNeeds, pythonPeers } from '../../support/needs.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { pythons } from '../../support/pythons.ts';
import { numberAt, textAt } from '../../support/read.ts';
import { targetSource } from '../../support/targets.ts';

const folder = dirname(targetSource('python/launches/child.py'));
const { path: newer } = pythons.find(({ minor }) => minor === 12) ?? { path: 'python3' };
const tried = pythons.filter(({ minor }) => [9, 12, 14].includes(minor));

/** All calls of a program that ends well. */
async function callsIn(
  daemon: OwnDaemon,
  launch: Readonly<Record<string, unknown>>,
): Promise<SeenCall[]> {
  const launched = await daemon.ok('debug_launch', {
    cwd: folder,
    projectRoot: folder,
    patterns: ['tally'],
    ...launch,
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
  const { structured, text } = await daemon.ok('debug_session', { action: 'status', sessionId });
  expect(numberAt(structured, 'session', 'exit', 'code'), text).toBe(0);
  expect(text).toMatch(/[1-9] functions? hooked/);
  return await callsOf(daemon, sessionId);
}

async function ownDaemon(): Promise<OwnDaemon> {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  return daemon;
}

const one = ['tally'];
const namesOf = (calls: readonly SeenCall[]): string[] =>
  calls.map((call) => call.function.slice(call.function.lastIndexOf('.') + 1));

describe.each(tried.map(({ name, path }) => [name, path] as const))(
  'Python %s is traced',
  (_name, path) => {
    test.each([
      ['as a module', ['-m', 'shop']],
      ['as a command', ['-c', 'from shop.tally import main; main()']],
      ['apart from its environment', ['-I', '-S', '-E', join(folder, 'apart.py')]],
      ['in a process that it starts', [join(folder, 'child.py')]],
    ])('[python.launches] %s', async (_way, args) => {
      const calls = await callsIn(await ownDaemon(), { command: path, args });
      expect(namesOf(calls)).toEqual(one);
      expect(calls[0]?.returns).toBe(2);
    });
  },
);

describe('Python is traced', () => {
  test('[python.launches] by a command of a virtual environment', async () => {
    const daemon = await ownDaemon();
    const place = join(daemon.home.project, 'venv');
    spawnSync(newer, ['-m', 'venv', '--without-pip', place], { stdio: 'ignore' });
    const command = join(place, 'bin', 'shop');
    const lines = [`#!${join(place, 'bin', 'python')}`, 'from shop.tally import main', 'main()'];
    writeFileSync(command, lines.join('\n'));
    chmodSync(command, 0o755);
    const calls = await callsIn(daemon, { command, env: { PYTHONPATH: folder } });
    expect(namesOf(calls)).toEqual(one);
  });

  test('[python.launches] without functions of the tracer itself', async () => {
    const daemon = await ownDaemon();
    const launched = await daemon.ok('debug_launch', {
      command: newer,
      args: ['-m', 'shop'],
      cwd: folder,
      projectRoot: folder,
      patterns: ['tally', 'python.so!python_*'],
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
    expect(await callsOf(daemon, sessionId)).toHaveLength(1);
  });

  itNeeds('pyenv', "[python.launches] by pyenv's shim", async () => {
    const shims = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'shims');
    const version = /versions\/([^/]+)/.exec(newer)?.[1] ?? '';
    const launch = { command: join(shims, 'python3'), args: ['-m', 'shop'] };
    const calls = await callsIn(await ownDaemon(), { ...launch, env: { PYENV_VERSION: version } });
    expect(namesOf(calls)).toEqual(one);
  });

  test('[python.launches] after another program executed it, by patterns and breakpoints that come later', async () => {
    const daemon = await ownDaemon();
    const launched = await daemon.ok('debug_launch', {
      command: '/bin/sh',
      args: ['-c', 'exec "$0" "$1"', newer, join(folder, 'asked.py')],
      cwd: folder,
      projectRoot: folder,
      stdin: 'open',
    });
    const sessionId = textAt(launched.structured, 'sessionId');
    const wait = { action: 'wait', sessionId, timeoutMs: 40_000 };
    await daemon.ok('debug_session', { ...wait, for: ['output'], match: 'ready' });
    await daemon.ok('debug_trace', { sessionId, add: ['tally'] });
    const { text } = await daemon.ok('debug_breakpoint', { sessionId, add: ['asked.py:8'] });
    expect(text).toMatch(/b1 asked\.py:\d+ bound · python/);
    await daemon.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await daemon.ok('debug_session', { action: 'input', sessionId, text: 'x\n', eof: true });
    await daemon.ok('debug_session', wait);
    expect(namesOf(await callsOf(daemon, sessionId))).toEqual(one);
  });

  itNeeds('pythonPeers', '[python.launches] by uv run', async () => {
    const daemon = await ownDaemon();
    const cache = join(daemon.home.project, 'uv');
    mkdirSync(cache);
    const words = ['run', '--no-project', '--offline', '--python', newer, 'python', '-m', 'shop'];
    const calls = await callsIn(daemon, {
      command: join(pythonPeers('3.12'), 'bin', 'uv'),
      args: words,
      env: { UV_CACHE_DIR: cache },
    });
    expect(namesOf(calls)).toEqual(one);
  });
});

describe.each(['3.11', '3.12'] as const)('greenlets of Python %s', (minor) => {
  itNeeds(
    'pythonPeers',
    '[python.greenlets] take turns on one thread without a wrong caller',
    async () => {
      const source = targetSource('python/turns.py');
      const calls = await callsIn(await ownDaemon(), {
        command: join(pythonPeers(minor), 'bin', 'python'),
        args: [source],
        projectRoot: dirname(source),
        patterns: ['worker', 'give'],
      });
      const byId = new Map(calls.map((call) => [call.id, call]));
      const workers = calls.filter((call) => call.function.endsWith('worker'));
      expect(workers.map((call) => [call.arguments['name'], call.returns])).toEqual([
        ['first', 6],
        ['second', 6],
      ]);
      const gives = calls.filter((call) => call.function.endsWith('give'));
      const callers = gives.map((call) => String(byId.get(call.parent ?? '')?.arguments['name']));
      expect(callers.toSorted()).toEqual([
        ...Array.from({ length: 3 }, () => 'first'),
        ...Array.from({ length: 3 }, () => 'second'),
      ]);
      expect(calls.every((call) => call.end === 'returned')).toBe(true);
    },
  );
});
