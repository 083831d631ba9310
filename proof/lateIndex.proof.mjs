/*
 * A hundred runs of proof/tests/lateIndex.test.ts, ten at a time. Arguments choose tens: `node proof/lateIndex.proof.mjs 0 1`;
 * those of the same day stay in the record.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordRows, recordedRows } from './support/record.mjs';

const tens = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [...Array(10).keys()];
const folder = mkdtempSync(join(tmpdir(), 'late-index-'));
try {
  for (const ten of tens) {
    const RUNS = `${10 * ten}-${10 * ten + 10}`;
    const TOLD = join(folder, RUNS);
    const words = ['run', '--config', 'proof/vitest.config.ts', 'proof/tests/lateIndex.test.ts'];
    const started = performance.now();
    const { status } = spawnSync(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), ...words],
      { cwd: root, stdio: 'inherit', env: { ...process.env, RUNS, TOLD } },
    );
    const told = status === 0 ? JSON.parse(readFileSync(TOLD, 'utf8')) : {};
    const row = {
      runs: RUNS,
      outcome: status === 0 ? 'nothing too early' : 'FAILED',
      'final answers': told.final ?? '',
      'said to be behind': told.behind ?? '',
      seconds: ((performance.now() - started) / 1000).toFixed(0),
    };
    const others = recordedRows('lateIndex').filter(({ runs }) => runs !== RUNS);
    const rows = [...others, row].toSorted((a, b) => parseInt(a.runs) - parseInt(b.runs));
    const good = rows.filter(({ outcome }) => outcome !== 'FAILED').length;
    const verdict = `${10 * good} of ${10 * rows.length} runs on a loaded machine: no answer gives counts too early, or says that there was no output`;
    recordRows('lateIndex', verdict, rows);
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
