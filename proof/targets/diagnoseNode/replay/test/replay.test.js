import assert from 'node:assert';
import { describe, it } from 'node:test';
import { replay } from '../src/replay.js';

describe('replay', () => {
  it('adds deposits', () => {
    assert.strictEqual(replay(['1 deposit 5', '2 deposit 7']).balance, 12);
  });

  it('takes events by their time', () => {
    const account = replay(['10 withdraw 30', '9 deposit 40', '12 withdraw 10']);
    assert.strictEqual(account.balance, 0);
  });
});
