import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPath } from '../../base/paths.ts';
import { commandOf, linkOf } from '../../base/proc.ts';
import { isSystemPath } from '../../base/systemPaths.ts';
import { holdsName } from '../program/entryFacts.ts';

/** What every program that is CPython calls or holds, from 3.8 on. */
const mainFunction = 'Py_BytesMain';
/** Options of the interpreter that take the next argument. */
const withArgument = /^-[a-zA-Z]*[WX]$/;
/** What ends its options: a module, a command. */
const notFile = /^-[a-zA-Z]*[mc]$/;

/** Whether a program is an interpreter of ours, or one of another kind. */
export async function pythonKind(image: string): Promise<'cpython' | 'pypy' | null> {
  if (basename(realPath(image)).startsWith('pypy')) return 'pypy';
  return (await holdsName(image, mainFunction, false)) ? 'cpython' : null;
}

/** The source file that a process was started with; null: it has none, or that is unknown. */
export function scriptOf(pid: number): string | null {
  const args = commandOf(pid).slice(1);
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (notFile.test(argument) || argument === '-') return null;
    if (withArgument.test(argument)) at++;
    else if (!argument.startsWith('-')) {
      const folder = linkOf(pid, 'cwd');
      return folder === null ? null : realPath(resolve(folder, argument));
    }
  }
  return null;
}

/** Where the project of what a process runs lies: its script does, or it was started there. */
export function sourceFolder(pid: number): string | null {
  const script = scriptOf(pid);
  if (script === null || isInstalled(script)) return linkOf(pid, 'cwd');
  return dirname(script);
}

/** A command that a package manager made, in `bin` of the system or of a virtual environment. */
function isInstalled(script: string): boolean {
  return isSystemPath(script) || existsSync(join(dirname(script), '..', 'pyvenv.cfg'));
}
