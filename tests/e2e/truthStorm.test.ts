import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { testHome } from '../support/suite.ts';
import { packageRoot, runProgram } from '../support/strobe.ts';

const limitMs = 240_000;
vi.setConfig({ testTimeout: limitMs });

const storm = join(packageRoot, 'proof', 'truthStorm.proof.mjs');

test('[stop.truth] after each of forty random verbs the answers say of a C++ program what the kernel and the program itself say', async () => {
  const { env, project } = testHome();
  const fixed = { TRUTH_VERBS: '40', TRUTH_SEED: '7', TRUTH_CLIENTS: '1', TRUTH_RECORD: '0' };
  const place = { env: { ...env, ...fixed }, cwd: project };
  const { stdout, stderr, code } = await runProgram(
    place,
    [process.execPath, storm, 'C++'],
    '',
    limitMs,
  );
  expect(stdout.toString()).toMatch(/^seed 7: 4\d random verbs: .*, 0 different$/m);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
