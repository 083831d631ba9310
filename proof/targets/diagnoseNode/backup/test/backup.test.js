const { Disk } = require('../src/disk');
const { backup } = require('../src/backup');

test('a backup without one of its files is not ok', async () => {
  const disk = new Disk({ 'a.txt': 'alpha', 'b.txt': 'beta' });
  const report = await backup(disk, ['a.txt', 'b.txt', 'c.txt']);
  expect(report.ok).toBe(false);
});
