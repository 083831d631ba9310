import { within } from '../../base/deadline.ts';
import { isBelow } from '../../base/paths.ts';
import { lookAt, type SeenProcess, type SeenThread } from '../../collector/look/lookAt.ts';
import { sampleThreads, type SampledThread } from '../../collector/look/sample.ts';
import type { StackFrame, ThreadStack } from '../../model/endings/crashReport.ts';
import { StrobeError } from '../../model/errors.ts';
import type { RuntimeStacks, RuntimeThread, TaskLook } from '../../model/endings/runtimeStacks.ts';
import type { ProcessLook, ThreadLook } from '../../model/endings/threadLook.ts';
import { processorOf, systemCallName } from '../../model/processors.ts';
import type { Snapshot } from '../../model/endings/snapshot.ts';
import { ownUnits } from '../../symbols/native/ownUnits.ts';
import type { StackReader } from '../../symbols/stackReader.ts';
import { TaskIds } from '../stops/taskIds.ts';
import { runtimeStacks } from './readStacks.ts';
import { lookAtGoroutines } from './goroutineLooks.ts';
import type { StackFacts, StackParts } from './explainSnapshot.ts';

/** A question for the status does not wait longer for stacks. */
const STACKS_LIMIT_MS = 1500;
const FRAMES_SHOWN = 3;
const RUNTIME_FRAMES_SHOWN = 6;
/** `__owner` behind `__lock` and `__count` in glibc's pthread_mutex_t. */
const OWNER_OFFSET = 8n;
const MAX_POLLED = 8;
/** Places of running threads that are described. */
const MAX_PLACES = 24;
/** Tasks that are described. */
const MAX_TASKS = 500;

/** What the threads of a running process do and wait for; null when it cannot be looked at. */
export async function lookAtProcess(
  pid: number,
  facts: Pick<StackFacts, 'image' | 'projectRoot'>,
  services: StackParts,
  ids = new TaskIds(),
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
  const running = seen.threads.filter((thread) => thread.call === null && thread.state === 'R');
  const samples = await sampleThreads(
    services.samplerPath,
    running.map(({ tid }) => tid),
  );
  const snapshot = withSamples(seen.snapshot, samples);
  const problems = [...snapshot.problems];
  if ([...files].some((path) => path.endsWith('/libjvm.so')))
    problems.push(
      `These are the native stacks. Those of Java, and which monitors its threads hold and wait for: jcmd ${pid} Thread.print`,
    );
  const stacks = new Map<number, ThreadStack>();
  const sampled = new Map<number, ThreadLook['samples']>();
  try {
    const report = await within(
      STACKS_LIMIT_MS,
      services.symbols.explain(snapshot, {
        own: ownUnits(files, facts.image, facts.projectRoot),
        hidden: [services.enginePath],
      }),
      () => new StrobeError('TIMED_OUT', 'Symbols are still being read.'),
    );
    for (const stack of report.threads) stacks.set(stack.tid, stack);
    for (const { tid, places } of samples) sampled.set(tid, countedIn(places, report.threads));
  } catch {
    problems.push('Symbols are still being read: ask again for the stacks.');
  }
  const runtimes = runtimesOf(seen, facts, services.readers);
  problems.push(...runtimes.flatMap((runtime) => runtime.problems));
  const threads = seen.threads.map((thread) => {
    const native = {
      ...describe(thread, stacks.get(thread.tid), seen),
      samples: sampled.get(thread.tid) ?? [],
    };
    const own = runtimes.flatMap((runtime) => runtime.threads.filter(isOf(thread)))[0];
    return own === undefined ? native : withRuntime(native, own, facts.projectRoot);
  });
  const goroutines = await lookAtGoroutines(seen.snapshot, facts, services);
  problems.push(...(goroutines?.problems ?? []));
  const tasks = [
    ...runtimes.flatMap(({ tasks: { heads, looks } }) => {
      ids.take(pid, heads);
      return looks.map((look) => ids.named(pid, look));
    }),
    ...(goroutines?.goroutines ?? []),
  ].map(shownTask);
  return {
    pid,
    threads,
    deadlock: circle(threads),
    circle: goroutines?.circle ?? null,
    tasks,
    moreTasks: sum(
      runtimes.map(({ tasks: { heads, looks, unread } }) => heads.length + unread - looks.length),
    ),
    endedTasks: sum(runtimes.map(({ tasks: { done } }) => done)),
    problems,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/**
 * The snapshot with what was seen of running threads: registers and stack of the last sample, and each place
 * as a thread of its own, numbered below zero, so that it is described with the rest.
 */
function withSamples(snapshot: Snapshot, samples: readonly SampledThread[]): Snapshot {
  const { registers, stack: stackNumber } = processorOf(snapshot.processor);
  const byTid = new Map(samples.map((sample) => [sample.tid, sample]));
  const places = [...new Set(samples.flatMap((sample) => sample.places))].slice(0, MAX_PLACES);
  return {
    ...snapshot,
    threads: [
      ...snapshot.threads.map((thread) => {
        const sampled = byTid.get(thread.tid)?.registers;
        return sampled === undefined ? thread : { ...thread, registers: sampled };
      }),
      ...places.map((place, i) => ({
        tid: -1 - i,
        name: '',
        isOurs: false,
        vectors: null,
        systemCall: null,
        registers: registers.map((_name, at) => (at === registers.length - 1 ? place : null)),
      })),
    ],
    memory: [
      ...snapshot.memory,
      ...samples.map(({ registers: sampled, stack }) => ({
        address: sampled[stackNumber] ?? 0n,
        bytes: stack,
      })),
    ],
  };
}

/** How often a thread was found in which function. */
function countedIn(
  places: readonly bigint[],
  stacks: readonly ThreadStack[],
): ThreadLook['samples'] {
  const names = new Map<string, string>();
  for (const { tid, frames } of stacks) {
    const [frame] = frames;
    if (tid < 0 && frame !== undefined) names.set(frame.pc, frame.function ?? frame.pc);
  }
  const times = new Map<string, number>();
  for (const place of places) {
    const name = names.get(`0x${place.toString(16)}`);
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + 1);
  }
  return [...times]
    .map(([name, count]) => ({ function: name, times: count }))
    .toSorted((a, b) => b.times - a.times);
}

function describe(
  thread: SeenThread,
  stack: ThreadStack | undefined,
  seen: SeenProcess,
): Omit<ThreadLook, 'samples'> {
  const frames = stack?.frames ?? [];
  const named = frames.filter((frame) => frame.function !== null);
  const own = named.filter((frame) => frame.isOwn && frame.function !== '_start');
  const lock = lockOf(thread, named);
  const holder = lock === null ? null : ownerOf(lock, seen);
  return {
    tid: thread.tid,
    name: thread.name,
    isRunning: thread.state === 'R' || (thread.call === null && !stopped.has(thread.state)),
    heldBy: thread.heldBy && `${thread.heldBy.name} (${thread.heldBy.pid})`,
    waitsFor:
      holder === null ? waitText(thread, named, seen) : `a mutex that thread ${holder} holds`,
    holder,
    cpuMs: thread.cpuMs,
    frames: (own.length > 0 ? own : named).slice(0, FRAMES_SHOWN),
  };
}

/** What runtimes know of the same moment. */
function runtimesOf(
  { snapshot, threads }: SeenProcess,
  facts: Pick<StackFacts, 'image' | 'projectRoot'>,
  readers: readonly StackReader[],
): readonly RuntimeStacks[] {
  const { pid, mappings, processor } = snapshot;
  const waiting = threads.map(({ tid, call }) => {
    const isFutex =
      call !== null && systemCallName(processorOf(processor), call.number) === 'futex';
    return { tid, futex: isFutex ? Number(call.args[0] ?? 0n) : null };
  });
  const tasks = { from: 0, most: MAX_TASKS, awaited: null };
  return runtimeStacks({ pid, mappings, threads: waiting }, facts, readers, tasks);
}

const isOf =
  ({ tid }: SeenThread) =>
  (one: RuntimeThread): boolean =>
    one.tid === tid;

/** Native functions of the project that a runtime called are newer than its own. */
function withRuntime(native: ThreadLook, own: RuntimeThread, projectRoot: string): ThreadLook {
  const called = native.frames.filter(
    ({ module }) => module !== null && isBelow(module, projectRoot),
  );
  const { holder, lock } = own;
  return {
    ...native,
    name: own.name ?? native.name,
    waitsFor: native.isRunning ? null : waitOfRuntime(native, own),
    holder: lock === null ? native.holder : holder,
    frames: [...called, ...shownFrames(own.frames)].slice(0, RUNTIME_FRAMES_SHOWN),
  };
}

/** A lock that the program waits for itself, or the function that it called. */
function waitOfRuntime(
  { waitsFor }: ThreadLook,
  { lock, holder, holding, frames }: RuntimeThread,
): string | null {
  const own = frames.findIndex((frame) => frame.isOwn);
  const held = holding === null ? '' : ` ${holding}`;
  if (lock !== null && own <= 0) return `${lock}${held}`;
  const called = own > 0 ? frames[own - 1]?.function : undefined;
  const what = lock === null ? waitsFor : lock.split(' ', 2).join(' ');
  // A function of a library may wait for a lock of its own, which stands for something else.
  const known = holder === null ? '' : held;
  return called == null ? waitsFor : `${called} (${what ?? 'nothing known'}${known})`;
}

function shownTask(task: TaskLook): TaskLook {
  return { ...task, frames: shownFrames(task.frames) };
}

/** Those of the project, else the newest. */
function shownFrames(frames: readonly StackFrame[]): readonly StackFrame[] {
  const own = frames.filter((frame) => frame.isOwn);
  return own.length > 0 ? own.slice(0, RUNTIME_FRAMES_SHOWN) : frames.slice(0, FRAMES_SHOWN);
}

/** By SIGSTOP and its kin, or by ptrace. */
const stopped: ReadonlySet<string> = new Set(['T', 't']);

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
  { call, state }: SeenThread,
  frames: readonly StackFrame[],
  seen: SeenProcess,
): string | null {
  if (state === 'T') return 'SIGCONT (it was stopped by a signal)';
  if (call === null) return null;
  const name = systemCallName(processorOf(seen.snapshot.processor), call.number);
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
    case 'select':
    case 'pselect6':
      return first === 0n ? 'the end of a sleep' : name;
    case 'wait4':
    case 'waitid':
      return 'a child process';
    default:
      return name;
  }
}

function futexText(address: bigint, frames: readonly StackFrame[]): string {
  const names = frames.slice(0, 3).map((frame) => frame.function ?? '');
  if (names.includes('take_gil')) return 'the interpreter lock';
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
