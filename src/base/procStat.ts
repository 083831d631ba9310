import { readFileSync } from 'node:fs';

/**
 * Fields of /proc/<pid>/stat (proc(5)) from the third, the state, on; null when there is no such
 * process, or no /proc.
 */
export function statFields(pid: number | 'self'): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null; // it has ended
  }
}

/** Field 22: with the pid it names a process for good. */
export function startTimeOf(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** Field 6: the session (setsid(2)) a process belongs to; null for one that is gone or a zombie. */
export function sessionOf(pid: number): number | null {
  const fields = statFields(pid);
  return fields === null || /^[ZX]/.test(fields[0] ?? '') ? null : Number(fields[3]);
}

/** Whether there is such a process, also one of another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
