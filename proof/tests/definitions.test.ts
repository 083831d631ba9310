import { expect, test } from 'vitest';
import { play, ringPath, told } from '../../tests/support/scenes.ts';

test('[runtimes.many] a million definitions are read by who comes later; what has no number is not recorded', () => {
  const ring = ringPath();
  const { last } = play(ring, 'many', '1000000');
  expect(last).toBe(0);
  const { seen, lost } = told(ring, 'counts');
  expect(seen).toEqual({ functions: 2 ** 20 - 65_536, events: 2 * 984 });
  expect(lost).toEqual({});
}, 600_000);
