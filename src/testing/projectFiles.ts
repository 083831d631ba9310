import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const largestFile = 1 << 20;

/** A project's folder as detection sees it: files are read, nothing is run, each once. */
export class ProjectFiles {
  readonly root: string;
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.root = root;
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** Empty when there is none or it is larger than 1 MB. */
  text(path: string): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = readText(join(this.root, path));
    this.#texts.set(path, text);
    return text;
  }

  /** Names in a folder, folders with a slash behind; empty when there is none. */
  list(path = '.'): readonly string[] {
    const known = this.#lists.get(path);
    if (known) return known;
    const names = listFolder(join(this.root, path));
    this.#lists.set(path, names);
    return names;
  }

  /**
   * Files below the folder whose name fits, at most `most`, not deeper than `depth` folders.
   * Folders that are projects of their own are not looked into.
   */
  find(fits: RegExp, depth: number, most: number, path = '.'): string[] {
    const found: string[] = [];
    const folders = [{ path, depth }];
    for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
      for (const name of this.list(next.path)) {
        const full = next.path === '.' ? name : `${next.path}/${name}`;
        if (name.endsWith('/')) {
          if (next.depth > 0 && !ignoredFolders.test(name) && !this.#isProject(full))
            folders.push({ path: full.slice(0, -1), depth: next.depth - 1 });
        } else if (fits.test(name)) {
          found.push(full);
          if (found.length >= most) return found;
        }
      }
    }
    return found;
  }

  #isProject(folder: string): boolean {
    return this.list(folder.slice(0, -1)).some((name) => ownMarks.test(name));
  }
}

/** Files that mark the root of a project of its own, whatever surrounds it. */
const ownMarks =
  /^(package\.json|deno\.jsonc?|pyproject\.toml|setup\.py|pytest\.ini|Cargo\.toml|go\.mod)$/;

/** Never looked into: what tools make, not what people write. */
export const ignoredFolders =
  /^(node_modules|target|dist|__pycache__|\.venv|venv|\.tox|\.git|\.hg|\.cache|site-packages|vendor)\/$/;

function readText(path: string): string {
  try {
    return statSync(path).size > largestFile ? '' : readFileSync(path, 'utf8');
  } catch {
    return ''; // It need not exist.
  }
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    );
  } catch {
    return []; // It need not exist.
  }
}
