import { readdirSync, readFileSync } from 'node:fs';

/** A process the daemon has started, and what it has in memory. */
export interface ChildProcess {
  readonly pid: number;
  readonly name: string;
  readonly bytes: number;
}

/** Hosts, keepers and what else runs for the daemon; empty where there is no /proc (proc(5)). */
export function childProcesses(parent: number): ChildProcess[] {
  const found: ChildProcess[] = [];
  for (const entry of namesIn('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const status = read(`/proc/${pid}/status`);
    if (Number(field(status, 'PPid')) !== parent) continue;
    const kibibytes = Number.parseInt(field(status, 'VmRSS'), 10);
    if (Number.isNaN(kibibytes)) continue; // It has ended and waits to be reaped.
    found.push({ pid, name: nameOf(pid, field(status, 'Name')), bytes: kibibytes * 1024 });
  }
  return found;
}

function nameOf(pid: number, fallback: string): string {
  const command = read(`/proc/${pid}/cmdline`);
  if (/(sidecar\.py|addonHost)/.test(command)) return 'host';
  return /\/keeper\0/.test(command) ? 'keeper' : fallback;
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
