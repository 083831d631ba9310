import { record } from '../src/protocol/record.ts';
import { walkStep } from '../src/protocol/walk.ts';
import type { StartOptions } from '../src/protocol/agent.ts';
import { openLibrary } from './library.ts';

/** The engine library inside this process. Its memory is never given back. */
export interface Engine {
  readonly version: number;
  /**
   * Maps the ring file, unless an earlier agent had one mapped; answers which is in use, and how many
   * threads of ours could not be kept from taking the program's signals. Throws with the error number
   * of the system.
   */
  start(options: StartOptions): { ringPath: string; hearing: number };
  /** Installs hooks for `count` armEntry rows; answers a verdict code per row and the threads stopped. */
  arm(table: ArrayBuffer, count: number): { codes: number[]; stoppedThreads: number };
  /** Applies `count` policyEntry rows; answers how many of them cannot be kept. */
  setPolicies(table: ArrayBuffer, count: number): number;
  /** Whether anything is recorded until a trigger says otherwise. */
  setRecording(isOn: boolean): void;
  /** Hands in steps of walks from index `first` on. */
  setSteps(first: number, table: ArrayBuffer): void;
  /** Replaces all watches, see protocol/record `watchEntry`. */
  setWatches(table: ArrayBuffer, watches: number, sets: number, functions: number): void;
  /** Says what is recorded at `count` statements, see protocol/record `probeEntry`. */
  setProbes(table: ArrayBuffer, count: number): void;
  disarm(functions: readonly number[]): number;
  /** Hexadecimal addresses. */
  traps(): { address: string; island: string }[];
  /** Removes every hook and tap and ends the recording: the process goes on without us. */
  leave(): void;
  /** Raises the limit of the main thread's stack by what tracing may take of it, unseen by the program. */
  makeStackRoom(): void;
  /** Gives back what Frida took to come in the time before, and notes what it took now. */
  exchangeScratch(area: { readonly address: string; readonly bytes: number }): void;
  /** A function the library exports. */
  entry(name: string): NativePointer;
  /** Tells the engine where the C library keeps errno. */
  findErrno(): void;
  /** Hands the unwinder's symbol to the engine once a library that has it is there. */
  findUnwinder(): void;
}

/** As many as the engine's table of int3s holds. */
const mostTraps = 512;
/** Of looking for threads of ours. */
const mostRounds = 4;
/** EEXIST. */
const alreadyStarted = 17;

/** Loads the engine library; throws when the dynamic loader refuses. */
export function loadEngine(path: string): Engine {
  const library = openLibrary(path);
  const name = (text: string) => library.entry(text);
  const version = new NativeFunction(name('engine_version'), 'uint32', []);
  const arm = new NativeFunction(name('engine_arm'), 'int', ['pointer', 'uint32', 'pointer']);
  const disarm = new NativeFunction(name('engine_disarm'), 'uint32', ['pointer', 'uint32']);
  const traps = new NativeFunction(name('engine_traps_wanted'), 'uint32', ['pointer', 'uint32']);
  const setUnwinder = new NativeFunction(name('engine_set_unwinder'), 'void', ['pointer']);
  function remove(functions: ArrayLike<number>): number {
    return disarm(numbers(functions), functions.length);
  }
  const leave = new NativeFunction(name('engine_leave'), 'void', []);

  let hasUnwinder = false;
  return {
    version: version(),
    start: (options) => startEngine(name, options),
    arm(table, count) {
      const rows = copyOf(table);
      const codes = Memory.alloc(Math.max(count, 1));
      const stoppedThreads = arm(rows, count, codes);
      if (stoppedThreads < 0) throw new Error(`engine cannot arm: error ${-stoppedThreads}`);
      const read = codes.readByteArray(count);
      return { codes: read === null ? [] : [...new Uint8Array(read)], stoppedThreads };
    },
    setPolicies: (table, count) => setPolicies(name, table, count),
    setRecording(isOn) {
      new NativeFunction(name('engine_set_recording'), 'void', ['uint32'])(isOn ? 1 : 0);
    },
    setSteps: (first, table) => setSteps(name('engine_set_steps'), first, table),
    setWatches: (table, ...counts) => setWatches(name('engine_set_watches'), table, counts),
    setProbes: (table, count) => setProbes(name('engine_set_probes'), table, count),
    disarm: remove,
    traps() {
      const places = Memory.alloc(mostTraps * 16);
      const count = Math.min(traps(places, mostTraps), mostTraps);
      return Array.from({ length: count }, (_none, i) => ({
        address: places
          .add(i * 16)
          .readU64()
          .toString(16),
        island: places
          .add(i * 16 + 8)
          .readU64()
          .toString(16),
      }));
    },
    leave() {
      remove(all());
      leave();
    },
    makeStackRoom() {
      new NativeFunction(name('engine_make_stack_room'), 'void', [])();
    },
    exchangeScratch({ address, bytes }) {
      const exchange = new NativeFunction(name('engine_exchange_scratch'), 'void', [
        'pointer',
        'uint64',
      ]);
      exchange(ptr(address), bytes);
    },
    entry: name,
    findErrno() {
      const found = Module.findGlobalExportByName('__errno_location');
      if (found !== null) new NativeFunction(name('engine_set_errno'), 'void', ['pointer'])(found);
    },
    findUnwinder() {
      if (hasUnwinder) return;
      const found = Module.findGlobalExportByName('_Unwind_GetCFA');
      if (found === null) return;
      setUnwinder(found);
      hasUnwinder = true;
    },
  };
}

type FindEntry = (name: string) => NativePointer;

function startEngine(entry: FindEntry, options: StartOptions): ReturnType<Engine['start']> {
  const start = new NativeFunction(entry('engine_start'), 'int', [
    'pointer',
    'uint32',
    'uint32',
    'uint32',
    'uint64',
    'pointer',
    'pointer',
    'pointer',
  ]);
  setSampling(entry, options.sampling);
  const forkedBytes = options.forkedBytes ?? record.forkedBytes;
  new NativeFunction(entry('engine_set_forked_bytes'), 'void', ['uint64'])(forkedBytes);
  // glibc exports only the first, musl only the second; both begin with the same three.
  const atFork = Module.findGlobalExportByName('__register_atfork');
  const failed = start(
    Memory.allocUtf8String(options.ringPath),
    options.slotCount,
    options.ringBytes,
    options.mostRingBytes ?? options.ringBytes,
    options.growBytes ?? 0,
    optionalSymbol('pthread_key_create'),
    optionalSymbol('pthread_setspecific'),
    atFork ?? optionalSymbol('pthread_atfork'),
  );
  if (failed !== 0 && failed !== -alreadyStarted) {
    throw new Error(`engine start failed: error ${-failed}`);
  }
  if (options.fillsPages === true) new NativeFunction(entry('engine_may_wait'), 'void', [])();
  if (failed === 0) {
    const pass = new NativeFunction(entry('engine_pass_sent_signals'), 'void', ['pointer']);
    pass(optionalSymbol('sigaction'));
    new NativeFunction(entry('engine_know_break'), 'void', ['pointer'])(optionalSymbol('__curbrk'));
    nameLoaderNotice(entry);
  }
  const inUse = new NativeFunction(entry('engine_ring_path'), 'pointer', []);
  return { ringPath: inUse().readUtf8String() ?? '', hearing: ignoreOwnThreads(entry) };
}

/** Frida learns of libraries there; a forked child, which has none of its threads, must not. */
function nameLoaderNotice(entry: FindEntry): void {
  const name = new NativeFunction(entry('engine_name_loader_notice'), 'void', ['pointer']);
  name(optionalSymbol('_dl_debug_state'));
}

function setSampling(entry: FindEntry, sampling: StartOptions['sampling']): void {
  const set = new NativeFunction(entry('engine_set_sampling'), 'void', ['uint32', 'uint32']);
  set(sampling?.callsPerSecond ?? 0, sampling?.every ?? 1);
}

function setPolicies(entry: FindEntry, table: ArrayBuffer, count: number): number {
  const set = new NativeFunction(entry('engine_set_policies'), 'uint32', ['pointer', 'uint32']);
  return set(copyOf(table), count);
}

function copyOf(table: ArrayBuffer): NativePointer {
  const memory = Memory.alloc(Math.max(table.byteLength, 1));
  memory.writeByteArray(table);
  return memory;
}

function setSteps(entry: NativePointer, first: number, table: ArrayBuffer): void {
  const set = new NativeFunction(entry, 'int', ['uint32', 'pointer', 'uint32']);
  const memory = Memory.alloc(Math.max(table.byteLength, 1));
  memory.writeByteArray(table);
  const failed = set(first, memory, table.byteLength / walkStep.bytes);
  if (failed !== 0) throw new Error(`engine takes no more steps: error ${-failed}`);
}

function setWatches(
  entry: NativePointer,
  table: ArrayBuffer,
  [watches, sets, functions]: [number, number, number],
): void {
  const set = new NativeFunction(entry, 'int', ['pointer', 'uint32', 'uint32', 'uint32']);
  const failed = set(copyOf(table), watches, sets, functions);
  if (failed !== 0) throw new Error(`engine takes no watches: error ${-failed}`);
}

function setProbes(entry: NativePointer, table: ArrayBuffer, count: number): void {
  const set = new NativeFunction(entry, 'int', ['pointer', 'uint32']);
  const failed = set(copyOf(table), count);
  if (failed !== 0) throw new Error(`engine takes no more statements: error ${-failed}`);
}

/**
 * The instrumentation's own threads are those that are hidden: one that begins just now is the
 * program's. Once more where one of ours had begun another meanwhile, with the mask of before.
 */
function ignoreOwnThreads(name: FindEntry): number {
  const list = new NativeFunction(name('engine_threads'), 'uint32', ['pointer', 'uint32']);
  const ignore = new NativeFunction(name('engine_ignore_threads'), 'uint32', ['pointer', 'uint32']);
  const room = 4096;
  const memory = Memory.alloc(room * 4);
  let known: readonly number[] = [];
  let hearing = 0;
  for (let round = 0; round < mostRounds; round++) {
    const count = Math.min(list(memory, room), room);
    const tids = new Uint32Array(memory.readByteArray(count * 4) ?? new ArrayBuffer(0));
    const own = [...tids].filter((tid) => Cloak.hasThread(tid));
    if (own.every((tid) => known.includes(tid))) break;
    hearing = ignore(numbers(own), own.length);
    known = own;
  }
  return hearing;
}

/** The numbers that functions can have. */
function all(): Uint32Array {
  const found = new Uint32Array(record.maxFunctions);
  for (let number = 0; number < found.length; number++) found[number] = number;
  return found;
}

function numbers(values: ArrayLike<number>): NativePointer {
  const memory = Memory.alloc(Math.max(values.length * 4, 4));
  memory.writeByteArray(new Uint32Array(values).buffer);
  return memory;
}

function optionalSymbol(name: string): NativePointer {
  return Module.findGlobalExportByName(name) ?? NULL;
}
