import { basename } from 'node:path';
import { isBelow } from './paths.ts';

/** Where distributions and package managers put what they install. */
const folders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/usr'];
const installers = ['/opt/intel', '/nix/store', '/snap'];
/** Below /usr, but people install their own programs there; libraries there belong to the system. */
const local = '/usr/local';

/** Whether a file belongs to the system rather than to a project. */
export function isSystemPath(path: string): boolean {
  if (isBelow(path, local)) return isBelow(path, `${local}/lib`);
  return [...folders, ...installers].some((folder) => isBelow(path, folder));
}

/** A file of the system that is no program. */
export function isSystemLibrary(path: string): boolean {
  return isSystemPath(path) && !/\/s?bin\/[^/]*$/.test(path);
}

/** A shell of the system, or a program of it that becomes the one it is given. */
export function runsOthers(path: string): boolean {
  return (
    isSystemPath(path) &&
    /^(?:(?:ba|da|k|z)?sh|env|nice|nohup|setsid|taskset)$/.test(basename(path))
  );
}
