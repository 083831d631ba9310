/*
 * `npm test`: set-up, then every level of tests, in this order, ending with the line
 * `N passed, N failed[, N skipped]`. Arguments go to vitest; without any, what others make is installed
 * for the tests that run it.
 */
import { spawnSync } from 'node:child_process';
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
const installers = [
  'frameworks',
  'nodes',
  'loaders',
  'pythons',
  'pythonPeers',
  'stagePrograms',
  'delve',
  'rustls',
  'adapters',
];
if (isSetUp && toVitest.length === 0)
  for (const name of installers) node([join(root, 'scripts', `${name}.mjs`)]);
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
