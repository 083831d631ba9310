import { expect, test } from 'vitest';
import { left } from '../src/budget.ts';

test('nothing was spent', () => {
  expect(left(100, '')).toBe(100);
});

test('what is left', () => {
  expect(left(2000, 'rent: 700\nfood: 300\n')).toBe(1000);
});
