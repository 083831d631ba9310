import { expect, test } from 'vitest';
import { orderFrom } from '../src/order.ts';
import { price } from '../src/price.ts';

test('two pieces and a gift', () => {
  expect(price(orderFrom({ pieces: '2', gift: '1' }))).toBe(15);
});
