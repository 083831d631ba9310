import { describe, expect, test } from 'vitest';
import { quotes } from '../src/quote.ts';

describe('quotes', () => {
  test('parcels to far countries', () => {
    expect(quotes([{ to: 'JP', items: [{ name: 'book', grams: 900 }] }])).toEqual([3000]);
  });

  test('parcels of one day', () => {
    const book = { name: 'book', grams: 900 };
    const vase = { name: 'vase', grams: 2400 };
    expect(
      quotes([
        { to: 'CH', items: [book] },
        { to: 'DE', items: [book, vase] },
      ]),
    ).toEqual([810, 500]);
  });
});
