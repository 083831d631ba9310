import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { insideFlags } from './compile.mjs';

// No imports at all.
const flags = [
  ...insideFlags,
  '-ftls-model=initial-exec',
  '-shared',
  '-Wl,-z,now',
  '-Wl,-z,defs',
  '-Wl,-Bsymbolic',
  '-Wl,--hash-style=gnu',
  '-Wl,--build-id',
];
const flagsOf = { x64: ['-mcx16'] };

function filesOf(root, processor) {
  const folder = join(root, 'native/engine');
  return [folder, join(folder, processor)].flatMap((from) =>
    readdirSync(from).map((name) => join(from, name)),
  );
}

/** Compiles native/engine for a processor, as Node calls it. */
export async function compileEngine({ root, processor, compiler, product }) {
  if (!Object.hasOwn(flagsOf, processor))
    throw new Error(`There is no hook engine for ${processor}: it needs x64.`);
  const sources = filesOf(root, processor).filter((path) => /\.[cS]$/.test(path));
  const draft = `${product}.${process.pid}`;
  try {
    const all = [
      ...flags,
      ...flagsOf[processor],
      '-o',
      draft,
      ...sources.toSorted((a, b) => a.localeCompare(b, 'en')),
    ];
    await promisify(execFile)(compiler, all);
    renameSync(draft, product);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Compiles native/engine into dist/engine.so when a source is newer. Answers whether it built. */
export async function buildEngine(root) {
  const product = join(root, 'dist/engine.so');
  const inputs = [...filesOf(root, process.arch), fileURLToPath(import.meta.url)];
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(join(root, 'dist'), { recursive: true });
  const compiler = process.env['CC'] ?? 'gcc';
  await compileEngine({ root, processor: process.arch, compiler, product });
  return true;
}
