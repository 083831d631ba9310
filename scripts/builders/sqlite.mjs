import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The newest Node-API of the oldest Node that Strobe runs on; the package's own binary needs a newer one. */
const nodeApi = 9;
/** What that version lacks. */
const shim = 'native/sqlite/stringReference.hpp';
const common = ['-O3', '-w', '-DNDEBUG', '-fPIC', '-fvisibility=hidden'];

/**
 * Compiles better-sqlite3 and its SQLite into dist/sqlite.node. It uses Node-API only, so one file serves every
 * version of Node, and only a new version of the package compiles it again: the result is kept in .cache/native.
 * Answers whether dist changed.
 */
export async function buildSqlite(root, log = () => {}) {
  const source = join(root, 'node_modules/better-sqlite3');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const inputs = createHash('sha256');
  for (const path of [fileURLToPath(import.meta.url), join(root, shim)])
    inputs.update(readFileSync(path));
  const key = inputs.digest('hex').slice(0, 8);
  const name = `sqlite-${version}-${process.platform}-${process.arch}-${key}.node`;
  const kept = join(root, '.cache/native', name);
  if (!existsSync(kept)) {
    log('compiling SQLite (about a minute)');
    await compile(root, source, kept);
  }
  const product = join(root, 'dist/sqlite.node');
  if (existsSync(product) && readFileSync(product).equals(readFileSync(kept))) return false;
  mkdirSync(dirname(product), { recursive: true });
  const draft = `${product}.${process.pid}`;
  copyFileSync(kept, draft);
  renameSync(draft, product);
  return true;
}

async function compile(root, source, product) {
  mkdirSync(dirname(product), { recursive: true });
  const folder = mkdtempSync(join(dirname(product), 'sqlite-'));
  const [sqlite, binding, draft] = ['sqlite3.o', 'binding.o', 'sqlite.node'].map((name) =>
    join(folder, name),
  );
  const includes = [
    join(source, 'deps/sqlite3'),
    join(root, 'node_modules/node-addon-api'),
    join(root, 'node_modules/node-api-headers/include'),
  ].flatMap((path) => ['-isystem', path]);
  const run = promisify(execFile);
  const c = process.env['CC'] ?? 'gcc';
  const cpp = process.env['CXX'] ?? 'g++';
  try {
    const shimmed = ['-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS', '-include', join(root, shim)];
    const dialect = ['-std=c++20', '-fno-rtti', '-fno-exceptions', '-DNAPI_DISABLE_CPP_EXCEPTIONS'];
    const api = [`-DNAPI_VERSION=${nodeApi}`, ...shimmed, ...includes];
    await Promise.all([
      run(c, [
        ...common,
        ...definesOf(join(source, 'deps/defines.gypi')),
        '-c',
        join(source, 'deps/sqlite3/sqlite3.c'),
        '-o',
        sqlite,
      ]),
      run(cpp, [
        ...common,
        ...dialect,
        ...api,
        '-c',
        join(source, 'src/better_sqlite3.cpp'),
        '-o',
        binding,
      ]),
    ]);
    // Newer versions of Node have a SQLite of their own: ours is bound to itself.
    const linking = ['-shared', '-Wl,-Bsymbolic', '-Wl,-z,noexecstack', '-Wl,-z,now'];
    await run(cpp, [...linking, '-o', draft, binding, sqlite, '-ldl', '-lm', '-lpthread']);
    renameSync(draft, product);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The options that the package builds its SQLite with. */
function definesOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/'((?:HAVE|SQLITE)_\w+(?:=[^']*)?)'/g)].map(
    ([, define]) => `-D${define}`,
  );
}
