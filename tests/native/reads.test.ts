import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

const source = [
  'readSafely.c',
  'reads.c',
  'waitingFiles.c',
  'maps.c',
  join(process.arch, 'copies.h'),
]
  .map((name) => readFileSync(join(packageRoot, 'native/engine', name), 'utf8'))
  .join('');
/** Built targets are kept by their flags: this one changes with the engine. */
const version = createHash('sha256').update(source).digest('hex').slice(0, 12);

function built(target: string): string {
  const flags = ['-O2', '-pthread', '-fno-strict-aliasing', `-DSOURCE=0x${version}`];
  return buildTarget(target, flags);
}

function run(way: 'transactions' | 'without'): string {
  return execFileSync(built('engine/readsAlone.c'), [way], { timeout: 60_000 }).toString();
}

it('[trace.hazards] memory that goes at any time is read without harm by asking the kernel', () => {
  expect(run('without')).toBe('without\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n');
});

itNeeds(
  'transactions',
  '[trace.hazards] memory that goes at any time is read without harm in transactions',
  () => {
    expect(run('transactions')).toBe('transactions\n0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0\n');
  },
);

it("[trace.hazards] a table of mappings that could not be read anew is nobody's memory", () => {
  const said = execFileSync(built('engine/mapsAgain.c'), { timeout: 60_000 }).toString();
  expect(said).toBe('found 0, left alone 1\n');
});
