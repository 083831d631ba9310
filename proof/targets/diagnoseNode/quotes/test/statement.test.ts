import { expect, test } from 'vitest';
import { statement } from '../src/statement.ts';

test('a statement in two currencies', () => {
  const holdings = [
    { metal: 'gold', grams: 10 },
    { metal: 'silver', grams: 100 },
  ];
  expect(statement(holdings, ['EUR', 'USD'])).toEqual(['920 EUR', '1150 USD']);
});
