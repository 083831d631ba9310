import { expect, test } from 'vitest';
import { week } from '../src/week.ts';

test('each show has seats of its own', () => {
  const [friday, saturday] = week(['friday', 'saturday']);
  friday.take(0);
  expect(saturday.free()).toBe(4);
});
