import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../support/strobe.ts';

test('generated files are fresh', () => {
  const done = spawnSync(
    process.execPath,
    [join(packageRoot, 'scripts', 'generate.mjs'), '--check'],
    { encoding: 'utf8' },
  );
  const [files] = /^\d+/m.exec(done.stderr) ?? ['0'];
  expect(done.stderr).toMatch(/generated files, 0 stale\n$/);
  expect(Number(files)).toBeGreaterThanOrEqual(8);
});
