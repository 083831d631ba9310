import type { AgentMessage } from '../src/protocol/agent.ts';
import type { Engine } from './engine.ts';
import { writeJump } from './jump.ts';
import { nameOwnMemory } from './ownMemory.ts';

/** In the order in which native/engine/guard.c keeps the originals. */
const withOriginal = ['close', 'prctl', 'syscall', 'setrlimit', 'getrlimit'] as const;
const withoutOriginal = [
  'close_range',
  'closefrom',
  'prlimit',
  'mlockall',
  'unshare',
  'setns',
  'stat',
  'fstatat',
] as const;
/** Descriptors are looked for up to here: those of the instrumentation are made early. */
const mostFiles = 4096;
const mostThreads = 4096;
/** In the order of their numbers in native/engine/guard.c. */
const notes = [
  'The program set a seccomp filter for all its threads: it was set for the calling thread and those it starts, as it would have ended the tracing ones.',
  'The program entered strict seccomp mode: its hooks were removed before, and nothing is traced from then on.',
  'The program locked all memory that it will map (mlockall), and may lock only a limited amount, which tracing would soon exceed: what it maps later is not locked.',
] as const;
const strict = 1;
const oneThread = 3;

/** What native code points to. */
const keptAlive: NativePointer[] = [];

/**
 * Hides the instrumentation's descriptors and memory from what the program does to itself; see
 * native/engine/guard.c. To be called before its start.
 */
export function guardPresence(engine: Engine, tell: (message: AgentMessage) => void): void {
  const files = ownFiles();
  tellOwn(engine, files, ownBytes(), tell);
  nameOwnMemory(engine, true);
  new NativeFunction(engine.entry('engine_note_early_threads'), 'void', [])();
  replaceAll(engine);
}

/** Says which descriptors are ours, so that a crash story leaves them out; hides nothing. For a process that runs already. */
export function namePresence(engine: Engine, tell: (message: AgentMessage) => void): void {
  tellOwn(engine, ownFiles(), 0, tell);
}

/** What the engine calls when the program does something to itself; answers whether we leave for that. */
function announcement(engine: Engine, tell: (message: AgentMessage) => void): NativePointer {
  const callback = new NativeCallback(
    (what) => {
      if (what === oneThread) {
        if (programThreads(engine).length > 0) return 0;
        tell({ type: 'leave' });
        return 1;
      }
      // The cycle counter faults in there.
      if (what === strict) engine.leave();
      tell({ type: 'note', text: notes[what] ?? '' });
      return 0;
    },
    'uint32',
    ['uint32'],
  );
  keptAlive.push(callback);
  return callback;
}

function tellOwn(
  engine: Engine,
  files: readonly number[],
  bytes: number,
  tell: (message: AgentMessage) => void,
): void {
  const list = Memory.alloc(Math.max(4, files.length * 4));
  list.writeByteArray(new Int32Array(files).buffer);
  const guard = new NativeFunction(engine.entry('engine_guard'), 'void', [
    'pointer',
    'uint32',
    'uint64',
    'pointer',
    'pointer',
  ]);
  const errno = symbol('__errno_location');
  guard(list, files.length, uint64(bytes), announcement(engine, tell), errno);
}

function replaceAll(engine: Engine): void {
  const originals = new NativeFunction(engine.entry('engine_guard_originals'), 'pointer', [])();
  for (const [index, name] of withOriginal.entries()) {
    const address = symbol(name);
    const slot = originals.add(index * Process.pointerSize);
    // Until it is replaced, the way to the original is its own address.
    slot.writePointer(address);
    const replacement = engine.entry(`guard_${name}`);
    try {
      slot.writePointer(Interceptor.replaceFast(address, replacement));
    } catch (error) {
      // From glibc 2.42 on it begins with its system call, which Frida does not move.
      if (name !== 'prctl') throw error;
      slot.writePointer(engine.entry('guard_plain_prctl'));
      writeJump(address, replacement);
    }
  }
  for (const name of withoutOriginal) {
    const address = Module.findGlobalExportByName(name);
    if (address === null) continue;
    const replacement = engine.entry(`guard_${name}`);
    try {
      Interceptor.replaceFast(address, replacement);
    } catch {
      // Too short for Frida. Before its start nothing in the program runs the bytes that change.
      writeJump(address, replacement);
    }
  }
}

function ownFiles(): number[] {
  const files: number[] = [];
  for (let file = 0; file < mostFiles; file++) if (Cloak.hasFileDescriptor(file)) files.push(file);
  return files;
}

/** Address space beyond that of the program's own files: nearly all of it is ours at a start. */
function ownBytes(): number {
  const pages = Number(File.readAllText('/proc/self/statm').split(' ')[0]);
  const modules = Process.enumerateModules().reduce((sum, module) => sum + module.size, 0);
  return Math.max(0, pages * Process.pageSize - modules);
}

/**
 * Ends the process when only threads of the instrumentation are left in it: without them it would
 * have ended with its last own thread. `status`: wait status of the main thread, which has ended.
 * Answers whether it ends.
 */
export function endIfAlone(engine: Engine, status: number): boolean {
  if (programThreads(engine).length > 0) return false;
  const number = status & 0x7f;
  if (number !== 0) {
    const kill = new NativeFunction(symbol('kill'), 'int', ['int', 'int']);
    return kill(Process.id, number) === 0;
  }
  // The C library runs exit(0) in the last thread that ends (pthread_exit(3)); in a sandbox, where
  // it could not, that was done by system call.
  const sandboxed = new NativeFunction(engine.entry('engine_is_sandboxed'), 'uint32', [])() !== 0;
  const end = status === 0 && !sandboxed ? 'exit' : '_exit';
  const create = new NativeFunction(symbol('pthread_create'), 'int', [
    'pointer',
    'pointer',
    'pointer',
    'pointer',
  ]);
  return create(Memory.alloc(Process.pointerSize), NULL, symbol(end), ptr(status >> 8)) === 0;
}

/** Without the main thread, which is listed for as long as the process lives. */
function programThreads(engine: Engine): number[] {
  const memory = Memory.alloc(mostThreads * 4);
  const list = new NativeFunction(engine.entry('engine_threads'), 'uint32', ['pointer', 'uint32']);
  const count = Math.min(list(memory, mostThreads), mostThreads);
  const tids = new Uint32Array(memory.readByteArray(count * 4) ?? new ArrayBuffer(0));
  return [...tids].filter((tid) => tid !== Process.id && !Cloak.hasThread(tid));
}

function symbol(name: string): NativePointer {
  return Module.getGlobalExportByName(name);
}
