import assert from 'node:assert';
import { test } from 'node:test';
import { notice } from '../src/notice.js';

test('one release', () => {
  assert.strictEqual(notice(['1.2.0 May']), 'Update to 1.2.0 of May');
});

test('the newest of three', () => {
  const lines = ['1.9.0 June', '1.10.0 July', '1.2.0 May'];
  assert.strictEqual(notice(lines), 'Update to 1.10.0 of July');
});
