import { dirname } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { isShell, isSystemPath } from '../../base/systemPaths.ts';
import { matchesModule, type Pattern } from '../../model/names/pattern.ts';
import { isInstalled, librariesOf } from './libraries.ts';

/**
 * The files a pattern without library name means: the program itself and the libraries that come from its
 * project or its own folder.
 */
export function ownUnits(
  units: Iterable<string>,
  program: string | null,
  projectRoot: string,
): string[] {
  const home = program === null ? null : dirname(program);
  return [...units].filter(
    (path) =>
      path === program ||
      isBelow(path, projectRoot) ||
      (home !== null && !isSystemPath(path) && isBelow(path, home)),
  );
}

/** Whether some pattern says by its library that this file is meant. */
export function isNamed(patterns: readonly Pattern[], path: string): boolean {
  return patterns.some(({ module }) => module !== null && matchesModule(module, path));
}

/** Whether a library that some pattern may mean will come with a program. */
export async function mayLoad(program: string, patterns: readonly Pattern[]): Promise<boolean> {
  const { needed, loadsMore } = await librariesOf(program);
  // Shells can load what a script names (`enable -f`); none does, and a version manager starts dozens of them.
  if ((loadsMore && !isShell(program)) || needed.some((name) => !isInstalled(name))) return true;
  return needed.some((name) => isNamed(patterns, name));
}
