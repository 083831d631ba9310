import { join } from 'node:path';
import { filesBelow, realPath } from '../../base/paths.ts';
import { isUserCode } from '../../model/names/pattern.ts';

const limits = { mostFiles: 5000, mostFolders: 5000 } as const;

/** The source files of a project: its functions can be wanted before a module of theirs is run. Real paths. */
export function projectSources(projectRoot: string, isSource: (name: string) => boolean): string[] {
  const root = realPath(projectRoot);
  const files = filesBelow(root, {
    isWanted: isSource,
    // A file in it would be the project's own.
    isOpen: (name, folder) => !name.startsWith('.') && isUserCode(join(folder, name, 'x'), root),
    ...limits,
  });
  return files.map(realPath);
}
