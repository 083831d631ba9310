import { accessSync, constants, readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** True when `path` lies in `folder` or is it. Both absolute and normalised. */
export function isBelow(path: string, folder: string): boolean {
  if (folder === sep) return path.startsWith(sep);
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** With its links followed; unchanged where that cannot be done. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Tells one version of a file from others; null when there is none. */
export async function stampOf(path: string): Promise<string | null> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return null;
  }
}

export interface FilesOptions {
  /** Whether a file of this name is one. */
  readonly isWanted: (name: string) => boolean;
  /** Whether a folder of this name, directly in that one, is looked into. */
  readonly isOpen: (name: string, folder: string) => boolean;
  readonly mostFiles: number;
  /** Folders that are looked into. */
  readonly mostFolders: number;
}

/** Files below a folder, near ones first; links to folders are not followed, folders that cannot be read are left out. */
export function filesBelow(folder: string, options: FilesOptions): string[] {
  const { isWanted, isOpen, mostFiles, mostFolders } = options;
  const files: string[] = [];
  const folders = [folder];
  for (let at = 0; at < folders.length && at < mostFolders; at++) {
    const here = folders[at] ?? folder;
    for (const entry of entriesOf(here)) {
      const path = join(here, entry.name);
      if (entry.isDirectory() && isOpen(entry.name, here)) folders.push(path);
      else if (!entry.isDirectory() && isWanted(entry.name)) {
        if (files.push(path) >= mostFiles) return files;
      }
    }
  }
  return files;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The file of a program in the first of these folders that has it; null: none has. `path`: as in PATH. */
export function programOn(path: string, name: string, more: readonly string[] = []): string | null {
  const folders = [...path.split(':').filter((folder) => folder !== ''), ...more];
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
