import assert from 'node:assert';
import { test } from 'node:test';
import { Remote } from '../src/remote.js';
import { sync } from '../src/sync.js';

test('says which files could not be stored', async () => {
  const report = await sync(new Remote('film'), ['text', 'film']);
  assert.deepStrictEqual(report.failed, ['film']);
});
