/*
 * Installs the test frameworks that the tests of debug_test run and that no package of ours needs,
 * into .cache/frameworks: `node scripts/frameworks.mjs`. Without it those tests are skipped.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dependencies = { jest: '30.5.2', mocha: '12.0.3' };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'frameworks');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
const { status } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: folder,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
