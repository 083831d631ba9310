const { campaign } = require('../src/campaign');
const { Transport } = require('../src/transport');

test('everybody gets it', async () => {
  expect(await campaign(new Transport([]), ['a@x.org'])).toEqual({ sent: 1, failed: 0 });
});

test('counts those that cannot be reached', async () => {
  const transport = new Transport(['b@x.org']);
  expect(await campaign(transport, ['a@x.org', 'b@x.org'])).toEqual({ sent: 1, failed: 1 });
});
