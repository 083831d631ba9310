import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventLines } from '../../../src/testing/formats/eventLines.ts';

interface JestReporter {
  onTestCaseResult(test: object, result: object): void;
  onTestResult(test: object, result: object): void;
}

test('[test.jest] a skipped test is told though one of its name ran in a file beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-reporter-'));
  const report = join(folder, 'events.jsonl');
  process.env['STROBE_TEST_REPORT'] = report;
  const load = createRequire(import.meta.url);
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- a module of CommonJS, which runners load.
  const Reporter: new () => JestReporter = load('../../../src/testing/reporters/strobeJest.cjs');
  const reporter = new Reporter();
  const works = { fullName: 'works', title: 'works', ancestorTitles: [] };
  const [a, b] = [
    { path: join(process.cwd(), 'a.test.js') },
    { path: join(process.cwd(), 'b.test.js') },
  ];
  const passed = { ...works, status: 'passed' };
  reporter.onTestCaseResult(a, passed);
  reporter.onTestResult(b, { testResults: [{ ...works, status: 'pending' }] });
  reporter.onTestResult(a, { testResults: [passed] });
  const events = new EventLines().push(readFileSync(report));
  rmSync(folder, { recursive: true });
  const told = events.map((event) =>
    event.kind === 'finished' ? `${event.result.id} ${event.result.outcome}` : event.kind,
  );
  expect(told).toEqual(['a.test.js > works passed', 'b.test.js > works skipped']);
});
