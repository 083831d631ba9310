import assert from 'node:assert';
import { test } from 'node:test';
import { Gallery } from '../src/gallery.js';

const pictures = ['sea', 'hill', 'moor', 'lake', 'fjord', 'dune', 'cave', 'isle'];

test('shows rows of two', () => {
  assert.deepStrictEqual(new Gallery(pictures).rows(2), [
    ['fjord', 'dune'],
    ['cave', 'isle'],
  ]);
});

test('links its pages', () => {
  assert.strictEqual(new Gallery(pictures).footer(2), '1 [2]');
});
