import { expect, test } from 'vitest';
import { lengthOf } from '../src/route.ts';

test('sums up the way', () => {
  expect(lengthOf(['bergen', 'oslo'])).toBe(300);
  expect(lengthOf(['bergamo', 'oslo'])).toBe(900);
});
