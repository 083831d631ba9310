import { filesBelow } from '../../base/paths.ts';

const limits = { mostFiles: 1, mostFolders: 5000 } as const;
const machineCode = /\.(?:node|so(?:\.\d+)*)$/;

/** Whether a project has machine code of its own, which patterns without a library mean. Packages that are installed in it are others'. */
export function holdsAddons(projectRoot: string): boolean {
  const found = filesBelow(projectRoot, {
    isWanted: (name) => machineCode.test(name),
    isOpen: (name) => !name.startsWith('.') && name !== 'node_modules',
    ...limits,
  });
  return found.length > 0;
}
