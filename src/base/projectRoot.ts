import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const marks = [
  '.git',
  'CMakeLists.txt',
  'Cargo.toml',
  'package.json',
  'pyproject.toml',
  'go.mod',
  'Makefile',
  'meson.build',
  '.strobe',
];

/** Nearest folder above `from` that looks like a project's root; `from` itself when none does. */
export function projectRootAbove(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (marks.some((mark) => existsSync(join(folder, mark)))) return folder;
    if (dirname(folder) === folder) return resolve(from);
  }
}
