import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adviseDebugInfo } from '../../../src/symbols/native/advice.ts';

test.each([
  [['CMakeLists.txt', 'Makefile'], 'CMake', 'RelWithDebInfo'],
  [['Cargo.toml'], 'Cargo', 'DEBUG=true'],
  [['Makefile'], 'Make', '-g'],
  [['GNUmakefile'], 'Make', '-g'],
  [['configure', 'Makefile'], 'Make', './configure'],
  [['CMakeCache.txt', 'Makefile'], 'CMake', 'RelWithDebInfo'],
  [['meson.build'], 'Meson', 'debugoptimized'],
  [['go.mod'], 'Go', '-N -l'],
  [['MODULE.bazel'], 'Bazel', '--strip=never'],
  [['a.c'], 'plain', '-g'],
] as const)('a project with %j is built by %s', (files, buildSystem, flag) => {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-advice-'));
  try {
    for (const file of files) writeFileSync(join(folder, file), '');
    const advice = adviseDebugInfo(folder);
    expect(advice.buildSystem).toBe(buildSystem);
    expect(advice.steps.join('\n')).toContain(flag);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a folder that is not there gets the plain flags', () => {
  expect(adviseDebugInfo('/nowhere/at/all').buildSystem).toBe('plain');
});
