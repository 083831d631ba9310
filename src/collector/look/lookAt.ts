import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { ticksPerSecond } from '../../base/proc.ts';
import { processorNamed } from '../../model/processors.ts';
import type {
  Mapping,
  MemoryPart,
  Snapshot,
  SnapshotThread,
} from '../../model/endings/snapshot.ts';
import { mappingOf, parseMapping } from '../../model/endings/snapshot.ts';
import { debuggerOf, type Debugger } from '../attach/debuggers.ts';
import { nodeThread } from '../../protocol/nodeTracer.ts';
import { pythonThread } from '../../protocol/pythonTracer.ts';
import { runsAgent } from '../frida/agentThreads.ts';

/** A thread as /proc shows it; nothing is stopped for that. */
export interface SeenThread {
  readonly tid: number;
  readonly name: string;
  /** One letter, as in /proc/pid/stat: `R` runs. */
  readonly state: string;
  /** Who holds it stopped by ptrace. */
  readonly heldBy: Debugger | null;
  readonly cpuMs: number;
  /** Number and arguments of the system call it is in; null when it runs. */
  readonly call: { readonly number: number; readonly args: readonly bigint[] } | null;
}

export interface SeenProcess {
  readonly snapshot: Snapshot;
  readonly threads: readonly SeenThread[];
  /** The word at an address of the process; null when it cannot be read. */
  word(address: bigint, bytes: 4 | 8): bigint | null;
  /** What an open file is: a path, `socket:[…]`, `pipe:[…]`; null when it is not open. */
  file(number: number): string | null;
}

/** That of the processes that are looked at, too. */
const processor = processorNamed(process.arch);
/** Threads of the instrumentation. */
const ownNames: ReadonlySet<string> = new Set([pythonThread.speaker, nodeThread.link]);
const maxThreads = 64;
const stackBytes = 0x8000;

/**
 * Reads what the threads of a process do, without stopping any: registers of those that wait, the tops of
 * their stacks. Throws the system's error when the process is gone or may not be looked at.
 */
export function lookAt(pid: number): SeenProcess {
  const mappings = mappingsOf(pid);
  const tids = readdirSync(`/proc/${pid}/task`).map(Number);
  const memory: MemoryPart[] = [];
  const threads: SeenThread[] = [];
  const stacks: SnapshotThread[] = [];
  const problems: string[] = [];
  for (const tid of tids.slice(0, maxThreads)) {
    const seen = readThread(pid, tid);
    if (seen === null) continue;
    const row = seen.sp === null ? null : mappingOf(mappings, seen.sp);
    const length = Math.min(stackBytes, Number((row?.end ?? 0n) - (seen.sp ?? 0n)));
    const bytes =
      seen.sp === null || row === null ? new Uint8Array() : readMemory(pid, seen.sp, length);
    if (ownNames.has(seen.thread.name) || runsAgent(bytes, mappings)) continue;
    threads.push(seen.thread);
    const registers: (bigint | null)[] = processor.registers.map(() => null);
    registers[processor.stack] = seen.sp;
    registers[registers.length - 1] = seen.pc;
    stacks.push({
      tid,
      name: seen.thread.name,
      isOurs: false,
      registers,
      vectors: null,
      systemCall: seen.thread.call?.number ?? null,
    });
    if (seen.sp !== null && bytes.length > 0) memory.push({ address: seen.sp, bytes });
  }
  if (tids.length > maxThreads)
    problems.push(`Only ${maxThreads} of ${tids.length} threads were looked at.`);
  return {
    threads,
    snapshot: {
      pid,
      processor: processor.name,
      signal: null,
      threads: stacks,
      mappings,
      memory,
      stored: [],
      openFiles: null,
      problems,
    },
    word(address, bytes) {
      const read = readMemory(pid, address, bytes);
      if (read.length < bytes) return null;
      const view = Buffer.from(read);
      return bytes === 4 ? BigInt(view.readUInt32LE(0)) : view.readBigUInt64LE(0);
    },
    file(number) {
      try {
        return readlinkSync(`/proc/${pid}/fd/${number}`);
      } catch {
        return null;
      }
    },
  };
}

/** Throws the system's error when the process is gone or may not be looked at. */
export function mappingsOf(pid: number): Mapping[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => parseMapping(line) ?? []);
}

interface ReadThread {
  readonly thread: SeenThread;
  readonly sp: bigint | null;
  readonly pc: bigint | null;
}

/** Null when the thread has ended meanwhile. */
function readThread(pid: number, tid: number): ReadThread | null {
  const folder = `/proc/${pid}/task/${tid}`;
  try {
    const name = readFileSync(`${folder}/comm`, 'utf8').trimEnd();
    const stat = readFileSync(`${folder}/stat`, 'utf8');
    // The name is in brackets and may hold any of them.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
    const words = readFileSync(`${folder}/syscall`, 'utf8').trim().split(' ');
    const base = { tid, name, state: fields[0] ?? '?', heldBy: debuggerOf(tid), cpuMs };
    if (words.length < 3) return { thread: { ...base, call: null }, sp: null, pc: null };
    const [sp, pc] = [BigInt(words.at(-2) ?? '0'), BigInt(words.at(-1) ?? '0')];
    const number = Number(words[0]);
    const call =
      number < 0 ? null : { number, args: words.slice(1, 7).map((word) => BigInt(word)) };
    return { thread: { ...base, call }, sp, pc };
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      (error.code === 'EACCES' || error.code === 'EPERM')
    )
      throw error;
    return null;
  }
}

/** As many bytes as can be read. */
function readMemory(pid: number, address: bigint, length: number): Uint8Array {
  let fd: number;
  try {
    fd = openSync(`/proc/${pid}/mem`, 'r');
  } catch {
    return new Uint8Array(0);
  }
  try {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, address));
  } catch {
    return new Uint8Array(0);
  } finally {
    closeSync(fd);
  }
}
