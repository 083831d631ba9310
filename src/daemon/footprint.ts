import { readdirSync, readFileSync } from 'node:fs';

/** A process the daemon has started, and what it has in memory. */
export interface ChildProcess {
  readonly pid: number;
  readonly name: string;
  readonly bytes: number;
}

/** Hosts, standbys with their supervisors, and what else runs for the daemon; empty where there is no /proc (proc(5)). */
export function childProcesses(parent: number): ChildProcess[] {
  const all = namesIn('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
    .map((pid) => ({ pid, status: read(`/proc/${pid}/status`) }));
  const childrenOf = (above: number): ChildProcess[] =>
    all.flatMap(({ pid, status }) => {
      if (Number(field(status, 'PPid')) !== above) return [];
      const kibibytes = Number.parseInt(field(status, 'VmRSS'), 10);
      if (Number.isNaN(kibibytes)) return []; // It has ended and waits to be reaped.
      const name = nameOf(pid, field(status, 'Name'));
      const own = { pid, name, bytes: kibibytes * 1024 };
      return name === 'standby' ? [own, ...childrenOf(pid)] : [own];
    });
  return childrenOf(parent);
}

function nameOf(pid: number, fallback: string): string {
  const command = read(`/proc/${pid}/cmdline`);
  if (command.includes('sidecar.py')) return 'host';
  if (command.startsWith('strobe-standby')) return 'standby';
  return /\/supervisor\0/.test(command) ? 'supervisor' : fallback;
}

function field(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // It has ended.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
