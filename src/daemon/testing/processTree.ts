import { readdirSync, readFileSync } from 'node:fs';

/** A process as /proc tells it (proc(5)). */
export interface TreeProcess {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** User and system time, in clock ticks of 10 ms. */
  readonly ticks: number;
}

/** A process and everything that descends from it or was left to its supervisor. */
export function processTree(pid: number): TreeProcess[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const supervisor = stats.find((one) => one.pid === pid)?.parent ?? 0;
  const wanted = new Set([pid, ...(supervisor > 1 ? [supervisor] : [])]);
  // Parents usually come first; a pass more for each that does not.
  for (let before = 0; before < wanted.size;) {
    before = wanted.size;
    for (const one of stats) if (wanted.has(one.parent)) wanted.add(one.pid);
  }
  wanted.delete(supervisor);
  return stats.filter((one) => wanted.has(one.pid));
}

function statOf(pid: number): TreeProcess | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    return {
      pid,
      name: text.slice(text.indexOf('(') + 1, end),
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return null; // It has ended.
  }
}

/** What each thread of a process waits for in the kernel, as its own words. */
export function threadWaits(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((tid) => waitOf(`/proc/${pid}/task/${tid}`));
  } catch {
    return []; // It has ended.
  }
}

const waits: readonly (readonly [RegExp, string])[] = [
  [/futex/, 'a lock or condition'],
  [/pipe/, 'a pipe'],
  [/do_wait|wait4/, 'a child process'],
  [/nanosleep|hrtimer/, 'time (sleep)'],
  [/poll|select|epoll|ep_/, 'events (poll)'],
  [/tcp|inet|sk_|sock|unix_/, 'a socket'],
  [/n_tty|tty_/, 'terminal input'],
  [/flock|posix_lock|fcntl/, 'a file lock'],
];

function waitOf(folder: string): string {
  try {
    const state = / ([A-Z]) /.exec(
      readFileSync(`${folder}/stat`, 'latin1').split(')').at(-1) ?? '',
    );
    if (state?.[1] === 'R') return 'running';
    const place = readFileSync(`${folder}/wchan`, 'latin1');
    return (
      waits.find(([pattern]) => pattern.test(place))?.[1] ?? (place.replace(/^0$/, '') || 'unknown')
    );
  } catch {
    return 'unknown';
  }
}
