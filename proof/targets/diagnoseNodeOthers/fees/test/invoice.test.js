import assert from 'node:assert';
import { test } from 'node:test';
import { Invoice } from '../src/invoice.js';

test('a small invoice', () => {
  assert.strictEqual(new Invoice([{ price: 20, count: 2 }]).total(), 42);
});

test('an invoice at the border of a band', () => {
  const invoice = new Invoice([{ price: 25, count: 4 }]);
  assert.strictEqual(invoice.total(), 102);
});
