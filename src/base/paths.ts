import { sep } from 'node:path';

/** True when `path` lies in `folder` or is it. Both absolute and normalised. */
export function isBelow(path: string, folder: string): boolean {
  if (folder === sep) return path.startsWith(sep);
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
