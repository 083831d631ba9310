import { stat } from 'node:fs/promises';
import { linkOf } from '../../base/proc.ts';
import { imageOf } from '../../collector/program/image.ts';
import type { SessionContext } from '../session/sessionContext.ts';

/**
 * The ELF file that the main process runs now: a shim, as those of pyenv, executes the program that is meant. What it
 * was launched with where that cannot be read, or where executed programs are left alone.
 */
export async function presentImage({ facts }: SessionContext, pid: number): Promise<string> {
  const { image, follow, isAttached } = facts;
  const path = linkOf(pid, 'exe');
  if (follow === 'none' || isAttached || path === null) return image;
  const running = await fileAt(`/proc/${pid}/exe`);
  if (running === null || running === (await fileAt(image))) return image;
  // In a mount namespace of its own the path may mean another file.
  return running === (await fileAt(path)) ? ((await imageOf(path))?.path ?? image) : image;
}

async function fileAt(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found && `${found.dev}.${found.ino}`;
}
