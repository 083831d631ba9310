import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const MOST_PACKAGES = 50;

/** The name under which a source file is imported: with the packages it is in, as their `__init__.py` say. */
export function moduleName(path: string): string {
  const file = basename(path).replace(/\.\w+$/, '');
  const packages: string[] = [];
  let folder = dirname(path);
  for (let i = 0; i < MOST_PACKAGES && existsSync(join(folder, '__init__.py')); i++) {
    packages.unshift(basename(folder));
    folder = dirname(folder);
  }
  return [...packages, ...(file === '__init__' && packages.length > 0 ? [] : [file])].join('.');
}
