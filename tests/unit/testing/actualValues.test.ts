import { expect, test } from 'vitest';
import { actualValues, asResult } from '../../../src/testing/actualValues.ts';

const failure = (
  message: string,
  expected: string | null = null,
  actual: string | null = null,
) => ({
  message,
  expected,
  actual,
  frames: [],
  output: '',
});

test.each([
  ['Expected equality of these values:\n  5\n  area(2, 3)\n    Which is: 6', ['6']],
  ['Expected equality of these values:\n  area(2, 3)\n    Which is: 6\n  5', ['6']],
  ['Value of: cache.contains("b")\n  Actual: false\nExpected: true', ['false']],
  ['Expected: (a()) < (b()), actual: 5 vs 3', ['5', '3']],
  [
    'The difference between mean(v) and 2.5 is 0.5, which exceeds 1e-9, where\nmean(v) evaluates to 2,\n2.5 evaluates to 2.5, and',
    ['2.5', '2'],
  ],
] as const)('[test.diagnose] values that a failure complains of: %s', (message, wanted) => {
  expect(actualValues(failure(message))).toEqual(wanted);
});

test('[test.diagnose] a text is compared as the number or the truth value that it is', () => {
  expect(['12', '-2.5', 'true', '"12"', 'red', '0x10'].map(asResult)).toEqual([
    12,
    -2.5,
    true,
    '12',
    'red',
    '0x10',
  ]);
});
