import assert from 'node:assert';
import { table } from '../src/table.js';

describe('table', () => {
  it('ranks the better first', () => {
    assert.deepEqual(table('Kim,9,0\nLou,7,0'), ['1. Kim', '2. Lou']);
  });

  it('ranks many points first', () => {
    assert.deepEqual(table('Kim,9,0\nLou,100,0'), ['1. Lou', '2. Kim']);
  });
});
