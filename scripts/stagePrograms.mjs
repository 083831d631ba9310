/*
 * Brings a display server and a window manager for tests of windows into .cache/stage: packages of Debian, unpacked and
 * not installed, and a script for each that runs it where it sees its own files below /usr. Needs a user who may mount.
 * Where one is installed that is taken.
 */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programIn, unpacked, wrapper } from './foreign.mjs';

const bin = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'stage');

for (const [name, command] of [
  ['xvfb', 'Xvfb'],
  ['openbox', 'openbox'],
])
  try {
    const folder = unpacked(name);
    mkdirSync(bin, { recursive: true });
    const path = join(bin, command);
    const program = programIn(folder, `usr/bin/${command}`);
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
