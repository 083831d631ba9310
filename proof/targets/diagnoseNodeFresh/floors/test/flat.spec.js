import assert from 'node:assert';
import { rent } from '../src/flat.js';

describe('rent', () => {
  it('of a square room', () => {
    assert.strictEqual(rent([{ width: 3, depth: 4 }], 10), 120);
  });

  it('counts tenths of square metres', () => {
    assert.strictEqual(rent([{ width: 3.33, depth: 4.18 }], 10), 139);
  });
});
