import { accessSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Strobe's own folder and what lies directly in it. */
export interface Home {
  readonly path: string;
  readonly socket: string;
  readonly lock: string;
  readonly log: string;
  readonly settings: string;
}

/** `STROBE_HOME`, else `~/.strobe`. Nothing is created. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): Home {
  const wanted = env['STROBE_HOME'];
  const path = wanted
    ? isAbsolute(wanted)
      ? wanted
      : resolve(wanted)
    : join(homedir(), '.strobe');
  return {
    path,
    socket: join(path, 'daemon.sock'),
    lock: join(path, 'daemon.lock'),
    log: join(path, 'daemon.log'),
    settings: join(path, 'settings.json'),
  };
}

/** What lies directly in the folder and is written by us alone. */
const ownNames = [
  'daemon.sock',
  'daemon.lock',
  'daemon.log',
  'daemon.log.1',
  'daemon.err',
  'daemon.starting',
  'strobe.db',
  'strobe.db-wal',
  'strobe.db-shm',
  'sessions',
  'drafts',
  'tests',
  'cache',
  'run',
] as const;

/** Ours too, but a user may put links in their places. */
const linkableNames = ['settings.json', 'runtime', 'exports'] as const;

/** Whether something directly in the folder is Strobe's; what else lies there is the user's. */
export function isOurs(name: string): boolean {
  return [...ownNames, ...linkableNames].some((own) => own === name);
}

/** Why a folder must not be used. */
export interface HomeProblem {
  readonly code: 'UNSAFE_HOME' | 'PATH_TOO_LONG' | 'HOME_READ_ONLY';
  readonly message: string;
}

/** Longest path a unix socket may have: `sun_path` holds 108 bytes with its NUL. */
const longestSocketPath = 107;

/**
 * Creates the folder (0700) when it is missing and checks that it, what lies in it and the way to
 * it are this user's alone. Nothing that exists is changed: the path may be wrong.
 */
export function openHome(home: Home): HomeProblem | null {
  if (Buffer.byteLength(home.socket) > longestSocketPath) {
    return {
      code: 'PATH_TOO_LONG',
      message: `${home.socket} is longer than ${longestSocketPath} bytes.`,
    };
  }
  try {
    mkdirSync(home.path, { recursive: true, mode: 0o700 });
    const stat = lstatSync(home.path);
    if (!stat.isDirectory()) return unsafe(`${home.path} is not a folder.`);
    const uid = process.getuid?.() ?? stat.uid;
    if (stat.uid !== uid) return unsafe(`${home.path} belongs to user ${stat.uid}, not to ${uid}.`);
    if ((stat.mode & 0o077) !== 0) {
      return unsafe(`${home.path} is open to others (mode ${(stat.mode & 0o777).toString(8)}).`);
    }
    accessSync(home.path, constants.W_OK);
    return openAbove(home.path) ?? foreignInside(home.path, uid);
  } catch (error) {
    if (isReadOnly(error)) {
      return { code: 'HOME_READ_ONLY', message: `${home.path} is on a read-only file system.` };
    }
    return unsafe(
      `${home.path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** In a folder that all may write to, everybody can put another folder in the place of ours. */
function openAbove(path: string): HomeProblem | null {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = statSync(folder);
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) {
      return unsafe(
        `${folder}, above ${path}, is open to others (mode ${(mode & 0o7777).toString(8)}).`,
      );
    }
    if (dirname(folder) === folder) return null;
  }
}

/** What the daemon writes must be its own, or it would write where a link leads. */
function foreignInside(path: string, uid: number): HomeProblem | null {
  for (const name of ownNames) {
    const stat = lstatSync(join(path, name), { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) return unsafe(`${join(path, name)} is a symbolic link.`);
    if (stat && stat.uid !== uid) {
      return unsafe(`${join(path, name)} belongs to user ${stat.uid}, not to ${uid}.`);
    }
  }
  // Programs are run from it; it may be shared, but not be anybody's to change.
  const runtime = statSync(join(path, 'runtime'), { throwIfNoEntry: false });
  if (runtime && ((runtime.uid !== uid && runtime.uid !== 0) || (runtime.mode & 0o022) !== 0)) {
    return unsafe(`${join(path, 'runtime')} can be changed by others.`);
  }
  return null;
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EROFS';
}

function unsafe(message: string): HomeProblem {
  return { code: 'UNSAFE_HOME', message };
}
