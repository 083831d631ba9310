/*
 * Puts Delve, the debugger of Go, into .cache/delve, built by the Go of this machine: `node scripts/delve.mjs`, which
 * `npm test` does. Without Go there is nothing to debug, and what needs it is skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = 'v1.27.2';
const limitMs = 300_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'delve');
const isThere = existsSync(join(folder, 'dlv'));
const hasGo = spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
if (!isThere && hasGo) {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-modcacherw' };
  const { status } = spawnSync('go', ['install', `github.com/go-delve/delve/cmd/dlv@${version}`], {
    cwd: root,
    env,
    stdio: 'inherit',
    timeout: limitMs,
  });
  process.exitCode = status ?? 1;
}
