import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Compiles native/launcher into dist/keeper when a source is newer. Answers whether it built. */
export async function buildKeeper(root) {
  const folder = join(root, 'native/launcher');
  const product = join(root, 'dist/keeper');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const inputs = [...files, fileURLToPath(import.meta.url)];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  const sources = files.filter((path) => path.endsWith('.c')).toSorted();
  const draft = `${product}.${process.pid}`;
  const flags = ['-std=gnu11', '-O2', '-g1', '-Wall', '-Wextra', '-Werror', '-o', draft];
  await promisify(execFile)(process.env['CC'] ?? 'gcc', [...flags, ...sources]);
  renameSync(draft, product);
  return true;
}
