import { basename, dirname } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { isSystemLibrary, librariesOf } from '../../collector/program/libraries.ts';
import { matchesModule } from '../../model/names/pattern.ts';
import type { PatternRequest } from './patternRequest.ts';

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

/** Whether some pattern says by its library that this module is meant. */
export function namesModule(requests: readonly PatternRequest[], path: string): boolean {
  return requests.some(({ pattern: { module } }) => module !== null && matchesModule(module, path));
}

/** Shells can load what a script names (`enable -f`); none does, and a version manager starts dozens of them. */
function isShell(image: string): boolean {
  return isSystem(image) && /^(?:ba|da|k|z)?sh$/.test(basename(image));
}

/** Whether a library that some pattern may mean will come with a program. */
export async function mayLoad(
  image: string,
  requests: readonly PatternRequest[],
): Promise<boolean> {
  const { needed, loadsMore } = await librariesOf(image);
  if ((loadsMore && !isShell(image)) || needed.some((name) => !isSystemLibrary(name))) return true;
  return needed.some((name) => namesModule(requests, name));
}
