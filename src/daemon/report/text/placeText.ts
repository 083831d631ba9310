import { escaped } from '../../../base/visible.ts';

/** `src/account.cpp:31`: below the project's root relative to it, else the absolute path; empty when unknown. */
export function place(file: string | null, line: number | null, projectRoot: string): string {
  if (file === null) return '';
  const root = projectRoot.endsWith('/') ? projectRoot : `${projectRoot}/`;
  const path = file.startsWith(root) ? file.slice(root.length) : file;
  const shown = escaped(path);
  return line === null || line === 0 ? shown : `${shown}:${line}`;
}

/** What many source files are called: the folder tells them apart. */
const ofFolder = /[^/]+\/(?:__init__\.py|index\.[cm]?[jt]sx?)$/;

/** The last part of a path, to be shown. */
export function fileName(path: string): string {
  const [named] = ofFolder.exec(path) ?? [];
  return escaped(named ?? path.slice(path.lastIndexOf('/') + 1));
}

/** A command as a person would type it; parts with spaces or quotes are quoted. */
export function commandText(command: readonly string[]): string {
  return command
    .map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
