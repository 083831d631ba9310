/*
 * Brings Go 1.22 to 1.26 into .cache/go, from the module proxy by Go's own command: `node scripts/go.mjs`. They are
 * what programs of `npm run proof go` are built with.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const versions = ['1.22.12', '1.23.12', '1.24.13', '1.25.7', '1.26.8'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'go');
const limitMs = 300_000;

/** The command of each version that is there, by `1.22`. */
export function toolchains() {
  mkdirSync(folder, { recursive: true });
  const found = new Map();
  for (const version of versions) {
    const env = {
      ...process.env,
      GOTOOLCHAIN: `go${version}`,
      GOMODCACHE: folder,
      GOFLAGS: '-modcacherw',
    };
    const { status, stdout } = spawnSync('go', ['env', 'GOROOT'], {
      cwd: folder,
      env,
      timeout: limitMs,
      encoding: 'utf8',
    });
    if (status === 0)
      found.set(version.split('.').slice(0, 2).join('.'), join(stdout.trim(), 'bin/go'));
  }
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = toolchains();
  console.log([...found].map(([minor, path]) => `Go ${minor}: ${path}`).join('\n'));
  process.exitCode = found.size === versions.length ? 0 : 1;
}
