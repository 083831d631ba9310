import type { NodeAnswer, NodeOptions } from '../src/protocol/agent.ts';
import { openLibrary, type OwnLibrary } from './library.ts';

/** The main thread may not return to its event loop for so long; what is asked for is done when it does. */
const patienceMs = 2000;
const lookMs = 1;

let library: OwnLibrary | null = null;

function loaded(): OwnLibrary {
  if (library === null) throw new Error('the tracer of Node was not loaded');
  return library;
}

/** Loads native/node and has this process load the preload; answers what is wrong with that. */
export async function prepareNode(
  options: NodeOptions,
): Promise<NodeAnswer & { readonly problem: number }> {
  library = openLibrary(options.libraryPath);
  const prepare = new NativeFunction(library.entry('node_prepare'), 'int', [
    'pointer',
    'pointer',
    'pointer',
    'pointer',
    'pointer',
    'int',
  ]);
  const text = (value: string): NativePointer => Memory.allocUtf8String(value);
  const problem = prepare(
    text(options.enginePath),
    text(options.notesPath),
    text(options.servicePath),
    text(options.projectRoot),
    text(options.preloadPath),
    options.atExec ? 1 : 0,
  );
  return { problem, ...(await untilDone()) };
}

/** Nothing is wanted any more; also where it was not loaded. */
export async function leaveNode(): Promise<NodeAnswer> {
  if (library === null) return { isDone: true };
  new NativeFunction(library.entry('node_leave'), 'void', [])();
  return untilDone();
}

const mostPaused = 256;

/** Has a thread stand still, or with 0 all; which. */
export function pauseNode(tid: number): number[] {
  const pause = new NativeFunction(loaded().entry('node_pause'), 'uint32', [
    'uint32',
    'pointer',
    'uint32',
  ]);
  const tids = Memory.alloc(4 * mostPaused);
  const count = pause(tid, tids, mostPaused);
  return Array.from({ length: count }, (_none, i) => tids.add(4 * i).readU32());
}

/** `path`: the file that says what is wanted. */
export async function wantNode(path: string): Promise<NodeAnswer> {
  const want = new NativeFunction(loaded().entry('node_want'), 'int', ['pointer']);
  if (want(Memory.allocUtf8String(path)) === 0) throw new Error(`${path} cannot be read`);
  return untilDone();
}

/** Where the process was launched there is nothing to wait for. */
async function untilDone(): Promise<NodeAnswer> {
  const isDone = new NativeFunction(loaded().entry('node_is_done'), 'int', []);
  for (const limit = Date.now() + patienceMs; isDone() === 0;) {
    if (Date.now() > limit) return { isDone: false };
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return { isDone: true };
}
