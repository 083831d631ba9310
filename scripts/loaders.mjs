/*
 * Installs the loaders, compilers and coverage tools that tests of Node's tracer run, from npm, into .cache/loaders:
 * `node scripts/loaders.mjs`, which `npm test` does. What cannot be had is skipped there.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dependencies = {
  '@swc-node/register': '1.12.1',
  '@swc/core': '1.16.22',
  '@vitest/coverage-istanbul': '4.1.12',
  '@vitest/coverage-v8': '4.1.12',
  c8: '12.0.0',
  esbuild: '0.28.2',
  'ts-loader': '9.6.2',
  'ts-node': '10.9.2',
  tsx: '4.23.15',
  typescript: '5.9.3',
  vitest: '4.1.12',
  webpack: '5.113.0',
  'webpack-cli': '7.3.1',
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'loaders');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit' });
process.exitCode = status === 0 ? 0 : 1;
