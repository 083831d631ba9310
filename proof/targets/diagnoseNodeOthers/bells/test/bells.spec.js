const assert = require('assert');
const { Clock } = require('../src/clock');
const { hang } = require('../src/bells');

it('rings the bell of the hour', () => {
  const clock = new Clock();
  const heard = [];
  hang(clock, [6, 12, 18], heard);
  clock.strike(12);
  assert.deepStrictEqual(heard, ['bell 1']);
});
