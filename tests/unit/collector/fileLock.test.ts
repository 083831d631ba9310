import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFileLock } from '../../../src/collector/frida/fileLock.ts';
import { testFolder } from '../../support/folder.ts';

function lockPath(): string {
  const folder = testFolder();
  return join(folder, 'install.lock');
}

test.each([
  { whose: 'of a process whose number another has by now', text: `${process.pid} 1` },
  { whose: 'of a process that has ended', text: '4194304 123' },
  { whose: 'that says nothing of its owner, as after a full disk', text: '' },
])('a lock $whose is taken over', async ({ text }) => {
  const path = lockPath();
  writeFileSync(path, text);
  expect(await withFileLock(path, 1000, async () => readdirSync(join(path, '..')))).toEqual([
    'install.lock',
  ]);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('who comes while it is held waits, also in the same process, and not for ever', async () => {
  const path = lockPath();
  let done: () => void = () => undefined;
  let held = Promise.resolve();
  await new Promise<void>((begun) => {
    held = withFileLock(path, 1000, () => {
      begun();
      return new Promise<void>((resolve) => (done = resolve));
    });
  });
  await expect(withFileLock(path, 1, async () => 'second')).rejects.toThrow(
    /Another process holds/,
  );
  done();
  await held;
  expect(await withFileLock(path, 1000, async () => 'third')).toBe('third');
});

test('who has read of a dead owner does not remove the lock of the one who took over meanwhile', async () => {
  const path = lockPath();
  // Its reader stands in the middle of reading until it is written to.
  execFileSync('mkfifo', [path]);
  linkSync(path, `${path}.pipe`);
  const second = withFileLock(path, 1, async () => 'second');
  const pipe = await open(`${path}.pipe`, 'w');
  rmSync(path);
  await withFileLock(path, 1000, async () => {
    const mine = readFileSync(path, 'utf8');
    await pipe.writeFile('4194304 123');
    await pipe.close();
    await expect(second).rejects.toThrow(/Another process holds/);
    expect(readFileSync(path, 'utf8')).toBe(mine);
  });
  expect(readdirSync(join(path, '..'))).toEqual(['install.lock.pipe']);
});

test('a removal that was cut short is no obstacle', async () => {
  const path = lockPath();
  writeFileSync(path, '4194304 123');
  writeFileSync(`${path}.removal`, '4194304 124');
  expect(await withFileLock(path, 5000, async () => 'taken')).toBe('taken');
  expect(readdirSync(join(path, '..'))).toEqual([]);
});
