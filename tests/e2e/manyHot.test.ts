import { test } from 'vitest';
import { expectThinned, expectWhole } from '../support/burst.ts';

// More shapes of them are in proof/tests/hotFunctions.test.ts.
test('[hot.room] [hot.exact] stores every call of a burst over 2,000 functions', async () => {
  await expectWhole(2_000, 1_000_000, 1);
});

test('[hot.room] [hot.exact] thins a burst over 2,000 functions that the rings cannot hold, and loses none', async () => {
  await expectThinned('skewed', 2_000, 4);
});
