/*
 * Installs the test frameworks that the tests of debug_test run and that no package of ours needs,
 * into .cache/frameworks, and Perfetto's schema, which reads an export, into .cache/perfetto:
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
// These two are programs that their scripts put in place; scripts of others' dependencies are left out.
const isInstalled = [
  ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
  ['rebuild', 'bun', 'deno'],
].every((words) => spawnSync('npm', words, { cwd: folder, stdio: 'inherit' }).status === 0);
const schema = ['perfetto==0.59.1', 'protobuf==7.36.2'];
const target = ['--no-deps', '--target', join(root, '.cache', 'perfetto')];
const pip = spawnSync(
  'python3',
  ['-m', 'pip', 'install', '--quiet', '--upgrade', ...target, ...schema],
  {
    stdio: 'inherit',
  },
);
process.exitCode = isInstalled && pip.status === 0 ? 0 : 1;
