import { memoryGroupOf, type MemoryGroup } from '../../base/memoryGroup.ts';
import { readOf } from '../../base/proc.ts';

/** What decides whether there is memory for tracing a process. */
export interface MemoryFacts {
  /** Null: no limit holds for it. */
  readonly group: MemoryGroup | null;
  /** What it has mapped, and what of that it has locked (mlock(2), mlockall(2)). */
  readonly sizeBytes: number;
  readonly lockedBytes: number;
  /** That it may lock; infinite with the capability. */
  readonly lockableBytes: number;
}

/** What the instrumentation takes of a process's memory, its rings aside. */
const NEEDED_BYTES = 64 << 20;
/** The same where all that is mapped is locked: with stacks that are never used; and how much address space that is. */
const NEEDED_LOCKED_BYTES = 256 << 20;
const MAPPED_BYTES = 2 ** 30;
/** Rings may take one part in this many of what a memory cgroup leaves. */
const GROUP_SHARE = 8;
const MEGABYTE = 2 ** 20;

/** Why a process cannot be traced for want of memory, as a clause, with the next step; null: it can. */
export function whyNoMemory(facts: MemoryFacts): { reason: string; hint: string } | null {
  const { group, lockedBytes, lockableBytes } = facts;
  const locksAll = lockedBytes > facts.sizeBytes / 2;
  if (locksAll && lockableBytes - lockedBytes < MAPPED_BYTES) {
    return {
      reason: `it keeps all its memory locked (mlockall) and may lock ${megabytes(lockableBytes)}: tracing maps ${megabytes(MAPPED_BYTES)} more`,
      hint: 'Raise its limit (ulimit -l unlimited), or launch it with debug_launch, which does not lock what tracing needs.',
    };
  }
  const needed = locksAll ? NEEDED_LOCKED_BYTES : NEEDED_BYTES;
  if (group !== null && group.freeBytes < needed) {
    return {
      reason: `its memory cgroup ${group.path} allows ${megabytes(group.limitBytes)}, of which ${megabytes(group.freeBytes)} are free: tracing takes up to ${megabytes(needed)}`,
      hint: 'Give the cgroup more memory.',
    };
  }
  return null;
}

/** Bytes that rings of a process may take in its memory cgroup. */
export function ringRoom({ group }: Pick<MemoryFacts, 'group'>): number {
  return group === null ? Number.POSITIVE_INFINITY : Math.floor(group.freeBytes / GROUP_SHARE);
}

/** CAP_IPC_LOCK. */
const lockCapability = 14n;

export function memoryFactsOf(pid: number): MemoryFacts {
  const status = readOf(pid, 'status') ?? '';
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024;
  const capabilities = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const limit = /^Max locked memory\s+(\S+)/m.exec(readOf(pid, 'limits') ?? '')?.[1];
  const mayLockAll = ((capabilities >> lockCapability) & 1n) === 1n || limit === 'unlimited';
  return {
    group: memoryGroupOf(pid),
    sizeBytes: kilobytes('VmSize'),
    lockedBytes: kilobytes('VmLck'),
    lockableBytes: mayLockAll ? Number.POSITIVE_INFINITY : Number(limit ?? 0),
  };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE).toLocaleString('en')} MB`;
}
