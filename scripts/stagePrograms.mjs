/*
 * Brings a display server for tests of windows into .cache/stage: the package of Debian, unpacked and not installed, and
 * a script that runs it where it sees its own files below /usr. Needs a user who may mount. Where one is installed
 * that is taken.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf, programIn, unpacked } from './foreign.mjs';

const bin = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'stage');

/** The text of a script that runs a program of an unpacked package with the package's files below /usr. */
function wrapper(folder, program) {
  const { LD_LIBRARY_PATH } = environmentOf(folder);
  const seen = `mount -t overlay overlay -o lowerdir=${folder}/usr:/usr /usr`;
  return `#!/bin/sh\nexec unshare -m sh -c '${seen} && LD_LIBRARY_PATH=${LD_LIBRARY_PATH} exec "$0" "$@"' ${program} "$@"\n`;
}

try {
  const folder = unpacked('xvfb');
  mkdirSync(bin, { recursive: true });
  const path = join(bin, 'Xvfb');
  const program = programIn(folder, 'usr/bin/Xvfb');
  // Of what is installed nothing was unpacked.
  if (existsSync(join(folder, 'usr'))) {
    writeFileSync(path, wrapper(folder, program));
    chmodSync(path, 0o755);
  } else rmSync(path, { force: true });
  console.log(program);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
