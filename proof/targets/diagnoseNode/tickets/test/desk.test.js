import assert from 'node:assert';
import { test } from 'node:test';
import { Desk } from '../src/desk.js';

test('an idea needs a title and a body', () => {
  const desk = new Desk();
  assert.strictEqual(desk.file('idea', { title: 'Dark mode', body: 'Please.' }), 'filed');
});
