/* `npm run format`: Prettier over all files, and clang-format over the C sources. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const commands = [
  [join(root, 'node_modules', '.bin', 'prettier'), '--write', '--log-level', 'warn', '.'],
  [process.execPath, join(root, 'scripts', 'clangFormat.mjs')],
];
for (const [command, ...args] of commands) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
