import { execFile } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileFolder, insideFlags } from './compile.mjs';

// Put into the program as it is, wherever there is room: no relocations, no imports.
const flags = [
  ...insideFlags,
  '-fno-asynchronous-unwind-tables',
  '-fcf-protection=none',
  '-mcx16',
  '-DRAW_ASKS',
  '-static',
  '-Wl,--build-id=none',
  '-Wl,--oformat=binary',
  // It would make absolute addresses of what is found by a table: target.ld says so instead.
  '-Wl,--no-relax',
];

/** Headers of folders that it shares code with. */
function headersIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.h'));
  return names.map((name) => join(folder, name));
}

/** Compiles native/outside into dist/outside, and what it puts into programs into dist/outside.target. Answers whether it built. */
export async function buildOutside(root) {
  const native = join(root, 'native');
  const builder = fileURLToPath(import.meta.url);
  const engine = [
    'exceptionFile',
    'x64/decode',
    'x64/relocate',
    'x64/body',
    'probeRow',
    'quick',
    'watchRows',
  ].map((name) => join(native, `engine/${name}.c`));
  const stopper = ['memory', 'threads'].map((name) => join(native, `stopper/${name}.c`));
  const isBuilt = await compileFolder({
    folder: join(native, 'outside'),
    product: join(root, 'dist/outside'),
    builder,
    further: [...engine, ...stopper],
    headers: ['engine', 'engine/x64', 'stopper'].flatMap((name) => headersIn(join(native, name))),
    libraries: ['-pthread'],
  });
  return (await buildTarget(root, builder)) || isBuilt;
}

async function buildTarget(root, builder) {
  const folder = join(root, 'native/outside/target');
  const product = join(root, 'dist/outside.target');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const engine = join(root, 'native/engine');
  const shared = [
    'captureText',
    'captureValue',
    'condition',
    'exceptionFile',
    'probeValues',
    'walk',
    'watchSample',
  ].map((name) => join(engine, `${name}.c`));
  const inputs = [...files, ...headersIn(engine), ...shared, builder];
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
