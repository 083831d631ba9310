import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readOf } from './proc.ts';

/** The memory cgroup that leaves a process least. */
export interface MemoryGroup {
  readonly path: string;
  readonly limitBytes: number;
  /** Of the limit what nothing uses that could not be dropped. */
  readonly freeBytes: number;
}

/** Names of the files of cgroup v2 and v1 (Linux, admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst). */
const versions = [
  { type: 'cgroup2', limit: 'memory.max', used: 'memory.current', cache: 'inactive_file' },
  {
    type: 'cgroup',
    limit: 'memory.limit_in_bytes',
    used: 'memory.usage_in_bytes',
    cache: 'total_inactive_file',
  },
] as const;
type Version = (typeof versions)[number];

/** v1 says so where there is no limit: the largest page-aligned number. */
const noLimit = 2 ** 62;

/** Null: no limit holds for the process, or none can be read. */
export function memoryGroupOf(pid: number): MemoryGroup | null {
  const own = readOf(pid, 'cgroup');
  const mounts = readOf(process.pid, 'mountinfo');
  if (own === null || mounts === null) return null;
  let tightest: MemoryGroup | null = null;
  for (const version of versions) {
    const path = pathIn(own, version);
    const mount = mountOf(mounts, version);
    if (path === null || mount === null) continue;
    const inside = relative(mount.root, path);
    // Seen from another namespace it lies outside.
    const parts = inside.startsWith('..') ? [] : inside.split('/').filter(Boolean);
    for (let depth = parts.length; depth >= 0; depth--) {
      const folder = join(mount.point, ...parts.slice(0, depth));
      const group = groupAt(folder, version);
      if (group && (tightest === null || group.freeBytes < tightest.freeBytes)) tightest = group;
    }
  }
  return tightest;
}

/** From lines `number:controllers:path`. */
function pathIn(text: string, { type }: Version): string | null {
  const line = type === 'cgroup2' ? /^0::(.*)$/m : /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m;
  return line.exec(text)?.[1] ?? null;
}

/** From lines `… root point options - type source options`. */
function mountOf(text: string, { type }: Version): { root: string; point: string } | null {
  for (const line of text.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', point = ''] = before.split(' ');
    const [found, , options = ''] = after.split(' ');
    const isOurs = found === type && (type === 'cgroup2' || options.split(',').includes('memory'));
    if (isOurs) return { root, point };
  }
  return null;
}

function groupAt(folder: string, { limit, used, cache }: Version): MemoryGroup | null {
  try {
    const limitBytes = Number(readFileSync(join(folder, limit), 'utf8').trim());
    if (!Number.isFinite(limitBytes) || limitBytes > noLimit) return null;
    const usedBytes = Number(readFileSync(join(folder, used), 'utf8').trim());
    const stat = readFileSync(join(folder, 'memory.stat'), 'utf8');
    const dropped = Number(new RegExp(`^${cache} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0);
    const freeBytes = Math.max(0, limitBytes - usedBytes + dropped);
    return { path: folder, limitBytes, freeBytes };
  } catch {
    return null; // The root has no limit, or the controller is not there.
  }
}
