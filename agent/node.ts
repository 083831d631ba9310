import type { NodeOptions } from '../src/protocol/agent.ts';
import { openLibrary } from './library.ts';

let library: Module | null = null;

/** Loads native/node and has this process load the preload; answers what is wrong with that. */
export function prepareNode(options: NodeOptions): number {
  library = openLibrary(options.libraryPath);
  const prepare = new NativeFunction(library.getExportByName('node_prepare'), 'int', [
    'pointer',
    'pointer',
    'pointer',
    'pointer',
    'pointer',
  ]);
  const text = (value: string): NativePointer => Memory.allocUtf8String(value);
  return prepare(
    text(options.enginePath),
    text(options.notesPath),
    text(options.servicePath),
    text(options.projectRoot),
    text(options.preloadPath),
  );
}

/** Nothing is wanted any more; also where it was not loaded. */
export function leaveNode(): null {
  if (library !== null) new NativeFunction(library.getExportByName('node_leave'), 'void', [])();
  return null;
}

export function wantNode(wishes: ArrayBuffer): null {
  if (library === null) throw new Error('the tracer of Node was not loaded');
  const memory = Memory.alloc(Math.max(wishes.byteLength, 1));
  memory.writeByteArray(wishes);
  const want = new NativeFunction(library.getExportByName('node_want'), 'int', [
    'pointer',
    'uint32',
  ]);
  want(memory, wishes.byteLength);
  return null;
}
