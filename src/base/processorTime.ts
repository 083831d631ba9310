import { readFileSync } from 'node:fs';

/** USER_HZ: what /proc counts in, whatever the kernel's own tick. */
export const ticksPerSecond = 100;

/** Milliseconds of processor time a process has used, its threads together; null when that cannot be read. */
export function processorMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before them, in parentheses, may hold anything. Field numbers: proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? (ticks * 1000) / ticksPerSecond : null;
  } catch {
    return null;
  }
}
