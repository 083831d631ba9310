import { readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const namePattern = '/proc/sys/kernel/core_pattern';
/** The kernel keeps so much of a process's name. */
const nameBytes = 15;

/**
 * Where the kernel may have left a core file of a process, the likeliest first (core(5)): `cwd` is where it is thought
 * to have died, `writtenMs` before which, by the wall clock, none can be of it. Empty where a program takes cores, or
 * a part of the name is not known. Whose a file is, only its content says.
 */
export function leftCores(
  { pid, path, cwd }: { readonly pid: number; readonly path: string; readonly cwd: string },
  writtenMs: number,
): string[] {
  let pattern: string;
  try {
    pattern = readFileSync(namePattern, 'utf8').trim();
  } catch {
    return [];
  }
  const known: Readonly<Record<string, string>> = {
    '%%': '%',
    '%p': String(pid),
    '%P': String(pid),
    '%i': String(pid),
    '%I': String(pid),
    '%e': basename(path).slice(0, nameBytes),
    '%E': path.replaceAll('/', '!'),
  };
  const name = pattern.replaceAll(/%./g, (part) => known[part] ?? part);
  const rest = pattern.replaceAll(/%./g, (part) => (part in known ? '' : part));
  if (pattern === '' || pattern.startsWith('|') || rest.includes('%')) return [];
  return [name, `${name}.${pid}`]
    .map((one) => resolve(cwd, one))
    .filter((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= writtenMs);
}
