/*
 * Puts a C and C++ compiler of LLVM's, with its sanitizers and its library of C++, into .cache/clang:
 * `node scripts/clang.mjs`, which `npm run proof tests` does. It comes from Debian's packages, of which nothing is
 * installed; on other systems the tests that need it are skipped.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const version = 14; // of Debian 12, whose other parts of LLVM the tests use
const packages = [
  `clang-${version}`,
  `libclang-common-${version}-dev`,
  `libclang-cpp${version}`,
  `libclang-rt-${version}-dev`,
  `libllvm${version}`,
  `libc++-${version}-dev`,
  `libc++1-${version}`,
  `libc++abi-${version}-dev`,
  `libc++abi1-${version}`,
  `libunwind-${version}`,
  `libunwind-${version}-dev`,
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, '.cache', 'clang');
const run = (command, words) =>
  spawnSync(command, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;

/** Programs that find their parts where those lie here. */
function writePrograms() {
  const bin = join(folder, 'bin');
  const compilers = join(folder, 'usr', 'lib', `llvm-${version}`);
  const libraries = [join(folder, 'usr', 'lib', 'x86_64-linux-gnu'), join(compilers, 'lib')];
  const flags = libraries.map((path) => `-L${path} -Wl,-rpath,${path}`).join(' ');
  mkdirSync(bin, { recursive: true });
  for (const name of ['clang', 'clang++']) {
    const lines = [
      '#!/bin/sh',
      `export LD_LIBRARY_PATH=${libraries.join(':')}`,
      `exec ${compilers}/bin/${name} ${flags} -Wno-unused-command-line-argument "$@"`,
    ];
    writeFileSync(join(bin, name), `${lines.join('\n')}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

function install() {
  mkdirSync(folder, { recursive: true });
  if (!run('apt-get', ['-qq', 'download', ...packages])) return false;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    if (!run('dpkg-deb', ['-x', file, '.'])) return false;
    rmSync(join(folder, file));
  }
  writePrograms();
  return true;
}

if (!existsSync(join(folder, 'bin', 'clang++'))) process.exitCode = install() ? 0 : 1;
