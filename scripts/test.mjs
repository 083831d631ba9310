/*
 * `npm test`: set-up, then every level of tests, in this order, ending with the line
 * `N passed, N failed[, N skipped]`. Arguments go to vitest; without any, what others make is installed
 * for the tests that run it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lastLine = join(root, '.cache', 'lastTestLine.txt');

function node(args, env = {}) {
  const ended = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return ended.status === 0;
}

rmSync(lastLine, { force: true });
const isSetUp = node([join(root, 'scripts/setup.mjs'), '--strict'], {
  STROBE_HOME: join(root, '.cache/home'),
});
const toVitest = process.argv.slice(2);
/** Two at a time: while one waits for a registry, the other works. */
const lanes = [
  ['frameworks', 'nodes', 'loaders', 'rustls'],
  ['pythons', 'pythonPeers', 'stagePrograms', 'delve', 'adapters'],
];
async function install(names) {
  for (const name of names) {
    const script = join(root, 'scripts', `${name}.mjs`);
    await once(
      spawn(process.execPath, [script], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }),
      'exit',
    );
  }
}
if (isSetUp && toVitest.length === 0) await Promise.all(lanes.map(install));
const passed = isSetUp && node([join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...toVitest]);
if (!existsSync(lastLine)) {
  console.error(
    isSetUp
      ? 'The tests did not come to an end.'
      : 'The tests were not started: the set-up failed.',
  );
}
// Whatever else was written, the counts are the last line.
console.log(existsSync(lastLine) ? readFileSync(lastLine, 'utf8').trim() : '0 passed, 1 failed');
process.exitCode = passed ? 0 : 1;
