import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { monotonicMs } from '../../src/base/clock.ts';
import { pause } from '../../src/base/deadline.ts';

export interface LiveProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/**
 * Live (not zombie) processes whose environment holds `entry`, e.g. `STROBE_HOME=/tmp/x`. A process
 * about to start another has, until that one's exec, a fork with the same environment and command:
 * forks of that kind are not told.
 */
export function processesWith(entry: string): LiveProcess[] {
  const found: LiveProcess[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = procFile(pid, 'environ');
    if (environment === null || !environment.split('\0').includes(entry)) continue;
    const stat = statOf(pid);
    if (!lives(stat)) continue;
    const command = (procFile(pid, 'cmdline') ?? '').split('\0').join(' ').trim();
    found.push({ pid, parent: Number(stat?.[1]), command });
  }
  const commands = new Map(found.map(({ pid, command }) => [pid, command]));
  return found.filter(({ parent, command }) => commands.get(parent) !== command);
}

/** False for a process that is gone or a zombie. */
export function isAlive(pid: number): boolean {
  return lives(statOf(pid));
}

function lives(stat: readonly string[] | null): boolean {
  return stat !== null && !/^[ZX]/.test(stat[0] ?? '');
}

/** Fields of /proc/PID/stat from the state on. */
function statOf(pid: number): readonly string[] | null {
  const stat = procFile(pid, 'stat');
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Also where it ends meanwhile. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it ended meanwhile
  }
}

/** Waits until `holds()` is true; fails with `what` after `ms`. */
export async function until(what: string, holds: () => boolean, ms = 30_000): Promise<void> {
  const end = monotonicMs() + ms;
  while (!holds()) {
    if (monotonicMs() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await pause(20);
  }
}

function procFile(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return null; // gone, or another user's
  }
}

/** What the descriptors of a process lead to, like `/tmp/x` or `socket:[12]`; none of one that has ended. */
export function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((number) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${number}`);
      } catch {
        return []; // Closed meanwhile.
      }
    });
  } catch {
    return []; // Ended meanwhile.
  }
}

/** Pids that targets/e2e/family.c printed, one a line. */
export function pidsOf(lines: readonly { readonly text: string }[]): number[] {
  return lines.map((line) => Number(/^\w+ (\d+)$/.exec(line.text)?.[1]));
}
