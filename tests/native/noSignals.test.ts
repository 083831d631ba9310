import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

test('[attach.undisturbed] a thread of ours takes no signal of the program’s, also one that was just beginning another', () => {
  const program = buildTarget('engine/noSignals.c', ['-pthread']);
  const engine = join(packageRoot, 'dist/engine.so');
  const told = execFileSync(program, [engine], { timeout: 60_000 }).toString();
  expect(told).toBe('refused 0 hearing 0\n');
});
