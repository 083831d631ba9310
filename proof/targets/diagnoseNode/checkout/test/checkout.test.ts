import { expect, test } from 'vitest';
import { checkout } from '../src/checkout.ts';
import { Stock } from '../src/stock.ts';

test('the last lamp is sold once', async () => {
  const stock = new Stock({ lamp: 1, sofa: 3 });
  const served = await checkout(stock, 'Ada wants lamp\nBo wants lamp\nCy wants sofa');
  expect(served).toEqual(['Ada', 'Cy']);
});
