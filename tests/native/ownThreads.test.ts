import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

/** What a program prints that has one file of the engine in it, which has its name. */
function printedWith(file: string): string {
  // Built targets are kept by their flags: this one changes with the engine.
  const source = readFileSync(join(packageRoot, 'native/engine', file));
  const version = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const program = buildTarget(`engine/${file}`, ['-pthread', `-DSOURCE=0x${version}`]);
  return execFileSync(program, { timeout: 50_000 }).toString();
}

itNeeds(
  'root',
  "[trace.short-threads] a program's thread that has the number of one of ours that ended is the program's",
  () => {
    expect(printedWith('ownThreads.c')).toBe('ours 1\nanother 0\n');
  },
);

it('[enter.namespaces] a thread that has just ended does not forbid what one that stays forbids', () => {
  expect(printedWith('oneThread.c')).toBe('failed 0\nbeside another -1, EINVAL 1\n');
});
