import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

// What debuggers and profilers read of it is compressed: the package has a limit.
const common = ['-std=gnu11', '-O2', '-g1', '-gz', '-Wall', '-Wextra', '-Werror'];

/** Of code that runs inside any function of any program: no vector registers, no calls the compiler makes up (memcpy). */
export const insideFlags = [
  ...common,
  '-fPIC',
  '-fvisibility=hidden',
  '-ffreestanding',
  '-fno-tree-loop-distribute-patterns',
  '-fno-stack-protector',
  '-fno-strict-aliasing',
  '-mgeneral-regs-only',
  '-nostdlib',
  '-Wl,-z,noexecstack',
];

/**
 * Compiles the C files of a folder into one product when one of its files, those of its folders for a processor
 * included, one of the `further` sources, one of the `headers` elsewhere or the builder is newer.
 * Answers whether it built.
 */
export async function compileFolder({
  folder,
  product,
  builder,
  further = [],
  headers = [],
  flags = [],
  libraries = [],
}) {
  const names = readdirSync(folder, { recursive: true });
  const files = names.map((name) => join(folder, name));
  const newest = Math.max(
    ...[...files, ...further, ...headers, builder].map((path) => statSync(path).mtimeMs),
  );
  if (existsSync(product) && statSync(product).mtimeMs >= newest) return false;
  mkdirSync(dirname(product), { recursive: true });
  const sources = files
    .filter((path) => path.endsWith('.c') && dirname(path) === folder)
    .toSorted();
  const draft = `${product}.${process.pid}`;
  try {
    const command = [...common, ...flags, '-o', draft, ...sources, ...further, ...libraries];
    await promisify(execFile)(process.env['CC'] ?? 'gcc', command);
    renameSync(draft, product);
  } finally {
    rmSync(draft, { force: true });
  }
  return true;
}
