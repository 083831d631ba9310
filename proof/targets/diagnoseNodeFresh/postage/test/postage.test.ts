import { expect, test } from 'vitest';
import { postage } from '../src/postage.ts';

test('a letter to a neighbour', () => {
  expect(postage({ country: 'FR', grams: 200 })).toBe(300);
});

test('a parcel to an island', () => {
  expect(postage({ country: 'MT', grams: 1200 })).toBe(940);
});
