import { expect, test } from 'vitest';
import { attempts, plan } from '../src/plan.ts';

test('usual jobs', () => {
  expect(attempts(plan(['mail', 'log'], []))).toBe(6);
});

test('an urgent job is tried more often than others', () => {
  expect(attempts(plan(['backup', 'mail', 'log'], ['backup']))).toBe(16);
});
