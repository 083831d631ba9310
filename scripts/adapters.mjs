/*
 * Puts a gdb that speaks the Debug Adapter Protocol into .cache/adapters: `node scripts/adapters.mjs`, which `npm test`
 * does. It comes from PyPI, as that of many distributions is older than 14. Without Python, what needs it is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = '18.1.0.post1';
const limitMs = 300_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'adapters');

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', timeout: limitMs }).status === 0;
}

if (!existsSync(join(folder, 'bin', 'gdb'))) {
  const isThere =
    run('python3', ['-m', 'venv', '--clear', folder]) &&
    run(join(folder, 'bin', 'pip'), [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
      `gdb-for-pwndbg==${version}`,
    ]);
  if (!isThere) console.error('No gdb for tests: Python or its registry did not give one.');
}
