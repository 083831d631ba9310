const { signs } = require('../src/trail');

test('signs tell kilometres', () => {
  expect(signs([{ name: 'Lake', metres: 2000 }])).toEqual(['Lake 2 km']);
});
