import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Compiles native/launcher into dist/keeper when a source is newer. Answers whether it built. */
export async function buildKeeper(root) {
  return await buildProgram(root, 'native/launcher', 'dist/keeper');
}

/** Compiles native/watcher into dist/watcher when a source is newer. Answers whether it built. */
export async function buildWatcher(root) {
  return await buildProgram(root, 'native/watcher', 'dist/watcher');
}

/** Compiles native/sampler into dist/sampler when a source is newer. Answers whether it built. */
export async function buildSampler(root) {
  return await buildProgram(root, 'native/sampler', 'dist/sampler');
}

async function buildProgram(root, sourceFolder, productPath) {
  const folder = join(root, sourceFolder);
  const product = join(root, productPath);
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
