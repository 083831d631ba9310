import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoredFolders } from '../../testing/projectFiles.ts';

const mostFiles = 20_000;

/**
 * Stands for the state of a project's files: their paths, sizes and times. Empty when the project
 * has too many to look at; then nothing is said about "the same code".
 */
export async function codeState(root: string): Promise<string> {
  const hash = createHash('sha256');
  const folders = [root];
  let files = 0;
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
    files += plain.length;
    if (files > mostFiles) return '';
    const stats = await Promise.all(plain.map((path) => stat(path).catch(() => null)));
    for (const [at, found] of stats.entries())
      if (found) hash.update(`${plain[at] ?? ''}\0${found.size}\0${found.mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
