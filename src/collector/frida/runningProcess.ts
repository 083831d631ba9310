import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import { processorNamed, systemCallName } from '../../model/processors.ts';
import { readOf, threadsOf, wordsAt } from '../../base/proc.ts';

/**
 * How much it disturbs a thread to be stopped for a moment, by the system call it waits in.
 * A call that the kernel restarts by itself is calm; other calls return EINTR to a program that may not
 * expect it: epoll_wait, semop, sigtimedwait, io_getevents, sockets with a time limit (signal(7)).
 */
const unrest = new Map<string, number>([
  ['futex', 0], // another thread's lock or condition
  ['nanosleep', 1],
  ['clock_nanosleep', 1],
  ['poll', 2],
  ['select', 2],
  ['pselect6', 2],
  ['ppoll', 2],
  ['wait4', 2],
  ['waitid', 2],
  ['pause', 2],
  ['rt_sigsuspend', 2],
  ['write', 3],
  ['running', 4],
  ['read', 5], // of a socket that may have a time limit
  ['accept', 5],
  ['accept4', 5],
  ['recvfrom', 5],
  ['recvmsg', 5],
]);
const restless = 6;
const processor = processorNamed(process.arch);
const maxThreads = 512;
/** A program with one thread that comes and goes between work and waiting is met at its work. */
const patienceMs = 100;
const lookMs = 2;
/** It is gone in a moment (5 ms, of a busy machine 2 s), or never: see docs/adr/0016-attach.md. */
const leaveMs = 8_000;

/** The thread of a process whose stop for a moment disturbs it least. */
export async function calmThread(pid: number): Promise<{ tid: number; isCalm: boolean }> {
  const until = monotonicMs() + patienceMs;
  for (;;) {
    let best = { tid: pid, unrest: restless + 1 };
    for (const tid of threadsOf(pid).slice(0, maxThreads)) {
      const found = unrestOf(pid, tid);
      if (found < best.unrest) best = { tid, unrest: found };
    }
    if (best.unrest < restless || monotonicMs() > until)
      return { tid: best.tid, isCalm: best.unrest < restless };
    await pause(lookMs);
  }
}

/** Memory of a process. */
export interface MemoryArea {
  /** Hexadecimal. */
  readonly address: string;
  readonly bytes: number;
}

export interface Snapshot {
  readonly threads: ReadonlySet<number>;
  readonly areas: readonly Area[];
}

interface Area {
  readonly start: bigint;
  readonly end: bigint;
}

/** What Frida 17 takes to come in: code of its loader and the loader's stack. */
const scratchBytes = 0x12000n;
const stackBytes = 16_384;

export function snapshot(pid: number): Snapshot {
  return { threads: new Set(threadsOf(pid)), areas: writableCode(pid) };
}

/**
 * The memory that was taken to come in since the snapshot. It is known by three things at once: it
 * is new, it has that size, and a new thread will return into it.
 */
export function scratchSince(pid: number, before: Snapshot): MemoryArea | null {
  const words = threadsOf(pid)
    .filter((tid) => !before.threads.has(tid))
    .flatMap((tid) => stackWords(pid, tid));
  const fresh = writableCode(pid).flatMap((area) => without(area, before.areas));
  const found = fresh.find(
    ({ start, end }) =>
      end - start === scratchBytes && words.some((word) => word >= start && word < end),
  );
  return found ? { address: `0x${found.start.toString(16)}`, bytes: Number(scratchBytes) } : null;
}

/** Anonymous mappings that are writable and executable; neighbours are shown as one. */
function writableCode(pid: number): Area[] {
  const rows = (readOf(pid, 'maps') ?? '').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp .* 0 *$/gm);
  return [...rows].map(([, start, end]) => ({
    start: BigInt(`0x${start ?? '0'}`),
    end: BigInt(`0x${end ?? '0'}`),
  }));
}

/** The parts of an area that none of the others covers. */
function without(area: Area, others: readonly Area[]): Area[] {
  return others.reduce<Area[]>(
    (parts, other) =>
      parts.flatMap(({ start, end }) =>
        other.end <= start || other.start >= end
          ? [{ start, end }]
          : [
              ...(other.start > start ? [{ start, end: other.start }] : []),
              ...(other.end < end ? [{ start: other.end, end }] : []),
            ],
      ),
    [area],
  );
}

/** The words above the stack pointer of a thread that waits in a system call. */
function stackWords(pid: number, tid: number): readonly bigint[] {
  const fields = (readOf(pid, `task/${tid}/syscall`) ?? '').trim().split(' ');
  const pointer = fields.at(-2) ?? '';
  if (fields.length < 3 || !pointer.startsWith('0x')) return [];
  return wordsAt(pid, BigInt(pointer) & ~7n, stackBytes / 8);
}

/** How many mappings of Frida's agent a process has: those it was forked with stay. */
export function agentAreas(pid: number): number {
  return readOf(pid, 'maps')?.match(/frida-agent/g)?.length ?? 0;
}

/**
 * Waits until Frida's agent is gone from a process that was let go, at most `leaveMs`; false when it is not.
 * `before`: how many of its mappings were there when it came. Until then it takes its own hooks back: of a debugger
 * that sets a breakpoint on one of them (gdb: `_dl_debug_state`) and later writes back what was below, half a jump stays.
 */
export async function untilAgentLeft(pid: number, before: number): Promise<boolean> {
  const until = monotonicMs() + leaveMs;
  while (agentAreas(pid) > before) {
    if (monotonicMs() > until) return false;
    await pause(lookMs);
  }
  return true;
}

function unrestOf(pid: number, tid: number): number {
  const call = (readOf(pid, `task/${tid}/syscall`) ?? '').split(' ')[0]?.trim() ?? '';
  const name = /^\d+$/.test(call) ? systemCallName(processor, Number(call)) : call;
  return unrest.get(name) ?? restless;
}
