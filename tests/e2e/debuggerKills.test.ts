import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { testHome } from '../support/suite.ts';
import { packageRoot, runProgram } from '../support/strobe.ts';

const limitMs = 240_000;
vi.setConfig({ testTimeout: limitMs });

const kills = join(packageRoot, 'proof', 'debuggerKills.proof.mjs');

test('[stop.killed] a stopper that is killed while threads meet breakpoints harms no program', async () => {
  const { env, project } = testHome();
  const fixed = { KILL_ROUNDS: '10', KILL_SEED: '7', KILL_KIND: 'stopper' };
  const place = { env: { ...env, ...fixed }, cwd: project };
  const { stdout, stderr, code } = await runProgram(
    place,
    [process.execPath, kills, 'C++ -O0'],
    '',
    limitMs,
  );
  expect(stdout.toString()).toMatch(/ 0 programs harmed$/m);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
