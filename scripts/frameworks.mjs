/*
 * Installs the test frameworks that the tests of debug_test run and that no package of ours needs,
 * into .cache/frameworks (pytest with pytest-xdist in an environment of its own), and Perfetto's schema, which reads an export, into .cache/perfetto:
 * `node scripts/frameworks.mjs`, which `npm test` does. What cannot be had is skipped there.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dependencies = { jest: '30.5.2', mocha: '12.0.3', bun: '1.4.5', deno: '2.9.6' };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'frameworks');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
const run = (command, words) =>
  spawnSync(command, words, { cwd: folder, stdio: 'inherit' }).status === 0;
// Scripts of packages are left out, but for two that put a program in place.
const isInstalled =
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund']) &&
  run(process.execPath, ['node_modules/bun/install.js']) &&
  run(process.execPath, ['node_modules/deno/install.cjs']);
const schema = ['perfetto==0.59.1', 'protobuf==7.36.2'];
const target = ['--no-deps', '--target', join(root, '.cache', 'perfetto')];
const pip = ['-m', 'pip', 'install', '--quiet', '--upgrade', ...target, ...schema];
const hasSchema = run('python3', pip);
const python = join(folder, 'python');
const pytestWords = ['-m', 'pip', 'install', '--quiet', 'pytest==9.2.0', 'pytest-xdist==3.8.0'];
const hasPytest =
  run('python3', ['-m', 'venv', python]) && run(join(python, 'bin', 'python'), pytestWords);
process.exitCode = isInstalled && hasSchema && hasPytest ? 0 : 1;
