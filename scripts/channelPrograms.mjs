/*
 * Brings the programs of `proof/channels.proof.mjs` into .cache/channels: packages of Debian, unpacked and not installed,
 * each behind a script that runs it where it sees its own files. Needs a user who may mount. What is installed is taken.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf, unpacked, wrapper } from './foreign.mjs';

const bin = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'channels');
const programs = [
  'pulseaudio',
  'paplay',
  'aplay',
  'fluidsynth',
  'redis-server',
  'redis-cli',
  'xclip',
  'mousepad',
];
/** These need libraries alone, and are traced: in the place where they are. */
const plain = new Set(['redis-server', 'redis-cli', 'xclip']);

/** Where Debian's Python finds pyserial; null: it cannot be had. */
export function pythonSerial() {
  const folder = join(dirname(bin), 'channelPython');
  const has = () =>
    spawnSync('/usr/bin/python3', ['-c', 'import serial'], { env: pythonPath(folder) });
  if (has().status !== 0)
    spawnSync('/usr/bin/python3', [
      '-m',
      'pip',
      'install',
      '-q',
      '--target',
      folder,
      'pyserial==3.5',
    ]);
  return has().status === 0 ? folder : null;
}

function pythonPath(folder) {
  return { ...process.env, PYTHONPATH: folder };
}

/** The folder of the scripts; throws the reason where the packages cannot be had. */
export function channelPrograms() {
  const folder = unpacked('channels');
  // What a package's installation would make: programs of GTK end without the schemas of their settings.
  const compiler = join(folder, 'usr/bin/glib-compile-schemas');
  spawnSync(compiler, [join(folder, 'usr/share/glib-2.0/schemas')], {
    env: environmentOf(folder),
    stdio: 'ignore',
  });
  rmSync(bin, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  for (const name of programs) {
    const program = join(folder, 'usr/bin', name);
    if (!existsSync(program)) continue; // Installed.
    const { LD_LIBRARY_PATH } = environmentOf(folder);
    const path = join(bin, name);
    writeFileSync(
      path,
      plain.has(name)
        ? `#!/bin/sh\nLD_LIBRARY_PATH=${LD_LIBRARY_PATH} exec ${program} "$@"\n`
        : wrapper(folder, `/usr/bin/${name}`),
    );
    chmodSync(path, 0o755);
  }
  return bin;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(channelPrograms());
    console.log(pythonSerial() ?? 'pyserial: no pip of /usr/bin/python3');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
