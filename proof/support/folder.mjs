/* A case's working folder: made alike for every run, and told byte by byte afterwards. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

/** Seconds since 1970 of every file a case starts with. */
export const fixedTime = 1_700_000_000;

/** Entries below `folder`, parents after what they hold. */
function entriesOf(folder, below = '') {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? [...entriesOf(folder, path), path] : [path];
    });
}

/** Makes `folder` a copy of `template`, with equal times. */
export function freshFolder(template, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(template, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  for (const path of [...entriesOf(folder), '.']) {
    lutimesSync(join(folder, path), fixedTime, fixedTime);
  }
}

/** What stands in `folder`: path → kind, mode and content's hash. */
export function contentsOf(folder, except) {
  const found = new Map();
  for (const path of entriesOf(folder)) {
    if (except?.test(path)) continue;
    const status = lstatSync(join(folder, path));
    const mode = (status.mode & 0o7777).toString(8);
    if (status.isSymbolicLink()) found.set(path, `link to ${readlinkSync(join(folder, path))}`);
    else if (status.isFile()) {
      const hash = createHash('sha256').update(readFileSync(join(folder, path)));
      found.set(path, `file ${mode} ${status.size} bytes ${hash.digest('hex').slice(0, 16)}`);
    } else found.set(path, `other ${mode}`);
  }
  return found;
}
