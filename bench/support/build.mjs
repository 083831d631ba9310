import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { root } from './record.mjs';

const compilers = {
  '.c': ['gcc', '-g', '-O1'],
  '.cpp': ['g++', '-std=c++17', '-g', '-O1', '-pthread'],
  '.rs': ['rustc', '-g', '-C', 'opt-level=1'],
};

/** Builds one program from sources (paths from the root of the repository); cached by content. */
export function buildProgram(name, sources, flags = []) {
  const [compiler, ...usual] = compilers[extname(sources[0])];
  const paths = sources.map((source) => join(root, source));
  const hash = createHash('sha256').update(JSON.stringify([compiler, usual, flags, paths]));
  for (const path of paths) hash.update(readFileSync(path));
  const folder = join(root, '.cache', 'bench', hash.digest('hex').slice(0, 16));
  const built = join(folder, name);
  if (existsSync(built)) return built;
  mkdirSync(folder, { recursive: true });
  execFileSync(compiler, [...usual, ...paths, '-o', `${built}.new`, ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(`${built}.new`, built);
  return built;
}

export function buildLedger() {
  const folder = 'demo/ledger/src';
  const sources = readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.cpp'))
    .toSorted();
  return buildProgram(
    'ledger',
    sources.map((name) => `${folder}/${name}`),
  );
}

/** A C program with much debug information: SQLite's amalgamation. */
export function buildSqlite() {
  return buildProgram(
    'sqliteProgram',
    ['bench/targets/sqliteProgram.c', 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.c'],
    ['-lpthread', '-ldl', '-lm', `-I${join(root, 'node_modules/better-sqlite3/deps/sqlite3')}`],
  );
}

/** Bytes of all .debug_* sections. */
export function debugBytes(program) {
  const sections = execFileSync('readelf', ['-SW', program], { encoding: 'utf8' });
  let bytes = 0;
  for (const [, size] of sections.matchAll(
    /\]\s\.debug_\S+\s+\S+\s+[0-9a-f]+\s[0-9a-f]+\s([0-9a-f]+)/g,
  )) {
    bytes += Number.parseInt(size, 16);
  }
  if (bytes === 0) throw new Error(`${basename(program)} has no debug information`);
  return bytes;
}
