import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** Copies the demangler's WebAssembly into dist, so that what is installed needs no packages. Answers whether it did. */
export async function buildDemangler(root) {
  const source = join(root, 'node_modules/gecko-profiler-demangle/index_bg.wasm');
  const product = join(root, 'dist/demangler.wasm');
  if (existsSync(product) && readFileSync(product).equals(readFileSync(source))) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  const draft = `${product}.${process.pid}`;
  copyFileSync(source, draft);
  renameSync(draft, product);
  return true;
}
