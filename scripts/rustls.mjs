/*
 * Builds a client and server with rustls (tests/targets/rustls) into .cache/rustls: `node scripts/rustls.mjs`, which
 * `npm test` does. Without cargo, or without the crates that it downloads, what needs it is skipped.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const limitMs = 300_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const hasCargo = spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status === 0;
if (hasCargo) {
  const manifest = join(root, 'tests', 'targets', 'rustls', 'Cargo.toml');
  const folder = join(root, '.cache', 'rustls');
  const { status } = spawnSync(
    'cargo',
    ['build', '--release', '--locked', '--quiet', '--manifest-path', manifest],
    { env: { ...process.env, CARGO_TARGET_DIR: folder }, stdio: 'inherit', timeout: limitMs },
  );
  process.exitCode = status ?? 1;
}
