const { Store } = require('../src/store');
const { importAll } = require('../src/importer');

test('imports all messages', async () => {
  const store = new Store();
  await importAll(store, ['1 hello', '2 world']);
  expect(await store.count()).toBe(4);
});
