/* A screen that nobody sees (Xvfb), for programs with windows; one for a proof. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { environmentOf, programIn, unpacked } from '../../scripts/foreign.mjs';

let screen = null;

/** The environment of programs that show themselves there. */
export function display() {
  screen ??= start();
  return { DISPLAY: screen.name };
}

function start() {
  const folder = unpacked('xvfb');
  const program = programIn(folder, 'usr/bin/Xvfb');
  if (program === null) throw new Error('Xvfb is not in its package');
  let number = 90;
  while (existsSync(`/tmp/.X11-unix/X${number}`) || existsSync(`/tmp/.X${number}-lock`)) number++;
  const name = `:${number}`;
  // It looks for its keyboards below /usr: there it sees its packages, and nobody else does.
  const seen = `mount -t overlay overlay -o lowerdir=${folder}/usr:/usr /usr`;
  const words = [name, '-screen', '0', '800x600x24', '-nolisten', 'tcp'];
  const shell = ['-m', 'sh', '-c', `${seen}; exec "$@"`, 'sh', program, ...words];
  const env = { ...process.env, ...environmentOf(folder) };
  const child = spawn('unshare', shell, { env, stdio: 'ignore' });
  child.unref();
  process.on('exit', () => child.kill());
  const until = performance.now() + 10_000;
  while (!existsSync(`/tmp/.X11-unix/X${number}`)) {
    if (performance.now() > until || child.exitCode !== null)
      throw new Error('Xvfb does not start');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  return { name };
}
