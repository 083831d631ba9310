import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// The library runs inside any function of any program: no vector registers, no calls the
// compiler makes up (memcpy), no imports at all.
const flags = [
  ...['-std=gnu11', '-O2', '-g1', '-Wall', '-Wextra', '-Werror', '-fPIC', '-fvisibility=hidden'],
  ...['-ffreestanding', '-fno-tree-loop-distribute-patterns', '-fno-stack-protector'],
  ...['-fno-strict-aliasing', '-mgeneral-regs-only', '-mcx16', '-ftls-model=initial-exec'],
  ...['-shared', '-nostdlib', '-Wl,-z,noexecstack', '-Wl,-z,now', '-Wl,-z,defs'],
  ...['-Wl,-Bsymbolic', '-Wl,--hash-style=gnu', '-Wl,--build-id'],
];

/** Compiles native/engine into dist/engine.so when a source is newer. Answers whether it built. */
export async function buildEngine(root) {
  const folder = join(root, 'native/engine');
  const product = join(root, 'dist/engine.so');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const inputs = [...files, fileURLToPath(import.meta.url)];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  const sources = files.filter((path) => /\.[cS]$/.test(path)).toSorted();
  const draft = `${product}.${process.pid}`;
  try {
    await promisify(execFile)(process.env['CC'] ?? 'gcc', [...flags, '-o', draft, ...sources]);
    renameSync(draft, product);
  } finally {
    rmSync(draft, { force: true });
  }
  return true;
}
