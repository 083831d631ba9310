import assert from 'node:assert';
import { nameOf } from '../src/names.js';
import { upload } from '../src/upload.js';

describe('upload', () => {
  it('names parts', () => {
    assert.strictEqual(nameOf(2), 'part-2.txt');
  });

  it('says how many parts there are', async () => {
    assert.strictEqual(await upload('one|two|three'), '3 parts');
  });
});
