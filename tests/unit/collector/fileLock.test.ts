import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withFileLock } from '../../../src/collector/frida/fileLock.ts';

function lockPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
