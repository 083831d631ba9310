import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callsOf } from '../../support/calls.ts';
import { testFolder } from '../../support/folder.ts';
import { itNeeds, pythonPeers } from '../../support/needs.ts';
import { OwnDaemon } from '../../support/ownDaemon.ts';
import { pythons } from '../../support/pythons.ts';
import { at, listAt, numberAt, textAt } from '../../support/read.ts';
import { targetSource } from '../../support/targets.ts';

const source = targetSource('python/covered.py');
const projectRoot = dirname(source);

interface Ended {
  readonly names: readonly string[];
  readonly output: string;
  /** What the calls were given as `value`. */
  readonly values: readonly unknown[];
  readonly status: string;
}

/** The calls of a program that ends well. */
async function ran(launch: Readonly<Record<string, unknown>>): Promise<Ended & { home: string }> {
  const daemon = await OwnDaemon.start([]);
  onTestFinished(async () => daemon.close());
  const launched = await daemon.ok('debug_launch', {
    projectRoot,
    patterns: ['sign', 'squares'],
    ...launch,
  });
  const sessionId = textAt(launched.structured, 'sessionId');
  await daemon.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 40_000 });
  const status = await daemon.ok('debug_session', { action: 'status', sessionId });
  expect(numberAt(status.structured, 'session', 'exit', 'code'), status.text).toBe(0);
  const output = await daemon.ok('debug_query', { view: 'output', sessionId });
  const calls = await callsOf(daemon, sessionId);
  return {
    names: calls.map((call) => call.function.replace(/^.*\./, '')),
    output: listAt(output.structured, 'lines')
      .map((line) => textAt(line, 'text'))
      .join('\n'),
    status: status.text,
    values: calls.map((call) => call.arguments['value']),
    home: daemon.home.project,
  };
}

const allCalls = ['sign', 'sign', 'sign', 'squares'];

/** What coverage.py found in the lines of the program. */
function foundBy(python: string, dataFile: string): unknown {
  const report = `${dataFile}.json`;
  spawnSync(python, ['-m', 'coverage', 'json', '--data-file', dataFile, '-o', report]);
  const read: unknown = JSON.parse(readFileSync(report, 'utf8'));
  const files = at(read, 'files');
  const found: unknown[] = typeof files === 'object' && files !== null ? Object.values(files) : [];
  return found.map((file) => [
    at(file, 'executed_lines'),
    at(file, 'missing_lines'),
    at(file, 'executed_branches'),
  ]);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.each([
  ['3.11', 'ctrace'],
  ['3.11', 'pytrace'],
  ['3.12', 'ctrace'],
  ['3.12', 'pytrace'],
  ['3.12', 'sysmon'],
] as const)('coverage.py on Python %s with %s', (minor, core) => {
  itNeeds('pythonPeers', '[python.coexists] finds the same lines beside the tracer', async () => {
    const command = join(pythonPeers(minor), 'bin', 'python');
    const args = (file: string): string[] => ['-m', 'coverage', 'run', '--data-file', file, source];
    const daemon = await OwnDaemon.start([]);
    onTestFinished(async () => daemon.close());
    const alone = join(daemon.home.project, 'alone');
    const beside = join(daemon.home.project, 'beside');
    const env = { COVERAGE_CORE: core };
    spawnSync(command, args(alone), { env: { ...process.env, ...env } });
    const { names } = await ran({ command, args: args(beside), env });
    expect(names).toEqual(allCalls);
    expect(foundBy(command, beside)).toEqual(foundBy(command, alone));
  });
});

describe('beside the tracer', () => {
  const newer = join(pythonPeers('3.12'), 'bin', 'python');
  const older = join(pythonPeers('3.11'), 'bin', 'python');

  itNeeds(
    'pythonPeers',
    '[python.coexists] debugpy listens, and all calls are recorded',
    async () => {
      const listen = `127.0.0.1:${await freePort()}`;
      const { names } = await ran({
        command: newer,
        args: ['-m', 'debugpy', '--listen', listen, source],
      });
      expect(names).toEqual(allCalls);
    },
  );

  itNeeds(
    'pythonPeers',
    '[python.coexists] pytest-cov reports, and the calls of tests are recorded',
    async () => {
      const words = [
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        '--cov=covered',
        '--cov-report=term',
      ];
      const { names, output } = await ran({
        command: newer,
        args: [...words, targetSource('python/test_covered.py')],
        cwd: projectRoot,
        env: { COVERAGE_FILE: join(testFolder(), 'data'), PYTHONDONTWRITEBYTECODE: '1' },
      });
      expect(names).toEqual([...allCalls, 'sign']);
      expect(output).toMatch(/covered\.py +\d+ +\d+ +\d+%/);
    },
  );

  itNeeds(
    'pythonPeers',
    '[python.coexists] cProfile from 3.12 on changes nothing, before it takes the hook, which is told',
    async () => {
      const args = ['-m', 'cProfile', source];
      expect((await ran({ command: newer, args })).names).toEqual(allCalls);
      const { names, status, output } = await ran({ command: older, args });
      expect(output).toMatch(/3 .*covered\.py:4\(sign\)/);
      expect(names).toEqual([]);
      expect(status).toContain('took the profile hook of Python over');
    },
  );
});

itNeeds(
  'pythonPeers',
  '[python.values] arrays of numpy show their shape and their first elements: numbers, moments, records',
  async () => {
    const { values } = await ran({
      command: join(pythonPeers('3.12'), 'bin', 'python'),
      args: [targetSource('python/arrays.py')],
      patterns: ['take'],
    });
    expect(values.map((value) => JSON.stringify(value)).join('\n')).toMatch(
      /\[0,1,2,3,4,5\].*il\[2, 3\][^]*\[2\.5,1\.5\].*fd\[2\][^]*\[true,false\][^]*ih\[1000\][^]*UU\[1\][^]*\[0\.5,-2.*fe\[2\][^]*9223372036854775808.*uL\[2\][^]*SS\[1\][^]*key.*OO\[2\][^]*int64[^]*5[^]*float32[^]*2\.5[^]*2026-05-03T10:00","NaT.*MM\[2\][^]*datetime64.*1969-12-31T23:59:59\.500[^]*5 days","-3 days.*mm\[2\][^]*\(0\.1-1e-20j\).*cD\[1\][^]*complex.*\(3-4\.25j\)[^]*void.*id.*1.*price.*2\.5.*tag.*ab[^]*1\.10[^]*2026-05-03[^]*\/a\/b/,
    );
  },
);

const tried = pythons.filter(({ minor, isSystem }) => !isSystem && [9, 12].includes(minor));

describe.each(tried.map(({ name, path }) => [name, path] as const))('Python %s', (_name, path) => {
  test('[python.leaks] keeps no objects for being traced', async () => {
    const growth = targetSource('python/growth.py');
    const { output } = await ran({
      command: path,
      args: [growth],
      patterns: ['@file:growth.py'],
    });
    const grown = output.trim().split(' ').map(Number);
    // Some hundred calls in each round: one object kept for each would show.
    expect(grown).toHaveLength(3);
    expect(Math.max(...grown)).toBeLessThan(200);
  });
});
