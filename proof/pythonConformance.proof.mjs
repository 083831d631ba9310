/*
 * The conformance suite of tracers on every version of Python that is there, a table of its cases by version.
 * `node proof/pythonConformance.proof.mjs 3.9` runs one version; rows of the day that are not made anew stay.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordRows, recordedRows } from './support/record.mjs';

const file = 'tests/integration/tracers/python.test.ts';
const folder = mkdtempSync(join(tmpdir(), 'sproof-'));
const report = join(folder, 'report.json');
const named = process.argv.slice(2);
const rows = [];
try {
  const only =
    named.length > 0 ? ['-t', `Python (${named.join('|')}) `.replaceAll('.', '\\.')] : [];
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  spawnSync(
    process.execPath,
    [vitest, 'run', file, '--reporter=json', `--outputFile=${report}`, ...only],
    {
      cwd: root,
      env: { ...process.env, STROBE_PROOF: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const byVersion = new Map();
  for (const { ancestorTitles, title, status } of testResults.flatMap(
    (one) => one.assertionResults,
  )) {
    const version = /^Python (.+) \[/.exec(ancestorTitles[0] ?? '')?.[1];
    if (version === undefined || (status !== 'passed' && status !== 'failed')) continue;
    const cases = byVersion.get(version) ?? { passed: [], failed: [] };
    byVersion.set(version, cases);
    cases[status].push(title);
  }
  for (const [python, { passed, failed }] of byVersion)
    rows.push({ python, passed: passed.length, failed: failed.length, which: failed.join('; ') });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const all = new Map(
  [...recordedRows('pythonConformance'), ...rows].map((row) => [row.python, row]),
);
const table = [...all.values()].toSorted((a, b) =>
  a.python.localeCompare(b.python, 'en', { numeric: true }),
);
const good = table.filter(({ failed }) => failed === 0).length;
const verdict = `${good} of ${table.length} interpreters carry out every case of the tracers' conformance suite`;
console.log(verdict);
console.log(rows);
recordRows('pythonConformance', verdict, table);
if (rows.length === 0 || rows.some(({ failed }) => failed > 0)) process.exitCode = 1;
