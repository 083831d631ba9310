/*
 * Puts a compiler of C and C++ for musl into .cache/musl (Zig's, from PyPI), and musl's loader (Debian's):
 * `node scripts/musl.mjs`, which `npm run proof tests` does. .cache/musl/cc and .cache/musl/c++ are called as gcc's are.
 * What cannot be had is skipped there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = '0.15.2';
const limitMs = 900_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'musl');

function run(command, words, cwd = root) {
  return spawnSync(command, words, { cwd, stdio: 'inherit', timeout: limitMs }).status === 0;
}

/** Zig compiles the libraries at their first use: that is now, not in a test. */
function makeCompiler(name) {
  const path = join(folder, name);
  // Its checks of undefined behaviour would change the code.
  const flags = '-target x86_64-linux-musl -fno-sanitize=undefined';
  const text = `#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR='${folder}/cache' ZIG_LOCAL_CACHE_DIR='${folder}/cache'
exec '${folder}/ziglang/zig' ${name} ${flags} "$@"
`;
  writeFileSync(path, text, { mode: 0o755 });
  const source = join(folder, 'first.c');
  writeFileSync(source, 'int main(void) { return 0; }\n');
  const language = name === 'c++' ? ['-x', 'c++'] : [];
  return ['-static', '-dynamic'].every((how) =>
    run(path, [...language, how, source, '-o', join(folder, 'first')]),
  );
}

function installCompiler() {
  if (existsSync(join(folder, `ziglang-${version}.dist-info`))) return true;
  const packages = ['--target', folder, `ziglang==${version}`];
  return run('python3', ['-m', 'pip', 'install', '--quiet', ...packages]);
}

function unpackLoader() {
  const place = join(folder, 'debian');
  if (existsSync(join(place, 'lib'))) return true;
  mkdirSync(place, { recursive: true });
  if (!run('apt-get', ['-q', 'download', 'musl'], place)) return false;
  const archive = readdirSync(place).find((name) => name.endsWith('.deb'));
  return run('dpkg-deb', ['-x', archive, '.'], place);
}

const isThere = installCompiler() && ['cc', 'c++'].every(makeCompiler) && unpackLoader();
process.exitCode = isThere ? 0 : 1;
