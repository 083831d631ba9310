/*
 * The tests of proof/tests, which need more time than `npm test` has, and those of tests that need a
 * compiler of LLVM's (scripts/clang.mjs) or one for musl (scripts/musl.mjs). Options go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';

for (const name of ['clang', 'musl'])
  spawnSync(process.execPath, [join(root, 'scripts', `${name}.mjs`)], { stdio: 'inherit' });
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const words = ['run', '--config', 'proof/vitest.config.ts', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [vitest, ...words], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
