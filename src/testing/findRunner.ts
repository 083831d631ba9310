import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

type Environment = Readonly<Record<string, string>>;

/** The first program of this name on the PATH, or null. */
export function onPath(name: string, env: Environment): string | null {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder !== '' && isProgram(join(folder, name))) return join(folder, name);
  }
  return null;
}

/** An executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A path below the project or one of the folders above it, nearest first; null when none has it. */
export function above(root: string, path: string): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const full = join(folder, path);
    if (statSync(full, { throwIfNoEntry: false })) return full;
    if (dirname(folder) === folder) return null;
  }
}

/** The folder with the project's Python: its own virtual environment, the active one, or null. */
function pythonFolder(root: string, env: Environment): string | null {
  const candidates = [
    join(root, '.venv', 'bin'),
    join(root, 'venv', 'bin'),
    ...(env['VIRTUAL_ENV'] === undefined ? [] : [join(env['VIRTUAL_ENV'], 'bin')]),
    ...[above(root, '.venv/bin')].filter((folder) => folder !== null),
  ];
  return candidates.find((folder) => isProgram(join(folder, 'python'))) ?? null;
}

/** The Python that the project's tests run with; `python3` when none is found. */
export function projectPython(root: string, env: Environment): string {
  const folder = pythonFolder(root, env);
  if (folder !== null) return join(folder, 'python');
  return onPath('python3', env) ?? onPath('python', env) ?? 'python3';
}

/** A script of the project's Python, as `pytest`; null when it is not there. */
export function pythonScript(name: string, root: string, env: Environment): string | null {
  const folder = pythonFolder(root, env);
  if (folder === null) return onPath(name, env);
  return isProgram(join(folder, name)) ? join(folder, name) : null;
}
