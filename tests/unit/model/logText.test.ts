import { expect, test } from 'vitest';
import { logExpressions, withExpressions } from '../../../src/model/probes/logText.ts';

test.each([
  ['{account->name}: {cents}', ['account->name', 'cents']],
  ['{"sum": { sum }}', ['sum']],
  ['no expression', []],
])('[break.log] the expressions of %s', (log, wanted) => {
  expect(logExpressions(log)).toEqual(wanted);
});

test.each([
  ['sum={sum', '"{" at column 5 has no "}"'],
  ['{a {b}', '"{" at column 1 has no "}"'],
  ['sum} {a}', '"}" at column 4 has no "{"'],
])('[break.log] names the column of a brace without its other in %s', (log, why) => {
  expect(() => logExpressions(log)).toThrow(`"${log}" cannot be read: ${why}.`);
});

test('[break.log] what an expression is stands in its place', () => {
  const shown = (expression: string) => (expression === 'sum' ? '7' : null);
  expect(withExpressions('sum={ sum } {other}', shown)).toBe('sum=7 {other}');
});
