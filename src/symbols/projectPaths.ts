import { basename, dirname, join } from 'node:path';
import { isBelow, realPath } from '../base/paths.ts';

/**
 * What paths of sources are below this root, also where links lead there, from either side: compilers write the folder
 * as the shell named it, runtimes follow its links.
 */
export function pathsBelow(projectRoot: string): (path: string) => string {
  const real = realPath(projectRoot);
  const folders = new Map<string, string>();
  return (path) => {
    if (!path.startsWith('/') || isBelow(path, projectRoot)) return path;
    const folder = dirname(path);
    const followed = folders.get(folder) ?? realPath(folder);
    folders.set(folder, followed);
    if (!isBelow(followed, real)) return path;
    return join(projectRoot, followed.slice(real.length), basename(path));
  };
}
