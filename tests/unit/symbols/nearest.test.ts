import { expect, test } from 'vitest';
import { editDistance } from '../../../src/symbols/native/index/nearestFunctions.ts';

test.each([
  ['deposit', 'deposit', 0],
  ['depposit', 'deposit', 1],
  ['dpeosit', 'deposit', 1],
  ['depot', 'deposit', 2],
  ['', 'ab', 2],
  ['abcdef', 'uvwxyz', null],
])('from %s to %s: %s', (from, to, expected) => {
  expect(editDistance(from, to, 3)).toBe(expected);
});
