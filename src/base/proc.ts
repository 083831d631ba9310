import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  writeSync,
} from 'node:fs';

/* What /proc says of processes. Each read stands for itself, as a process may end at any time. */

/**
 * Fields of /proc/<pid>/stat (proc(5)) from the third, the state, on; null when there is no such
 * process, or no /proc.
 */
export function statFields(pid: number | 'self'): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null; // it has ended
  }
}

/** Field 22: with the pid it names a process for good. */
export function startTimeOf(pid: number): string | null {
  return statFields(pid)?.[19] ?? null;
}

/** Field 6: the session (setsid(2)) a process belongs to; null for one that is gone or a zombie. */
export function sessionOf(pid: number): number | null {
  const fields = statFields(pid);
  return fields === null || /^[ZX]/.test(fields[0] ?? '') ? null : Number(fields[3]);
}

/** Whether there is such a process, also one of another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** USER_HZ: what /proc counts in, whatever the kernel's own tick. */
export const ticksPerSecond = 100;

/** Milliseconds of processor time a process has used, its threads together; null when that cannot be read. */
export function processorMs(pid: number): number | null {
  const fields = statFields(pid);
  const ticks = Number(fields?.[11]) + Number(fields?.[12]);
  return Number.isFinite(ticks) ? (ticks * 1000) / ticksPerSecond : null;
}

/** What /proc says of a process; each read stands for itself, as the process may end at any time. */
export interface ProcessFacts {
  readonly pid: number;
  /** One letter, proc(5): R S D T t Z X I. */
  readonly state: string;
  readonly parent: number;
  /** Field 22 of its stat: with the pid it names one process for ever. */
  readonly startTicks: string;
  /** Where its first stack began: another number after each exec, unless addresses are not randomised. */
  readonly stackStart: string;
  /** Effective user. */
  readonly uid: number;
  /** Process of a debugger that holds it, else 0. */
  readonly tracer: number;
  /** The group leader's pid; another's than `pid` when that is a thread. */
  readonly group: number;
  /** A thread of the kernel itself. */
  readonly isKernel: boolean;
  /** A helper of our engine's, which lives for a moment (native/engine/tracer.c). */
  readonly isTracer: boolean;
}

/** PF_KTHREAD among the flags of its stat. */
const kernelFlag = 0x0020_0000;

/** All that can be blocked: not SIGKILL (bit 8) and SIGSTOP (bit 18). */
const everySignal = 'fffffffffffbfeff';

/** Null when there is no such process. */
export function processFacts(pid: number): ProcessFacts | null {
  const stat = readOf(pid, 'stat');
  const status = readOf(pid, 'status');
  if (stat === null || status === null) return null;
  // The name may hold anything, spaces and brackets too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const line = (title: string): string =>
    new RegExp(`^${title}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    pid,
    state: fields[0] ?? '?',
    parent: Number(fields[1]),
    startTicks: fields[19] ?? '0',
    stackStart: fields[25] ?? '0',
    uid: Number(line('Uid').split(/\s+/)[1]),
    tracer: Number(line('TracerPid')),
    group: Number(line('Tgid')),
    isKernel: (Number(fields[6]) & kernelFlag) !== 0,
    // Ends without a signal to its parent (exit_signal, field 38), and is begun with each signal blocked.
    isTracer: fields[35] === '0' && line('SigBlk') === everySignal,
  };
}

/** Whether it runs no more: gone, or not yet waited for. */
export function hasEnded(pid: number): boolean {
  const facts = processFacts(pid);
  return facts === null || facts.state === 'Z' || facts.state === 'X';
}

/** A file of /proc/<pid>, or null. */
export function readOf(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null; // gone, or not ours to read
  }
}

/** A link of /proc/<pid>, or null. */
export function linkOf(pid: number | 'self', name: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return null; // gone, or not ours to read
  }
}

/** What a process's descriptors are; empty when it is gone or not ours to look at. */
export function filesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((number) => linkOf(pid, `fd/${number}`) ?? []);
  } catch {
    return [];
  }
}

/** Whether a process handles a signal itself, so that it does it no harm. */
export function catches(pid: number, signal: number): boolean {
  return isInSet(readOf(pid, 'status'), 'SigCgt', signal);
}

/** Whether a signal is sent to a process or one of its threads, and none has taken it yet. */
export function awaitsSignal(pid: number, signal: number): boolean {
  return threadsOf(pid).some((tid) => {
    const status = readOf(pid, `task/${tid}/status`);
    return isInSet(status, 'SigPnd', signal) || isInSet(status, 'ShdPnd', signal);
  });
}

/** `name`: of a set of signals in /proc/<pid>/status. */
function isInSet(status: string | null, name: string, signal: number): boolean {
  const set = new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status ?? '')?.[1] ?? '0';
  return ((BigInt(`0x${set}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** argv, or the title that the program wrote over it; empty for a kernel thread. */
export function commandOf(pid: number): string[] {
  const text = readOf(pid, 'cmdline') ?? '';
  if (text === '') return [];
  const words = text.replace(/\0$/, '').split('\0');
  const [first = ''] = words;
  return isTitle(words) ? [first.trimEnd()] : words;
}

/** `setproctitle` fills with zeros, each of which looks like an empty argument, what its title leaves of them. */
function isTitle([first = '', ...others]: readonly string[]): boolean {
  return others.length > 0 && first.includes(' ') && others.every((word) => word === '');
}

/** Thread numbers; empty when the process is gone. */
export function threadsOf(pid: number): number[] {
  return numbersIn(`/proc/${pid}/task`);
}

/** Where the code of a thread stands that does not run; null: it runs, or is gone. */
export function codeAddressOf(pid: number, tid: number): bigint | null {
  const words = readOf(pid, `task/${tid}/syscall`)?.trim().split(' ') ?? [];
  return words.length < 3 ? null : BigInt(words.at(-1) ?? '0');
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number);
  } catch {
    return []; // gone, or not ours to read
  }
}

/** Threads of debuggers that hold threads of a process by ptrace. */
export function tracersOf(pid: number): number[] {
  const found = threadsOf(pid).map((tid) =>
    Number(/^TracerPid:\s*(\d+)$/m.exec(readOf(pid, `task/${tid}/status`) ?? '')?.[1] ?? 0),
  );
  return [...new Set(found)].filter((tid) => tid !== 0);
}

/** Whether some thread of a process holds a thread of another by ptrace. */
export function holds(tracer: number, pid: number): boolean {
  return tracersOf(pid).some((tid) => readOf(tracer, `task/${tid}/stat`) !== null);
}

/** Numbers of the files a process has open; empty when it is gone or not ours to read. */
export function fileNumbersOf(pid: number): number[] {
  return numbersIn(`/proc/${pid}/fd`);
}

const closeOnExec = 0o2000000;

/** Whether an exec closes a file of a process. */
export function closesOnExec(pid: number, number: number): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readOf(pid, `fdinfo/${number}`) ?? '')?.[1] ?? '0';
  return (parseInt(flags, 8) & closeOnExec) !== 0;
}

/** Living processes that it has started, and those these have, parents first; at most `limit`. */
export function descendantsOf(pid: number, limit: number): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  const parents = [pid];
  // Grows while it is gone through.
  for (const parent of parents) {
    const texts = threadsOf(parent).map((tid) => readOf(parent, `task/${tid}/children`) ?? '');
    for (const child of texts.join(' ').split(' ').filter(Boolean).map(Number)) {
      const facts = found.length < limit ? processFacts(child) : null;
      if (!facts || facts.isTracer || facts.state === 'Z' || facts.state === 'X') continue;
      found.push(facts);
      parents.push(child);
    }
  }
  return found;
}

/** Throws the system's error. The kernel lets a debugger write where the program itself may not, too. */
export function writeMemoryOf(pid: number, address: bigint, bytes: Uint8Array): void {
  const file = openSync(`/proc/${pid}/mem`, 'r+');
  try {
    writeSync(file, bytes, 0, bytes.length, Number(address));
  } finally {
    closeSync(file);
  }
}

/** Memory of a process, as much of it as can be read from there on. */
export function memoryOf(pid: number, address: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    const file = openSync(`/proc/${pid}/mem`, 'r');
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, length, address));
    } finally {
      closeSync(file);
    }
  } catch {
    return bytes.subarray(0, 0); // gone, or not mapped
  }
}

/** Words of eight bytes in the memory of a process, as many of `count` as can be read. */
export function wordsAt(pid: number, address: bigint, count: number): readonly bigint[] {
  const bytes = memoryOf(pid, address, count * 8);
  return Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) =>
    bytes.readBigUInt64LE(index * 8),
  );
}
