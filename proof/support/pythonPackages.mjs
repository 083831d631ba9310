/* Packages of PyPI for a version of Python, in folders of .cache. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { pythonOf } from '../../bench/support/pythons.mjs';

/** Runs a version's own pip, or where it has none that of 3.12 for it; a sentence where it failed. */
export function pip(words, version = '3.12') {
  const own = pythonOf(version);
  const hasPip =
    own !== null && spawnSync(own, ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0;
  const forOther = hasPip ? [] : ['--python-version', version, '--only-binary', ':all:'];
  const quiet = ['--quiet', '--disable-pip-version-check', ...forOther];
  const program = hasPip ? own : pythonOf('3.12');
  const ended = spawnSync(program, ['-m', 'pip', ...words, ...quiet], { encoding: 'utf8' });
  return ended.status === 0 ? null : (ended.stderr.trim().split('\n').at(-1) ?? 'pip failed');
}

/** Has packages in a folder that is complete or not there; a sentence where they cannot be had. */
export function installed(folder, packages, version) {
  if (existsSync(folder)) return null;
  const why = pip(['install', '--target', folder, ...packages], version);
  if (why !== null) rmSync(folder, { recursive: true, force: true });
  return why;
}
