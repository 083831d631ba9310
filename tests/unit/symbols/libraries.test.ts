import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { installedAt, librariesOf } from '../../../src/symbols/native/libraries.ts';
import { testFolder } from '../../support/folder.ts';
import { buildTarget } from '../../support/targets.ts';

test('the libraries a program needs, and whether it loads more', async () => {
  const plain = await librariesOf(buildTarget('e2e/leaf.c', ['-g']));
  expect(plain).toMatchObject({ needed: ['libc.so.6'], loadsMore: false });
  const library = buildTarget('e2e/leafLibrary.c', ['-shared', '-fPIC'], 'libleaf.so');
  const rpath = `-Wl,-rpath,${dirname(library)}`;
  const user = await librariesOf(buildTarget('e2e/leafUser.c', [library, rpath], 'leafUser'));
  expect(user.needed).toContain(library);
  expect(user.needed.filter((name) => installedAt(name) === null)).toEqual([library]);
  expect((await librariesOf(process.execPath)).loadsMore).toBe(true);
});

test('an interpreter that is a library loads more, though its program does not say so', async () => {
  const name = 'libpython3.11.so.1.0';
  const flags = ['-shared', '-fPIC', `-Wl,-soname,${name}`];
  const library = buildTarget('e2e/leafLibrary.c', flags, name);
  const rpath = `-Wl,-rpath,${dirname(library)}`;
  const user = await librariesOf(buildTarget('e2e/leafUser.c', [library, rpath], 'python'));
  expect(user).toMatchObject({ needed: [name, 'libc.so.6'], loadsMore: true });
});

test('what is static, damaged or not there needs nothing', async () => {
  const folder = testFolder();
  const damaged = join(folder, 'damaged');
  const bytes = Buffer.alloc(200, 0xff);
  bytes.write('\x7fELF\x02', 'latin1');
  writeFileSync(damaged, bytes);
  const nothing = { needed: [], loadsMore: false };
  expect(await librariesOf(buildTarget('e2e/leaf.c', ['-static'], 'staticLeaf'))).toMatchObject(
    nothing,
  );
  expect(await librariesOf(damaged)).toMatchObject(nothing);
  expect(await librariesOf(join(folder, 'absent'))).toMatchObject(nothing);
});
