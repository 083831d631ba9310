import { dirname } from 'node:path';
import { isBelow } from '../../base/paths.ts';

/** Folders of the system: libraries there are never meant by a bare pattern. */
const SYSTEM_FOLDERS = [
  '/usr',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/opt/intel',
  '/nix/store',
  '/snap',
];

export function isSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isBelow(path, folder));
}

/**
 * The modules a pattern without library name means: the program itself and the libraries that
 * come from its project or its own folder.
 */
export function ownModules(
  modules: Iterable<string>,
  program: string,
  projectRoot: string,
): string[] {
  const home = dirname(program);
  const own: string[] = [];
  for (const path of modules) {
    if (path === program || isBelow(path, projectRoot) || (!isSystem(path) && isBelow(path, home)))
      own.push(path);
  }
  return own;
}
