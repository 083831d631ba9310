import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from './strobe.ts';

/** The home whose `runtime` folder holds Frida for all tests of this clone. */
const provisionedHome = join(packageRoot, '.cache', 'home');

/**
 * Builds the product and provisions Frida before tests that run it. Everything that is up to date
 * is skipped; what fails is shown, and the tests that need it say so themselves.
 */
export function setup(): void {
  const done = spawnSync(process.execPath, [join(packageRoot, 'scripts', 'setup.mjs')], {
    env: { ...process.env, STROBE_HOME: provisionedHome },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0)
    process.stderr.write('The product is not built completely: expect failures.\n');
}
