import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

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

/** Why a folder must not be used. */
export interface HomeProblem {
  readonly code: 'UNSAFE_HOME' | 'PATH_TOO_LONG' | 'HOME_READ_ONLY';
  readonly message: string;
}

/** Longest path a unix socket may have: `sun_path` holds 108 bytes with its NUL. */
const longestSocketPath = 107;

/**
 * Creates the folder (0700) when it is missing and checks that it is this user's alone. Nothing
 * that exists is changed: the path may be wrong.
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
    const uid = userInfo().uid;
    if (stat.uid !== uid) return unsafe(`${home.path} belongs to user ${stat.uid}, not to ${uid}.`);
    if ((stat.mode & 0o077) !== 0) {
      return unsafe(`${home.path} is open to others (mode ${(stat.mode & 0o777).toString(8)}).`);
    }
    accessSync(home.path, constants.W_OK);
  } catch (error) {
    if (isReadOnly(error)) {
      return { code: 'HOME_READ_ONLY', message: `${home.path} lies on a read-only file system.` };
    }
    return unsafe(
      `${home.path} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return null;
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EROFS';
}

function unsafe(message: string): HomeProblem {
  return { code: 'UNSAFE_HOME', message };
}
