import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { startTimeOf } from '../../base/proc.ts';
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
  // Made whole beside it: a lock that says nothing of its owner could never be taken over.
  const own = `${path}.${randomUUID()}`;
  try {
    await writeFile(own, nameOf(process.pid), { mode: 0o600 });
    await link(own, path);
    return true;
  } catch (error) {
    if (!isExisting(error))
      throw new StrobeError('FRIDA_MISSING', `${path} cannot be written: ${String(error)}`);
    if (await isLeft(path)) await removeLeft(path);
    return false;
  } finally {
    await rm(own, { force: true });
  }
}

/** Whether its owner has died. */
async function isLeft(path: string): Promise<boolean> {
  const owner = await readFile(path, 'utf8').catch(() => null);
  return owner !== null && owner !== nameOf(Number.parseInt(owner, 10));
}

/** One process at a time, which looks again: the lock may be that of another by now. */
async function removeLeft(path: string): Promise<void> {
  const right = `${path}.removal`;
  if (!(await take(right))) return;
  try {
    if (await isLeft(path)) await rm(path, { force: true });
  } finally {
    await rm(right, { force: true });
  }
}

/** A process for good: its number alone is given again. */
function nameOf(pid: number): string {
  return `${pid} ${startTimeOf(pid) ?? ''}`;
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
