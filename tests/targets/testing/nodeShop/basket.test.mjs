import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Basket } from './src/basket.mjs';

describe('Basket', () => {
  it('sums up', () => {
    assert.equal(new Basket().add('tea', 2).add('cup').subtotal(), 1100);
  });

  it('takes the share of gold members off', async () => {
    assert.equal(await new Basket().add('cup').total('gold'), 480);
  });

  it('asks others for all', async () => {
    assert.equal(await new Basket().add('cup').total(null), 600);
  });
});
