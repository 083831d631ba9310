const { weeks } = require('../src/calendar');

test('february fills its weeks', () => {
  expect(weeks(2, 0).map((week) => week.length)).toEqual([7, 7, 7, 7]);
});
