/*
 * Writes every generated file from the contracts in src/protocol, through scripts/generators/*.mjs,
 * each of which exports functions `generate…(root)` that return [{ path, text }]. With --check
 * nothing is written: stale files are named and the status is 1.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** All generated files as they should be. */
export async function generated(root) {
  const folder = join(root, 'scripts', 'generators');
  const files = [];
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.mjs')) continue;
    const module = await import(pathToFileURL(join(folder, name)).href);
    for (const [key, value] of Object.entries(module)) {
      if (/^generate[A-Z]/.test(key) && typeof value === 'function')
        files.push(...(await value(root)));
    }
  }
  return files;
}

/** Paths of generated files that differ from what they should be. */
export function stale(root, files) {
  return files
    .filter(
      ({ path, text }) =>
        !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
    )
    .map(({ path }) => path);
}

async function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const files = await generated(root);
  const changed = stale(root, files);
  if (process.argv.includes('--check')) {
    for (const path of changed) console.error(`${path} is stale: run npm run generate`);
    console.error(`${files.length} generated files, ${changed.length} stale`);
    process.exitCode = changed.length === 0 ? 0 : 1;
    return;
  }
  for (const { path, text } of files.filter((file) => changed.includes(file.path))) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.error(`wrote ${path}`);
  }
  console.error(`${files.length} generated files, ${changed.length} written`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
