import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoredFolders } from '../../testing/projectFiles.ts';

const mostFiles = 20_000;

interface FoundFile {
  readonly path: string;
  readonly stats: Stats;
}

/** The project's own files, folder by folder; null when there are too many to look at. */
async function filesOf(root: string): Promise<FoundFile[] | null> {
  const folders = [root];
  const found: FoundFile[] = [];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const plain: string[] = [];
    for (const entry of entries) {
      if (entry.isDirectory()) {
        const isHidden = entry.name.startsWith('.') || /^(build|cmake-build)/.test(entry.name);
        if (!isHidden && !ignoredFolders.test(`${entry.name}/`))
          folders.push(join(folder, entry.name));
      } else if (entry.isFile()) plain.push(join(folder, entry.name));
    }
    if (found.length + plain.length > mostFiles) return null;
    const looked = await Promise.all(
      plain.map(async (path) => ({ path, stats: await stat(path).catch(() => null) })),
    );
    for (const { path, stats } of looked) if (stats) found.push({ path, stats });
  }
  return found;
}

/**
 * Stands for the state of a project's files: their paths, sizes and times. Empty when the project
 * has too many to look at; then nothing is said about "the same code".
 */
export async function codeState(root: string): Promise<string> {
  const files = await filesOf(root);
  if (!files) return '';
  const hash = createHash('sha256');
  for (const { path, stats } of files) hash.update(`${path}\0${stats.size}\0${stats.mtimeMs}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** The same with the programs that hold the tests: one source may be built in several ways. */
export async function codeWith(code: string, programs: readonly string[]): Promise<string> {
  if (code === '') return '';
  const hash = createHash('sha256').update(code);
  for (const path of programs) {
    const found = await stat(path).catch(() => null);
    hash.update(`${path}\0${found?.size ?? 0}\0${found?.mtimeMs ?? 0}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

const nativeSources = /\.(c|cc|cpp|cxx|h|hh|hpp|hxx|inl|ipp|rs)$/;
const sourcesOf: Readonly<Record<string, RegExp>> = {
  Python: /\.py$/,
  JavaScript: /\.[cm]?[jt]sx?$/,
};

/** Sources of a language, or native ones, of the project that were written after a time, latest first. */
export async function changedSources(
  root: string,
  sinceMs: number,
  language: string,
): Promise<string[]> {
  const sources = sourcesOf[language] ?? nativeSources;
  return ((await filesOf(root)) ?? [])
    .filter(({ path, stats }) => sources.test(path) && stats.mtimeMs > sinceMs)
    .toSorted((a, b) => b.stats.mtimeMs - a.stats.mtimeMs)
    .map(({ path }) => path);
}
