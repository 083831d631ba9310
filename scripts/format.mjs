/* `npm run format`: Prettier over all files, and clang-format over the C sources where it is there. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' });

const prettier = run(join(root, 'node_modules', '.bin', 'prettier'), [
  '--write',
  '--log-level',
  'warn',
  '.',
]);
const native = readdirSync(join(root, 'native'), { recursive: true })
  .filter((name) => /\.[ch]$/.test(name))
  .map((name) => join(root, 'native', name));
const clang = run('clang-format', ['-i', ...native]);
if (clang.error) console.error('clang-format is not installed: C sources left as they are');
process.exitCode = prettier.status === 0 && !clang.status ? 0 : 1;
