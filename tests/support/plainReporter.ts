import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Where the last run's line is left for `scripts/test.mjs`. */
const lastLine = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '.cache',
  'lastTestLine.txt',
);

/**
 * Says why a test failed as soon as it has, and ends a run with the tests that passed only at the
 * second try, the reasons of the skipped tests, and one line: `N passed, N failed[, N skipped]`.
 */
export class PlainReporter implements Reporter {
  readonly #namesUnselected: boolean;

  /** `namesUnselected`: a test that was skipped without a reason is named, too. */
  constructor({ namesUnselected = true } = {}) {
    this.#namesUnselected = namesUnselected;
  }

  /** At once: a run may be cut short before its report. */
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    const word = state === 'failed' ? 'failed' : 'failed at the first try';
    for (const { message, diff = '', stack = '' } of errors) {
      const [place = ''] = stack.split('\n').filter((line) => line.startsWith('    at '));
      process.stdout.write(`${word}: ${test.fullName}: ${message}\n${place}\n${diff}\n`);
    }
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandled.length;
    const skipped: string[] = [];
    const tried: string[] = [];
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky === true)
          tried.push(`${test.fullName}: ${test.result().errors?.[0]?.message ?? ''}`);
        if (state === 'passed') passed += 1;
        else if (state !== 'skipped') failed += 1;
        else if (this.#namesUnselected || reasonOf(test) !== null)
          skipped.push(`${test.fullName}: ${reasonOf(test) ?? 'no reason given'}`);
      }
      // A file that could not be loaded, or whose hooks failed, has no failed test of its own.
      const own = tests.some((test) => test.result().state === 'failed');
      if (module.state() === 'failed' && !own) failed += 1;
    }
    const line = `${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;
    for (const text of tried) process.stdout.write(`passed at the second try: ${text}\n`);
    for (const text of skipped) process.stdout.write(`skipped: ${text}\n`);
    process.stdout.write(`${line}\n`);
    mkdirSync(dirname(lastLine), { recursive: true });
    writeFileSync(lastLine, `${line}\n`);
  }
}

function reasonOf(test: TestCase): string | null {
  const result = test.result();
  return (result.state === 'skipped' && result.note) || null;
}
