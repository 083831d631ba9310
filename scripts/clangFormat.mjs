/* Formats the C sources by .clang-format; with `--check` it changes nothing and fails on a difference. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const formatter = join(root, 'node_modules', '.bin', 'clang-format');
if (!existsSync(formatter)) {
  console.error('clang-format is not installed: run `node scripts/setup.mjs`');
  process.exit(1);
}
const sources = readdirSync(join(root, 'native'), { recursive: true })
  .filter((name) => /\.[ch]$/.test(name))
  .map((name) => join('native', name));
const mode = process.argv.includes('--check') ? ['--dry-run', '--Werror'] : ['-i'];
const { status } = spawnSync(formatter, [...mode, ...sources], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
