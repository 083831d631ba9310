/*
 * Puts other tools that look into a Python program into .cache/pythonPeers, an environment for each of two versions of
 * Python: `node scripts/pythonPeers.mjs`, which `npm test` does. What cannot be had is skipped there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'pythonPeers');
const common = ['coverage==7.17.5', 'greenlet==3.5.6', 'viztracer==1.1.1'];
/** By version: one with the profile hook, one with sys.monitoring. */
const packages = {
  // A debugpy that does not say which breakpoint was hit.
  3.11: [...common, 'debugpy==1.8.14'],
  3.12: [
    ...common,
    'pytest==9.2.0',
    'pytest-cov==7.1.0',
    'debugpy==1.8.22',
    'uv==0.13.9',
    'numpy==2.5.5',
  ],
};
const limitMs = 180_000;

/** Those of pyenv. */
function interpreters() {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  if (!existsSync(versions)) return [];
  return Object.keys(packages).flatMap((minor) => {
    const version = readdirSync(versions).find((name) => name.startsWith(`${minor}.`));
    return version ? [[minor, join(versions, version, 'bin', `python${minor}`)]] : [];
  });
}

function run(command, words) {
  return spawnSync(command, words, { stdio: 'inherit', timeout: limitMs }).status === 0;
}

let isWhole = true;
for (const [minor, python] of interpreters()) {
  const place = join(folder, minor);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...packages[minor],
  ];
  const isMade = existsSync(place) || run(python, ['-m', 'venv', place]);
  isWhole = isMade && run(join(place, 'bin', 'python'), pip) && isWhole;
}
process.exitCode = isWhole ? 0 : 1;
