import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KnownFiles } from '../../../src/collector/program/knownFiles.ts';

describe('what is read of files of programs', () => {
  let folder = '';
  let path = '';
  let reads = 0;
  const read = (): Promise<number> => Promise.resolve(++reads);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'known-'));
    path = join(folder, 'program');
    writeFileSync(path, 'first');
    reads = 0;
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('is read once of a file as it is', async () => {
    const known = new KnownFiles<number>();
    expect(await known.of(path, read)).toBe(1);
    expect(await known.of(path, read)).toBe(1);
    expect(await known.of(path, read, 'another question')).toBe(2);
  });

  test('is read again of a file that took the place of another', async () => {
    const known = new KnownFiles<number>();
    await known.of(path, read);
    writeFileSync(`${path}.new`, 'second');
    renameSync(`${path}.new`, path);
    expect(await known.of(path, read)).toBe(2);
  });

  test('is nothing where there is no file, and what failed is tried again', async () => {
    const known = new KnownFiles<number>();
    expect(known.of(join(folder, 'none'), read)).toBeNull();
    const failing = known.of(path, () => Promise.reject(new Error('unreadable')));
    await expect(failing).rejects.toThrow('unreadable');
    expect(await known.of(path, read)).toBe(1);
  });
});
