import { test } from 'vitest';
import { expectThinned, expectWhole } from '../../tests/support/burst.ts';

test.each([
  [2_000, 3_000_000, 1],
  [10_000, 500_000, 4],
])(
  '[hot.room] [hot.exact] stores every call of a burst: %i functions, %i calls in each of %i threads',
  async (functions, calls, threads) => {
    await expectWhole(functions, calls, threads);
  },
);

test.each([
  ['even', 10, 1],
  ['even', 2_000, 1],
  ['even', 10_000, 4],
  ['skewed', 2_000, 4],
  ['deep', 2_000, 2],
])(
  '[hot.room] [hot.exact] thins a burst that the rings cannot hold, and loses none: %s, %i functions, %i threads',
  async (mode, functions, threads) => {
    await expectThinned(mode, functions, threads);
  },
);
