import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StrobeError } from '../../model/errors.ts';

/** The folder of a session's rings: in shared memory, so that they never touch a disk. */
export function ringDirectory(sessionId: string): string {
  const uid = process.getuid?.() ?? 0;
  return join('/dev/shm', `strobe-${uid}`, sessionId);
}

/**
 * Makes the folder of a session's rings. Every user can write to shared memory: another user who made this
 * user's folder first could read what is traced. Throws UNSAFE_HOME.
 */
export function makeRingDirectory(folder: string): void {
  const own = dirname(folder);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const { uid, mode, isLink } = ownerOf(own);
  if (isLink || uid !== process.getuid?.() || (mode & 0o077) !== 0) {
    throw new StrobeError(
      'UNSAFE_HOME',
      `${own}, where traced values lie, belongs to user ${uid} with mode ${(mode & 0o777).toString(8)}.`,
      `Remove it, or let its owner do so; then trace again.`,
    );
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function ownerOf(path: string): { uid: number; mode: number; isLink: boolean } {
  const stat = lstatSync(path);
  return { uid: stat.uid, mode: stat.mode, isLink: !stat.isDirectory() };
}

/** Removes a session's rings; their contents are in the store by then. */
export function removeRings(sessionId: string): void {
  rmSync(ringDirectory(sessionId), { recursive: true, force: true });
}

/** Where the output of an attached process is recorded: `<pid>.output` beside `<pid>.ring`. */
export function outputPathOf(ringPath: string): string {
  return ringPath.replace(/\.ring$/, '.output');
}
