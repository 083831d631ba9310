import { access, constants, opendir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '../../base/nearest.ts';
import { StrobeError } from '../../model/errors.ts';

/** Where a command is looked up. */
export interface ProgramSurroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What execvp uses when the environment has no PATH. */
const pathWithout = '/bin:/usr/bin';
const maxNames = 20_000;
/** What runs a source that was named instead of a program. */
const interpreters = [
  { ending: /\.py$/, command: 'python3' },
  { ending: /\.[cm]?[jt]s$/, command: 'node' },
  { ending: /\.sh$/, command: 'sh' },
] as const;

type Found = 'program' | 'notExecutable' | 'folder' | 'missing';

/**
 * What execve is to be given for `command`: itself when it holds a slash, else the first
 * executable file of that name on the PATH. PROGRAM_NOT_FOUND with the nearest names,
 * NOT_EXECUTABLE when only files without permission were found.
 */
export async function findProgram(command: string, around: ProgramSurroundings): Promise<string> {
  if (command === '')
    throw new StrobeError('PROGRAM_NOT_FOUND', 'The command is empty.', 'Name a program.');
  if (command.includes('/')) return await checkPath(command, around);
  const folders = searchPath(around);
  let refused: { path: string; found: Found } | null = null;
  for (const folder of folders) {
    const path = join(folder, command);
    const found = await look(path);
    if (found === 'program') return path;
    if (found !== 'missing') refused ??= { path, found };
  }
  if (refused?.found === 'notExecutable') throw notExecutable(refused.path, refused.found);
  const here = await look(resolve(around.cwd, command));
  if (here === 'notExecutable' && interpreterOf(command) !== null)
    throw notExecutable(command, here);
  if (here === 'program') {
    throw new StrobeError(
      'PROGRAM_NOT_FOUND',
      `${command} is not on the PATH; there is one in ${around.cwd}.`,
      `Use "./${command}".`,
    );
  }
  const names = (await Promise.all(folders.map(async (folder) => await namesIn(folder)))).flat();
  throw notFound(
    `${command} is not on the PATH (${folders.length} folders).`,
    nearest(command, [...new Set(names)], 3),
  );
}

async function checkPath(command: string, around: ProgramSurroundings): Promise<string> {
  const path = resolve(around.cwd, command);
  const found = await look(path);
  if (found === 'program') return command;
  if (found !== 'missing') throw notExecutable(path, found);
  const folder = dirname(path);
  if ((await look(folder)) !== 'folder') {
    throw notFound(`${path} does not exist: there is no folder ${folder}.`, []);
  }
  const alike = nearest(basename(path), await namesIn(folder), 3);
  throw notFound(
    `${path} does not exist.`,
    alike.map((name) => join(dirname(command), name)),
  );
}

function searchPath(around: ProgramSurroundings): string[] {
  // An empty entry means the current folder.
  return (around.env['PATH'] ?? pathWithout)
    .split(':')
    .map((folder) => resolve(around.cwd, folder));
}

async function look(path: string): Promise<Found> {
  const found = await stat(path).catch(() => null);
  if (!found) return 'missing';
  if (found.isDirectory()) return 'folder';
  if (!found.isFile()) return 'notExecutable';
  return await access(path, constants.X_OK).then(
    () => 'program',
    () => 'notExecutable',
  );
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (names.push(entry.name) >= maxNames) break;
    }
  } catch {
    // A PATH may name folders that do not exist or cannot be read.
  }
  return names;
}

function notFound(message: string, alike: readonly string[]): StrobeError {
  if (alike.length === 0) return new StrobeError('PROGRAM_NOT_FOUND', message);
  return new StrobeError(
    'PROGRAM_NOT_FOUND',
    `${message} Nearest: ${alike.join(', ')}.`,
    'Use one of the nearest names, give an absolute path, or build the program first.',
  );
}

function notExecutable(path: string, found: Found): StrobeError {
  if (found === 'folder')
    return new StrobeError('NOT_EXECUTABLE', `${path} is a folder.`, 'Name a program in it.');
  const interpreter = interpreterOf(path);
  return new StrobeError(
    'NOT_EXECUTABLE',
    `${path} is not an executable file.`,
    interpreter === null ? undefined : `Name its interpreter first: ${interpreter} ${path}`,
  );
}

function interpreterOf(path: string): string | null {
  return interpreters.find(({ ending }) => ending.test(path))?.command ?? null;
}
