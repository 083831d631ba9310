import { dirname } from 'node:path';
import { isBelow } from '../../base/paths.ts';
import { isSystemPath, runsOthers } from '../../base/systemPaths.ts';
import { matchesModule, type Pattern } from '../../model/names/pattern.ts';
import { pathsBelow } from '../projectPaths.ts';
import { installedAt, librariesOf } from './libraries.ts';

/**
 * The files a pattern without library name means: the program itself and the libraries that come from its
 * project or its own folder.
 */
export function ownUnits(
  units: Iterable<string>,
  program: string | null,
  projectRoot: string,
): string[] {
  const below = pathsBelow(projectRoot);
  const home = program === null ? null : dirname(program);
  return [...units].filter(
    (path) =>
      path === program ||
      isBelow(below(path), projectRoot) ||
      (home !== null && !isSystemPath(path) && isBelow(path, home)),
  );
}

/** Whether some pattern says by its library that this file is meant. */
export function isNamed(patterns: readonly Pattern[], path: string): boolean {
  return patterns.some(({ module }) => module !== null && matchesModule(module, path));
}

/**
 * Whether a program uses a channel that some pattern means, also through a library that speaks to other machines
 * (curl, psql). Shells can (`/dev/tcp`); they are left alone, as a script starts dozens of them.
 */
export async function usesChannel(program: string, patterns: readonly Pattern[]): Promise<boolean> {
  const telling = patterns.flatMap(({ selection }) =>
    selection.kind === 'known' ? [...selection.telling] : [],
  );
  if (telling.length === 0 || runsOthers(program)) return false;
  const { needed, mentions } = await librariesOf(program);
  if (telling.some(mentions)) return true;
  const paths = needed
    .filter((name) => !isNamed(patterns, name))
    .flatMap((name) => installedAt(name) ?? []);
  const libraries = await Promise.all(paths.map(librariesOf));
  return libraries.some((library) => library.mentions(RESOLVING));
}

/** A library that calls it connects to machines by their names. */
const RESOLVING = 'getaddrinfo';

/**
 * Whether a library that some pattern may mean will come with a program. Of a shell what it can do and hardly does
 * counts for nothing (connect, load what a script names by `enable -f`): a version manager starts dozens of shells.
 */
export async function mayLoad(program: string, patterns: readonly Pattern[]): Promise<boolean> {
  const { needed, loadsMore } = await librariesOf(program);
  const runsOnlyOthers = runsOthers(program);
  if ((loadsMore && !runsOnlyOthers) || needed.some((name) => installedAt(name) === null))
    return true;
  const meant = runsOnlyOthers ? patterns.filter((pattern) => !isOfChannel(pattern)) : patterns;
  return needed.some((name) => isNamed(meant, name));
}

/** Whether a pattern means a channel that a program may use or not. */
function isOfChannel({ selection }: Pattern): boolean {
  return selection.kind === 'known' && selection.telling.size > 0;
}
