import { expect, test } from 'vitest';
import { isSystemLibrary, isSystemPath } from '../../../src/base/systemPaths.ts';

test.each([
  ['/usr/bin/python3', true, false],
  ['/bin/sh', true, false],
  ['/usr/lib/x86_64-linux-gnu/libc.so.6', true, true],
  ['/lib64/ld-linux-x86-64.so.2', true, true],
  ['/usr/local/lib/libown.so', true, true],
  ['/nix/store/abc/lib/libz.so', true, true],
  ['/usr/local/bin/app', false, false],
  ['/usr/local/share/app/run', false, false],
  ['/home/user/lib/libown.so', false, false],
  ['/opt/app/bin/app', false, false],
  ['/usrlocal/x', false, false],
])('%s belongs to the system: %s, as a library: %s', (path, isSystem, isLibrary) => {
  expect([isSystemPath(path), isSystemLibrary(path)]).toEqual([isSystem, isLibrary]);
});
