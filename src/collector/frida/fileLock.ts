import { open, readFile, rm } from 'node:fs/promises';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { isAlive } from '../../base/procStat.ts';
import { StrobeError } from '../../model/errors.ts';

/**
 * Runs `work` while no other process runs its own under the same lock file. A lock whose owner has
 * died is taken over. TIMED_OUT when it is not free within `limitMs`.
 */
export async function withFileLock<T>(
  path: string,
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const until = monotonicMs() + limitMs;
  while (!(await take(path))) {
    if (monotonicMs() > until) throw new StrobeError('TIMED_OUT', `Another process holds ${path}.`);
    await pause(100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (!isExisting(error))
      throw new StrobeError('FRIDA_MISSING', `${path} cannot be written: ${String(error)}`);
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    // An empty file belongs to somebody who is just writing it.
    if (owner > 0 && !isAlive(owner)) await rm(path, { force: true });
    return false;
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
