import { expect, test } from 'vitest';
import {
  renderTestRun,
  renderTestRunList,
} from '../../../src/daemon/report/tests/testRunAnswer.ts';
import type { ReportedFailure, TestRunReport } from '../../../src/model/tests/testReport.ts';
import { answersOf } from './expectAnswer.ts';

const expectAnswer = answersOf(import.meta.dirname, 'testRun', 'debug_test');
const root = '/home/me/shop';

function failure(name = 'tests/test_cart.py::test_total'): ReportedFailure {
  return {
    result: {
      id: name,
      name,
      file: `${root}/tests/test_cart.py`,
      line: 42,
      outcome: 'failed',
      durationMs: 12.5,
      reason: null,
      failure: {
        message:
          'assert 2 == 6\n +  where 2 = total()\n +    where total = <shop.Cart object at 0x7f>.total',
        expected: '6',
        actual: '2',
        frames: [],
        output: Array.from({ length: 40 }, (_, n) => `line ${n}: items [('tea', 2, 3)]`).join('\n'),
      },
    },
    ownFrames: [
      { function: 'Cart.total', file: `${root}/shop/cart.py`, line: 17 },
      { function: 'Checkout.sum', file: `${root}/shop/checkout.py`, line: 88 },
      { function: 'test_total', file: `${root}/tests/test_cart.py`, line: 46 },
    ],
    suggestedTraces: ['Cart.total', 'Checkout.sum'],
    rerunCommand: `pytest ${name}`,
    isFlaky: false,
  };
}

function report(changes: Partial<TestRunReport> = {}): TestRunReport {
  return {
    id: 'shop-k7f2q9',
    projectRoot: root,
    root,
    framework: 'pytest',
    language: 'Python',
    reasons: [
      'pytest: pyproject.toml has [tool.pytest…]',
      'also unittest: tests/old.py uses unittest',
    ],
    command: ['pytest'],
    state: { kind: 'ended', by: 'itself', verdict: 'passed', exit: 'status 0' },
    startedAtMs: Date.UTC(2026, 1, 5, 14, 32),
    elapsedMs: 3214,
    phase: 'done',
    counts: { passed: 47, failed: 0, skipped: 1, expectedFailures: 0 },
    expected: 48,
    current: [],
    failures: [],
    buildProblems: [],
    troubles: [],
    warnings: [],
    stuck: [],
    hint: null,
    project: null,
    outputTail: 'a tail of the output',
    isPart: false,
    details: '/home/me/.strobe/tests/shop-k7f2q9/details.json',
    sessionId: null,
    diagnoses: [],
    ...changes,
  };
}

const bad = (verdict: 'failed' | 'noTests' | 'compileError' | 'crashed') =>
  ({ state: { kind: 'ended', by: 'itself', verdict, exit: 'status 1' } }) as const;

const cases: Readonly<Record<string, { report: TestRunReport; budget: number }>> = {
  green: { report: report(), budget: 120 },
  oneFailure: {
    report: report({
      ...bad('failed'),
      counts: { passed: 47, failed: 1, skipped: 0, expectedFailures: 2 },
      failures: [failure()],
    }),
    budget: 600,
  },
  manyFailures: {
    report: report({
      ...bad('failed'),
      counts: { passed: 7, failed: 40, skipped: 0, expectedFailures: 0 },
      failures: Array.from({ length: 40 }, (_, n) => failure(`tests/test_cart.py::test_${n}`)),
    }),
    budget: 2000,
  },
  compileErrors: {
    report: report({
      ...bad('compileError'),
      counts: { passed: 0, failed: 0, skipped: 0, expectedFailures: 0 },
      buildProblems: [
        { file: `${root}/src/cart.rs`, line: 7, column: 5, message: 'cannot find value `totl`' },
      ],
    }),
    budget: 300,
  },
  noTests: {
    report: report({
      ...bad('noTests'),
      command: ['pytest', 'tests/test_none.py'],
      isPart: true,
      project: { language: 'Python', buildSystem: 'pip', testFiles: ['tests/test_cart.py'] },
      counts: { passed: 0, failed: 0, skipped: 0, expectedFailures: 0 },
    }),
    budget: 300,
  },
  running: {
    report: report({
      state: { kind: 'running' },
      phase: 'running',
      counts: { passed: 12, failed: 1, skipped: 0, expectedFailures: 0 },
      current: [{ name: 'tests/test_net.py::test_slow', forMs: 18_200 }],
      failures: [failure()],
    }),
    budget: 700,
  },
};

test('a run of the whole project that finds no tests does not propose itself', () => {
  const { text } = renderTestRun(report(bad('noTests')), 'run', 300);
  expect(text).toContain('NO TESTS');
  expect(text).not.toContain('next:');
});

for (const [name, { report: one, budget }] of Object.entries(cases)) {
  test(`[test.budget] ${name}`, async () => {
    const answer = renderTestRun(one, 'run', name === 'manyFailures' ? budget : 2000);
    await expectAnswer(name, answer, { budget });
  });
}

test('the list of runs', async () => {
  const answer = renderTestRunList(
    [
      {
        id: 'shop-k7f2q9',
        framework: 'pytest',
        command: 'pytest',
        state: 'itself',
        verdict: 'failed',
        passed: 46,
        failed: 1,
        skipped: 0,
        durationMs: 3214,
        startedAtMs: 0,
      },
    ],
    120_000,
  );
  await expectAnswer('list', answer, { budget: 300 });
});
