import type { PythonAnswer, PythonOptions, PythonPaused } from '../src/protocol/agent.ts';
import { openLibrary, type OwnLibrary } from './library.ts';

/** The interpreter may not give up its lock for so long; what is asked for is done when it does. */
const patienceMs = 2000;
const lookMs = 1;

let library: OwnLibrary | null = null;

function loaded(): OwnLibrary {
  if (library === null) throw new Error('the tracer of Python was not loaded');
  return library;
}

/** Loads native/python and prepares the interpreter of this process; answers what is wrong with that. */
export function preparePython(options: PythonOptions): number {
  library = openLibrary(options.libraryPath);
  const prepare = new NativeFunction(library.entry('python_prepare'), 'int', [
    'pointer',
    'pointer',
    'pointer',
    'int',
  ]);
  return prepare(
    Memory.allocUtf8String(options.enginePath),
    Memory.allocUtf8String(options.notesPath),
    Memory.allocUtf8String(options.stopsPath),
    options.atExec ? 1 : 0,
  );
}

export async function wantPython(table: ArrayBuffer): Promise<PythonAnswer> {
  const memory = Memory.alloc(Math.max(table.byteLength, 1));
  memory.writeByteArray(table);
  const want = new NativeFunction(loaded().entry('python_want'), 'uint32', ['pointer', 'uint32']);
  return untilDone(want(memory, table.byteLength));
}

const mostPaused = 1024;

export async function pausePython(tid: number): Promise<PythonPaused> {
  const pause = new NativeFunction(loaded().entry('python_pause'), 'uint32', ['uint32']);
  const number = pause(tid);
  if (number === 0) return { isDone: false, tids: [] };
  const { isDone } = await untilDone(number);
  const room = Memory.alloc(4 * mostPaused);
  const paused = new NativeFunction(loaded().entry('python_paused'), 'uint32', [
    'pointer',
    'uint32',
  ]);
  const count = isDone ? paused(room, mostPaused) : 0;
  return { isDone, tids: Array.from({ length: count }, (_none, i) => room.add(4 * i).readU32()) };
}

export function runPython(text: string): { isBegun: boolean } {
  const run = new NativeFunction(loaded().entry('python_run'), 'uint32', ['pointer']);
  return { isBegun: run(Memory.allocUtf8String(text)) !== 0 };
}

export async function leavePython(): Promise<PythonAnswer> {
  const leave = new NativeFunction(loaded().entry('python_leave'), 'uint32', []);
  return untilDone(leave());
}

/** Before the interpreter has started there is nothing to wait for. */
async function untilDone(number: number): Promise<PythonAnswer> {
  const runs = new NativeFunction(loaded().entry('python_runs'), 'uint32', []);
  const done = new NativeFunction(loaded().entry('python_done'), 'uint32', []);
  if (runs() === 0) return { isDone: true };
  for (const limit = Date.now() + patienceMs; done() < number;) {
    if (Date.now() > limit) return { isDone: false };
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return { isDone: true };
}
