/*
 * Puts Debian's kernel for arm64 into .cache/arm64/vmlinuz, for tests that boot it in an emulator:
 * `node scripts/arm64Kernel.mjs`. apt is asked with folders of its own; nothing is installed. Without it
 * those tests are skipped.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache', 'arm64');
const folder = mkdtempSync(join(tmpdir(), 'strobe-apt-'));
const configuration = join(folder, 'apt.conf');

function run(command, words) {
  return execFileSync(command, words, {
    cwd: folder,
    env: { ...process.env, APT_CONFIG: configuration },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString();
}

try {
  mkdirSync(join(folder, 'state/lists/partial'), { recursive: true });
  mkdirSync(join(folder, 'cache/archives/partial'), { recursive: true });
  writeFileSync(join(folder, 'status'), '');
  const settings = [
    'APT::Architecture "arm64";',
    'APT::Architectures {"arm64";};',
    `Dir::State "${folder}/state";`,
    `Dir::State::status "${folder}/status";`,
    `Dir::Cache "${folder}/cache";`,
    'APT::Sandbox::User "root";',
  ];
  writeFileSync(configuration, settings.join('\n'));
  run('apt-get', ['update', '-q']);
  const [, name] = /Depends: (\S+)/.exec(run('apt-cache', ['depends', 'linux-image-arm64'])) ?? [];
  if (name === undefined) throw new Error('apt knows no kernel for arm64 (linux-image-arm64)');
  run('apt-get', ['download', '-q', name]);
  const file = readdirSync(folder).find((path) => path.endsWith('.deb'));
  run('dpkg-deb', ['-x', file, 'kernel']);
  const kernel = readdirSync(join(folder, 'kernel/boot')).find((path) =>
    path.startsWith('vmlinuz'),
  );
  mkdirSync(cache, { recursive: true });
  const draft = join(cache, `vmlinuz.${process.pid}`);
  copyFileSync(join(folder, 'kernel/boot', kernel), draft);
  renameSync(draft, join(cache, 'vmlinuz'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
