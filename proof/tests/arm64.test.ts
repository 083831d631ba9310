import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { itNeeds } from '../../tests/support/needs.ts';
import { packageRoot } from '../../tests/support/strobe.ts';

const folders = ['supervisor', 'watcher', 'sampler', 'spotter'].map((name) => `native/${name}`);

itNeeds(
  'arm64',
  'supervisor, standby, watcher, sampler and spotter compile for arm64, their filter of execs included',
  () => {
    const sources = folders.flatMap((folder) =>
      readdirSync(join(packageRoot, folder))
        .filter((name) => name.endsWith('.c'))
        .map((name) => join(packageRoot, folder, name)),
    );
    expect(sources.length).toBeGreaterThan(10);
    const flags = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-fsyntax-only'];
    const { stderr, status } = spawnSync('aarch64-linux-gnu-gcc-12', [...flags, ...sources]);
    expect(stderr.toString()).toBe('');
    expect(status).toBe(0);
  },
);
