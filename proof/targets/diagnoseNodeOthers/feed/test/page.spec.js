import assert from 'node:assert';
import { page } from '../src/page.js';

describe('page', () => {
  it('lists the news in the order of the sources', async () => {
    assert.equal(await page(['slow', 'quick']), '1. slow news\n2. quick news');
  });
});
