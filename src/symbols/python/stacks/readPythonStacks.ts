import type {
  RuntimeStacks,
  RuntimeTasks,
  RuntimeThread,
} from '../../../model/endings/runtimeStacks.ts';
import { sourceFrame } from '../../../model/endings/sourceFrame.ts';
import type { ReadProcess } from '../../stackReader.ts';
import { Frames } from './pythonFrames.ts';
import {
  findInterpreter,
  threadStates,
  UnknownInterpreter,
  type FoundInterpreter,
} from './interpreter.ts';
import { Locks, type ReadThread } from './pythonLocks.ts';
import { namedThreads, type NamedThread } from './modules.ts';
import type { Objects } from './objects.ts';
import { Tasks } from './tasks.ts';
import { readOr, Unreadable } from './unreadable.ts';

/** The stacks of threads and tasks of a CPython process (src/symbols/stackReader.ts). */
export function readPythonStacks(process: ReadProcess): RuntimeStacks | null {
  try {
    const found = findInterpreter(process.mappings, process.image, process.memory);
    return found === null ? null : read(found, process);
  } catch (error) {
    if (error instanceof UnknownInterpreter) return { ...none, problems: [error.message] };
    if (error instanceof Unreadable) return { ...none, problems: [NOT_READ] };
    throw error;
  }
}

const noTasks: RuntimeTasks = { heads: [], looks: [], done: 0, unread: 0, awaiting: [] };
const none: RuntimeStacks = { threads: [], tasks: noTasks, problems: [] };
const NOT_READ = 'Python stacks could not be read: the interpreter is starting, or ending.';

function read(found: FoundInterpreter, process: ReadProcess): RuntimeStacks {
  const { objects } = found;
  const frames = new Frames(objects);
  const locks = new Locks(objects, frames);
  const reader = new Tasks(objects, frames);
  const threads: RuntimeThread[] = [];
  let tasks = noTasks;
  for (const { interpreter, threads: states } of threadStates(found)) {
    const names = namedThreads(objects, interpreter);
    const seen = states.flatMap((state) => threadOf(objects, frames, state, names, process) ?? []);
    for (const thread of seen) {
      const wait = locks.waitOf(thread, seen);
      threads.push({
        tid: thread.tid,
        name: names.get(thread.ident)?.name ?? null,
        frames: thread.frames.map((frame) => sourceFrame(frame, process.projectRoot)),
        lock: wait?.text ?? null,
        holder: wait?.holder ?? null,
        holding: wait?.holding ?? null,
      });
    }
    const { projectRoot, tasks: asked } = process;
    const one = reader.read({ interpreter, states, threads: seen, asked, projectRoot });
    // Of several interpreters each has tasks of its own, which nothing of another waits for.
    tasks = {
      heads: [...tasks.heads, ...one.heads],
      looks: [...tasks.looks, ...one.looks].slice(0, asked.most),
      done: tasks.done + one.done,
      unread: tasks.unread + one.unread,
      awaiting: [...tasks.awaiting, ...one.awaiting],
    };
  }
  return { threads, tasks, problems: [] };
}

function threadOf(
  objects: Objects,
  frames: Frames,
  state: number,
  names: ReadonlyMap<number, NamedThread>,
  process: ReadProcess,
): ReadThread | null {
  return readOr(null, () => {
    const { threadId, threadNativeId } = objects.layout;
    const ident = objects.pointer(state + threadId);
    const named = names.get(ident)?.tid ?? null;
    const tid = threadNativeId < 0 ? named : objects.pointer(state + threadNativeId);
    // Who has not imported `threading` has the main thread alone.
    const seen = process.threads.find((thread) => thread.tid === (tid ?? process.threads[0]?.tid));
    if (seen === undefined) return null;
    return { tid: seen.tid, ident, futex: seen.futex, frames: frames.ofThread(state) };
  });
}
