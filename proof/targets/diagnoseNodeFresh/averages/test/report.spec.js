import assert from 'node:assert';
import { report } from '../src/report.js';

describe('report', () => {
  it('sees what rises', () => {
    assert.strictEqual(report('tea', [1, 2, 3]), 'tea: flat');
  });

  it('looks at the last three', () => {
    assert.strictEqual(report('coffee', [20, 90, 30, 40, 50]), 'coffee: down');
  });
});
