import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where `strobe` is, or what to do about that it is not there. */
export type StrobePlace =
  | { readonly path: string; readonly problem: null }
  | { readonly path: null; readonly problem: string };

/** What decides where `strobe` is looked for. */
export interface Surroundings {
  /** The setting `strobe.path`; empty: it is looked for. */
  readonly setting: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly arch: string;
}

/** Below the user's home: where npm, pipx and people put programs that an editor's PATH often lacks. */
const usualFolders = ['.local/bin', '.npm-global/bin', 'bin', 'strobe'];

/** Looks at the setting, the PATH and the usual folders, in this order. */
export function findStrobe({ setting, env, platform, arch }: Surroundings): StrobePlace {
  if (platform !== 'linux' || arch !== 'x64')
    return missing(
      `Strobe runs on Linux x86-64, and this window's extensions run on ${platform} ${arch}. Open the folder in a remote window (SSH, WSL, a container) on such a machine.`,
    );
  if (setting !== '') {
    const path = expanded(setting, env['HOME']);
    if (!isAbsolute(path))
      return missing(`The setting strobe.path is no absolute path: ${setting}.`);
    return isProgram(path)
      ? { path, problem: null }
      : missing(`The setting strobe.path names ${path}, where no program is. Correct or clear it.`);
  }
  const home = env['HOME'];
  const folders = [
    ...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute),
    ...(home === undefined ? [] : usualFolders.map((folder) => join(home, folder))),
  ];
  const path = folders.map((folder) => join(folder, 'strobe')).find(isProgram);
  return path === undefined
    ? missing(
        'The command strobe is not on the PATH. Install Strobe (npm install -g strobe, or a clone of its repository), or put its path into the setting strobe.path.',
      )
    : { path, problem: null };
}

function missing(problem: string): StrobePlace {
  return { path: null, problem };
}

function expanded(path: string, home: string | undefined): string {
  return home !== undefined && path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
