import { readdirSync, realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { commandOf, linkOf, processFacts } from '../../base/proc.ts';
import { isOurs } from './inspectProcess.ts';

/** At least; where a look takes long, a sixth of the time is spent on looks. */
const LOOK_MS = 10;
const SHARE = 5;

const interpreters = /^(?:python[\d.]*|node|deno|bun)$/;

/**
 * Waits for a process that begins to run a program: its executable, or the script that Python or JavaScript was given,
 * has this path (relative to `cwd`) or name, and it did not run that when the wait began. Forks of a process that runs
 * it are none. Looks at /proc; touches nothing. Null: none began within `patienceMs`, or the signal was aborted.
 */
export async function nextStart(
  program: string,
  cwd: string,
  patienceMs: number,
  signal: AbortSignal,
): Promise<number | null> {
  const isMeant = program.includes('/') ? hasPath(resolve(cwd, program)) : hasName(program);
  const late = monotonicMs() + patienceMs;
  let before = new Set(running(isMeant));
  for (;;) {
    const began = monotonicMs();
    const now = running(isMeant);
    const begun = now.find((pid) => !before.has(pid) && !now.includes(parentOf(pid)));
    if (begun !== undefined) return begun;
    if (signal.aborted || monotonicMs() > late) return null;
    // A number that a process had may be that of another one later.
    before = new Set(now);
    await pause(Math.max(LOOK_MS, SHARE * (monotonicMs() - began)), signal);
  }
}

type Program = (files: readonly string[]) => boolean;

function hasName(name: string): Program {
  return (files) => files.some((file) => basename(file) === name);
}

function hasPath(path: string): Program {
  return (files) => files.includes(path) || files.includes(real(path));
}

/** The path may lead to nothing yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function running(isMeant: Program): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isMeant(filesOf(pid)) && !isOurs(pid));
}

/** The executable and the script of a process. */
function filesOf(pid: number): string[] {
  const image = linkOf(pid, 'exe');
  if (image === null) return [];
  if (!interpreters.test(basename(image))) return [image];
  const script = commandOf(pid)
    .slice(1)
    .find((word) => !word.startsWith('-'));
  return script === undefined ? [image] : [image, resolve(linkOf(pid, 'cwd') ?? '/', script)];
}

function parentOf(pid: number): number {
  return processFacts(pid)?.parent ?? 0;
}
