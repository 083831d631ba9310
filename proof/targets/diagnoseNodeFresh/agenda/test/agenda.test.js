const { byDay } = require('../src/agenda');

test('one day in London', () => {
  const days = byDay([{ title: 'tea', at: '2026-05-03T15:00:00Z', place: 'London' }]);
  expect([...days.keys()]).toEqual(['2026-05-03']);
});

test('late in London is early in Tokyo', () => {
  const days = byDay([{ title: 'call', at: '2026-05-03T20:00:00Z', place: 'Tokyo' }]);
  expect([...days.keys()]).toEqual(['2026-05-04']);
});
