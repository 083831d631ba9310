import assert from 'node:assert';
import { test } from 'node:test';
import { priceTag } from '../src/price.js';

test('adds the tax', () => {
  assert.strictEqual(priceTag({ id: 'c3', name: 'chair', net: 50 }, 'south'), 'chair 55');
});

test('each region has its own', () => {
  const lamp = { id: 'p1', name: 'lamp', net: 100 };
  const tags = [priceTag(lamp, 'north'), priceTag(lamp, 'south')];
  assert.deepStrictEqual(tags, ['lamp 120', 'lamp 110']);
});
