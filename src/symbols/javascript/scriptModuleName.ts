import { basename, dirname } from 'node:path';

/** What a module is called in names of its functions: its file, or its folder where that is what others import. */
export function scriptModuleName(path: string): string {
  const name = basename(path).replace(/\.[cm]?[jt]sx?$/, '');
  return name === 'index' ? basename(dirname(path)) || name : name;
}
