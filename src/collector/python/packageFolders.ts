import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { programOn, realPath } from '../../base/paths.ts';
import { commandOf, linkOf, readOf } from '../../base/proc.ts';

const libraryName = /^python3(?:\.\d+)?$/;
const interpreterName = /^(python3)\.\d+$/;

/**
 * The folders in which an interpreter looks for modules that are not the program's own: its library, what is installed
 * for it, for its user and in its virtual environment (PEP 405). Each ends with `/`.
 */
export function packageFolders(pid: number): string[] {
  const image = linkOf(pid, 'exe');
  if (image === null) return [];
  const own = dirname(dirname(image));
  const [version, major] = interpreterName.exec(basename(image)) ?? [];
  const isOfVersion = (name: string): boolean =>
    version === undefined ? libraryName.test(name) : name === version || name === major;
  const prefixes = [own, environmentOf(pid), '/usr/local', join(homedir(), '.local')];
  const libraries = prefixes.flatMap((prefix) =>
    prefix === null ? [] : librariesIn(prefix, isOfVersion),
  );
  const folders = libraries.flatMap((library) =>
    ['', 'site-packages', 'dist-packages'].map((name) => join(library, name)),
  );
  return [...new Set(folders.filter((folder) => existsSync(folder)).map(realPath))].map(
    (folder) => `${folder}/`,
  );
}

function librariesIn(prefix: string, isMeant: (name: string) => boolean): string[] {
  const folder = join(prefix, 'lib');
  try {
    const names = readdirSync(folder).filter(isMeant);
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Null: the interpreter was started by no path of a virtual environment. */
function environmentOf(pid: number): string | null {
  const [name = ''] = commandOf(pid);
  const folder = linkOf(pid, 'cwd') ?? '/';
  const path = /(?:^|\0)PATH=([^\0]*)/.exec(readOf(pid, 'environ') ?? '')?.[1] ?? '';
  const started = name.includes('/') ? resolve(folder, name) : programOn(path, name);
  if (started === null) return null;
  const prefix = dirname(dirname(started));
  return existsSync(join(prefix, 'pyvenv.cfg')) ? prefix : null;
}
