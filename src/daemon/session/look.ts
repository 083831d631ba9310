import { within } from '../../base/deadline.ts';
import { lookAt, type SeenProcess, type SeenThread } from '../../collector/look/lookAt.ts';
import type { StackFrame, ThreadStack } from '../../model/crash.ts';
import { StrobeError } from '../../model/errors.ts';
import type { ProcessLook, ThreadLook } from '../../model/look.ts';
import { systemCallName } from '../../model/signals.ts';
import { ownModules } from './modules.ts';
import type { SessionFacts, SessionParts } from './sessionFacts.ts';

/** A question for the status does not wait longer for stacks. */
const STACKS_LIMIT_MS = 1500;
const FRAMES_SHOWN = 3;
/** `__owner` behind `__lock` and `__count` in glibc's pthread_mutex_t. */
const OWNER_OFFSET = 8n;
const MAX_POLLED = 8;

/** What the threads of a running process do and wait for; null when it cannot be looked at. */
export async function lookAtProcess(
  pid: number,
  facts: SessionFacts,
  services: SessionParts,
): Promise<ProcessLook | null> {
  let seen: SeenProcess;
  try {
    seen = lookAt(pid);
  } catch {
    return null; // It has just ended, or may not be looked at: the state says the rest.
  }
  const files = new Set(
    seen.snapshot.mappings
      .filter((row) => row.protection.includes('x') && row.path.startsWith('/'))
      .map((row) => row.path),
  );
  const problems = [...seen.snapshot.problems];
  const stacks = new Map<number, ThreadStack>();
  try {
    const report = await within(
      STACKS_LIMIT_MS,
      services.symbols.explain(seen.snapshot, {
        own: ownModules(files, facts.image, facts.projectRoot),
        hidden: [services.enginePath],
      }),
      () => new StrobeError('TIMED_OUT', 'Symbols are still being read.'),
    );
    for (const stack of report.threads) stacks.set(stack.tid, stack);
  } catch {
    problems.push('Symbols are still being read: ask again for the stacks.');
  }
  const threads = seen.threads.map((thread) => describe(thread, stacks.get(thread.tid), seen));
  return { pid, threads, deadlock: circle(threads), problems };
}

function describe(
  thread: SeenThread,
  stack: ThreadStack | undefined,
  seen: SeenProcess,
): ThreadLook {
  const frames = stack?.frames ?? [];
  const named = frames.filter((frame) => frame.function !== null);
  const own = named.filter((frame) => frame.isOwn && frame.function !== '_start');
  const lock = lockOf(thread, named);
  const holder = lock === null ? null : ownerOf(lock, seen);
  return {
    tid: thread.tid,
    name: thread.name,
    isRunning: thread.state === 'R' || thread.call === null,
    waitsFor:
      holder === null ? waitText(thread, named, seen) : `a mutex that thread ${holder} holds`,
    holder,
    cpuMs: thread.cpuMs,
    frames: (own.length > 0 ? own : named).slice(0, FRAMES_SHOWN),
  };
}

/** Address of the pthread mutex it waits for; null when it waits for something else. */
function lockOf(thread: SeenThread, frames: readonly StackFrame[]): bigint | null {
  if (thread.call?.number !== 202) return null;
  const isLock = frames
    .slice(0, 2)
    .some(({ function: name }) => /mutex_(?:timed|clock)?lock/.test(name ?? ''));
  return isLock ? (thread.call.args[0] ?? null) : null;
}

/** Null when no thread of the process is named there: another kind of mutex, or just released. */
function ownerOf(lock: bigint, seen: SeenProcess): number | null {
  const owner = Number(seen.word(lock + OWNER_OFFSET, 4) ?? 0n);
  return seen.threads.some((thread) => thread.tid === owner) ? owner : null;
}

function waitText(
  { call }: SeenThread,
  frames: readonly StackFrame[],
  seen: SeenProcess,
): string | null {
  if (call === null) return null;
  const name = systemCallName(call.number);
  const first = call.args[0] ?? 0n;
  switch (name) {
    case 'read':
    case 'write':
    case 'writev':
    case 'recvfrom':
    case 'recvmsg':
    case 'sendto':
    case 'sendmsg':
    case 'accept':
    case 'accept4':
    case 'connect':
    case 'flock':
    case 'fsync':
    case 'epoll_wait':
    case 'epoll_pwait':
      return `${name} on ${fileText(Number(first), seen)}`;
    case 'poll':
    case 'ppoll':
      return `${name} on ${polled(first, Number(call.args[1] ?? 0n), seen)}`;
    case 'futex':
      return futexText(first, frames);
    case 'nanosleep':
    case 'clock_nanosleep':
      return 'the end of a sleep';
    case 'wait4':
    case 'waitid':
      return 'a child process';
    default:
      return name;
  }
}

function futexText(address: bigint, frames: readonly StackFrame[]): string {
  const names = frames.slice(0, 3).map((frame) => frame.function ?? '');
  if (names.some((name) => name.includes('cond_'))) return 'a condition variable';
  if (names.some((name) => name.includes('join'))) return 'the end of another thread';
  if (names.some((name) => name.includes('sem_'))) return 'a semaphore';
  const kind = names.some((name) => name.includes('mutex')) ? 'a mutex' : 'a futex';
  return `${kind} at 0x${address.toString(16)}`;
}

/** struct pollfd: descriptor u32, events. */
function polled(address: bigint, count: number, seen: SeenProcess): string {
  const files: string[] = [];
  for (let i = 0; i < Math.min(count, MAX_POLLED); i++) {
    const number = seen.word(address + BigInt(i * 8), 4);
    if (number !== null) files.push(fileText(Number(number), seen));
  }
  return files.length === 0 ? 'nothing but time' : files.join(', ');
}

function fileText(number: number, seen: SeenProcess): string {
  const target = seen.file(number);
  return target === null ? `fd ${number}` : `fd ${number} (${target})`;
}

/** The shortest way round: each waits for the next, the last for the first. */
function circle(threads: readonly ThreadLook[]): number[] | null {
  const next = new Map(
    threads.flatMap(({ tid, holder }) => (holder === null ? [] : [[tid, holder]])),
  );
  for (const start of next.keys()) {
    const way = [start];
    for (
      let at = next.get(start);
      at !== undefined && way.length <= threads.length;
      at = next.get(at)
    ) {
      if (at === start) return way;
      way.push(at);
    }
  }
  return null;
}
