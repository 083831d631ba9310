import { execFile } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileFolder } from './compile.mjs';

// Put into the program as it is, wherever there is room: no relocations, no imports, no vector registers.
const flags = [
  '-std=gnu11',
  '-O2',
  '-g1',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fPIC',
  '-fvisibility=hidden',
  '-ffreestanding',
  '-fno-tree-loop-distribute-patterns',
  '-fno-stack-protector',
  '-fno-strict-aliasing',
  '-fno-asynchronous-unwind-tables',
  '-fcf-protection=none',
  '-mgeneral-regs-only',
  '-mcx16',
  '-nostdlib',
  '-static',
  '-Wl,--build-id=none',
  '-Wl,-z,noexecstack',
  '-Wl,--oformat=binary',
];

/** Compiles native/outside into dist/outside, and what it puts into programs into dist/outside.target. Answers whether it built. */
export async function buildOutside(root) {
  const native = join(root, 'native');
  const builder = fileURLToPath(import.meta.url);
  const engine = ['decode', 'relocate', 'body'].map((name) => join(native, `engine/x64/${name}.c`));
  const stopper = ['memory', 'threads'].map((name) => join(native, `stopper/${name}.c`));
  const isBuilt = await compileFolder({
    folder: join(native, 'outside'),
    product: join(root, 'dist/outside'),
    builder,
    further: [...engine, ...stopper],
  });
  return (await buildTarget(root, builder)) || isBuilt;
}

async function buildTarget(root, builder) {
  const folder = join(root, 'native/outside/target');
  const product = join(root, 'dist/outside.target');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const inputs = [...files, join(root, 'native/engine/walk.c'), builder];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  const sources = files.filter((path) => /\.[cS]$/.test(path)).toSorted();
  const draft = `${product}.${process.pid}`;
  try {
    const command = [...flags, `-Wl,-T,${join(folder, 'target.ld')}`, '-o', draft, ...sources];
    await promisify(execFile)(process.env['CC'] ?? 'gcc', command);
    renameSync(draft, product);
  } finally {
    rmSync(draft, { force: true });
  }
  return true;
}
