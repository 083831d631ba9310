import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPaths } from '../../src/base/installPaths.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { packageRoot, runProgram, type Ended } from '../support/strobe.ts';

/** The newest glibc the prebuilt parts may ask for: `oldestLibrary` of src/client/doctor/parts.ts. */
const newestGlibc = 34;
const commands = ['sh', 'readlink'];

/** What npm packs, told by itself. */
let packed: unknown;
const folder = mkdtempSync(join(tmpdir(), 'strobe-package-'));
const prefix = join(folder, 'prefix');
const home = join(folder, 'home');
const tools = join(folder, 'tools');

function paths(): string[] {
  return listAt(packed, 'files').map((file) => textAt(file, 'path'));
}

beforeAll(() => {
  const env = { ...process.env, npm_config_cache: join(folder, 'cache') };
  const told = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: packageRoot,
      env,
    },
  );
  packed = at(JSON.parse(told.toString()), '0');
  mkdirSync(tools);
  for (const name of commands) {
    const from = ['/bin', '/usr/bin']
      .map((place) => join(place, name))
      .find((path) => existsSync(path));
    if (from !== undefined) symlinkSync(from, join(tools, name));
  }
  symlinkSync(process.execPath, join(tools, 'node'));
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)']);
  // A link would take it away from its own modules.
  writeFileSync(join(tools, 'python3'), `#!/bin/sh\nexec ${python.toString().trim()} "$@"\n`, {
    mode: 0o755,
  });
  // No registry and no script: what was packed is all there is.
  const args = ['install', '-g', '--offline', '--ignore-scripts', '--prefix', prefix];
  execFileSync('npm', [...args, join(folder, textAt(packed, 'filename'))], { cwd: folder, env });
  mkdirSync(join(home, '.strobe'), { recursive: true, mode: 0o700 });
  symlinkSync(join(packageRoot, '.cache', 'home', 'runtime'), join(home, '.strobe', 'runtime'));
}, 120_000);
afterAll(async () => {
  await strobe(['daemon', 'stop']);
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the installed command as on a machine without compilers. */
async function strobe(args: readonly string[], input = ''): Promise<Ended> {
  const env = { PATH: [tools, join(prefix, 'bin')].join(delimiter), HOME: home };
  return await runProgram({ env, cwd: home }, ['strobe', ...args], input, 110_000);
}

describe('the package [setup.package]', () => {
  test('holds the product and nothing else, within its limits', () => {
    const names = paths();
    const folders = new Set(names.map((name) => name.split('/').slice(0, -1).join('/')));
    expect([...folders].toSorted()).toEqual([
      '',
      'demo/depot',
      'demo/ledger/src',
      'demo/parcels/parcels',
      'demo/ranks/src',
      'demo/tickets',
      'demo/tickets/src',
      'demo/till',
      'dist',
      'dist/tickets',
      'docs',
      'docs/tools',
      'scripts',
      'skills/strobe',
      'src/client',
      'src/collector/frida',
      'src/testing/reporters',
    ]);
    expect(names.filter((name) => name.startsWith('dist/')).toSorted()).toEqual(
      (
        'agent.js client.js daemon.js demangler.wasm engine.so exportWorker.js host.so indexWorker.js ledger licenses.txt midi ' +
        'node.node nodeLoader.mjs nodePreload.cjs nodeStart.cjs outside outside.target packWorker.js provisionMain.js python.so queryWorker.js ranks report.html rewriteWorker.js sampler serial spotter ' +
        'sql.so sqlMain.js sqlite.node stage stopper supervisor symbolWorker.js tickets/main.mjs tickets/rater.mjs uiWorker.js watcher'
      )
        .split(' ')
        .map((name) => `dist/${name}`),
    );
    const scripts = names.filter((name) => name.startsWith('scripts/')).toSorted();
    expect(scripts).toEqual(
      ['manifestAnswers', 'start', 'waiting'].map((name) => `scripts/${name}.cjs`),
    );
    expect(names.length).toBeLessThanOrEqual(150);
    expect(numberAt(packed, 'unpackedSize')).toBeLessThanOrEqual(16 << 20);
  });

  test('has every part that is looked for where it is installed', () => {
    const { root, version: _version, ...parts } = installPaths();
    const missing = Object.values(parts)
      .map((part) => part.slice(root.length + 1))
      .filter((part) => !paths().some((path) => path === part || path.startsWith(`${part}/`)));
    expect(missing).toEqual([]);
  });

  test('asks for no newer C library than it says', () => {
    for (const path of paths().filter((name) => /^dist\/([a-z]+|.*\.(so|node))$/.test(name))) {
      const listed = execFileSync('objdump', ['-T', join(packageRoot, path)]).toString();
      const asked = [...listed.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
      expect([path, Math.max(0, ...asked)]).toEqual([
        path,
        expect.toSatisfy((minor: number) => minor <= newestGlibc),
      ]);
    }
  });

  test('runs where it is installed, without a compiler, scripts, packages or a registry', async () => {
    const version = await strobe(['version']);
    expect([version.code, version.stderr]).toEqual([0, '']);
    expect(version.stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);

    const doctor = await strobe(['doctor']);
    expect([doctor.code, doctor.stdout.toString()]).toEqual([
      0,
      expect.stringMatching(/✓ compiler +not needed/),
    ]);

    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
    const served = await strobe(['mcp'], `${asked}\n`);
    expect(at(JSON.parse(served.stdout.toString()), 'result', 'serverInfo', 'name')).toBe('strobe');

    const demo = await strobe(['demo']);
    expect(demo.code, `${demo.stdout.toString()}\n${demo.stderr}`).toBe(0);
    expect(demo.stdout.toString()).toMatch(
      /^WHY {2}(?=.*paymentId="tr-\d{6}").*remember\(.*\bwindowMs=45\b/m,
    );
  });
});
