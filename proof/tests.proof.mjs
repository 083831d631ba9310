/*
 * The tests of proof/tests: promises as those of `npm test`, which need an emulator, a compiler that few machines
 * have, or more time than `npm test` has. Options go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const words = ['run', '--config', 'proof/vitest.config.ts', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [vitest, ...words], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
