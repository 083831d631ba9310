/**
 * The agent's contract: calls the host forwards into the target (Frida script RPC) and
 * messages it sends. Types only, so that the agent can import it.
 */
export interface AgentCalls {
  /**
   * Loads the engine and maps the ring file. In a process where it was loaded before the engine
   * goes on with the ring it has.
   */
  start(options: StartOptions): StartResult;
  /** Executable modules loaded now. */
  modules(): LoadedModule[];
  /**
   * Installs hooks; `table` holds `count` armEntry rows with absolute run-time addresses. It
   * travels as the binary data of the call's message: Frida appends that to the arguments.
   * Answers one verdict code per row (index into protocol/refusals `verdictCodes`).
   */
  arm(
    count: number,
    table: ArrayBuffer,
  ): { codes: number[]; stoppedThreads: number; elapsedUs: number };
  /**
   * Libraries whose path this regular expression matches, and that come from now on, wait in dlopen() for `placed`, at
   * most a second: their functions are hooked before the program calls the first. Empty: none waits.
   */
  awaits(libraries: string): null;
  /** The functions of a library that waits are hooked, as far as they are wanted. */
  placed(path: string): null;
  /** Looks where these modules keep the addresses of functions that look at their caller; before their first `arm`. */
  callers(paths: readonly string[]): null;
  /** Hands in steps of walks (walk.ts) from index `first` on, as binary data. */
  steps(first: number, table: ArrayBuffer): null;
  /**
   * Says which calls of functions are recorded, armed ones or such that will be: `count` policyEntry
   * rows, as binary data. `refused`: of so many all calls are recorded, as there is no room to count.
   */
  policies(count: number, table: ArrayBuffer): { refused: number };
  /** Whether anything is recorded, until a function with a trigger is called. */
  recording(isOn: boolean): null;
  /** Replaces all watches: so many watches, sets and functions, as binary data (record.ts, watchEntry). */
  watches(watches: number, sets: number, functions: number, table: ArrayBuffer): null;
  /** Says what is recorded at statements, armed ones or such that will be: `count` probeEntry rows, as binary data. */
  probes(count: number, table: ArrayBuffer): null;
  /**
   * Ends the process when no thread of its own is left; answers whether it does. `status`: wait
   * status of its main thread, which has ended.
   */
  endIfAlone(status: number): boolean;
  /**
   * Records exceptions from now on, where they are raised and caught in libraries loaded now, and at
   * `found`, run-time addresses in the program itself. To be called again when libraries came. Answers how
   * many functions are hooked.
   */
  exceptions(options: ExceptionOptions): Promise<{ hooked: number }>;
  /** Writes a clock record into the output file. */
  clock(): null;
  /**
   * Removes all hooks and taps and ends the recording; a later start, by another agent, begins
   * anew. What the agent does by itself when it is unloaded.
   */
  leave(): null;
  /**
   * Loads the tracer of Python into an interpreter, beside the engine, and has it begin: at an exec when the first
   * code of the program is about to run. `problem`: index into protocol/pythonTracer `pythonProblems`.
   */
  python(options: PythonOptions): { problem: number };
  /** Replaces the Python functions that are wanted: a table of protocol/pythonTracer, as binary data. */
  pythonWant(table: ArrayBuffer): Promise<PythonAnswer>;
  /** Has a thread of Python stand still, or with 0 all. */
  pythonPause(tid: number): Promise<PythonPaused>;
  /** Has a thread of its own run a text of Python; what that raises is a note. `isBegun`: false before the interpreter has started. */
  pythonRun(text: string): { isBegun: boolean };
  /** No Python function is wanted any more, and the interpreter is as it was. */
  pythonLeave(): Promise<PythonAnswer>;
  /**
   * Loads the tracer of Node beside the engine and has Node load the preload: at an exec before the program, else when
   * its event loop comes to it. `problem`: index into protocol/nodeTracer `nodeProblems`.
   */
  node(options: NodeOptions): Promise<{ problem: number; isDone: boolean }>;
  /** Replaces the JavaScript functions that are wanted: the file that says which (protocol/nodeTracer). */
  nodeWant(path: string): Promise<NodeAnswer>;
  /** Has a thread of JavaScript stand still, or with 0 all; which were asked to. */
  nodePause(tid: number): number[];
  nodeLeave(): Promise<NodeAnswer>;
  /** Removes hooks of these function numbers and restores their code; unknown numbers are ignored. */
  disarm(functions: number[]): { removed: number };
  /** Where int3s of the stopper are wanted, and the islands that they lead to: hexadecimal addresses. */
  traps(): { traps: { address: string; island: string }[] };
}

export interface PythonOptions {
  readonly libraryPath: string;
  readonly enginePath: string;
  /** Where it tells what happens besides calls. */
  readonly notesPath: string;
  /** The socket of the daemon that threads which stand still ask. */
  readonly stopsPath: string;
  readonly atExec: boolean;
}

/** `isDone`: it holds now; else when the interpreter's lock is given up. */
export interface PythonAnswer {
  readonly isDone: boolean;
}

/** `isDone`: these stand, or are about to; else nothing of the program runs yet, or the lock is not given up. */
export interface PythonPaused {
  readonly isDone: boolean;
  readonly tids: readonly number[];
}

/** `isDone`: it holds now; else when the main thread returns to its event loop. */
export interface NodeAnswer {
  readonly isDone: boolean;
}

export interface NodeOptions {
  readonly libraryPath: string;
  readonly enginePath: string;
  /** Where it tells what happens besides calls. */
  readonly notesPath: string;
  /** The socket that rewrites modules. */
  readonly servicePath: string;
  readonly projectRoot: string;
  readonly preloadPath: string;
  readonly atExec: boolean;
}

export interface ExceptionOptions {
  /** Where they are recorded, see exceptionFile.ts. */
  readonly path: string;
  /** Addresses are hexadecimal. */
  readonly found: readonly { readonly address: string; readonly kind: 'raised' | 'caught' }[];
}

export interface StartOptions {
  readonly enginePath: string;
  readonly ringPath: string;
  readonly slotCount: number;
  /** Of a thread's first ring; a power of two. */
  readonly ringBytes: number;
  /** Of its largest one; absent: it does not grow. */
  readonly mostRingBytes?: number;
  /** What all rings together may take beyond the first ones. */
  readonly growBytes?: number;
  /** What the rings of all forked children may take; absent: record.ts, `forkedBytes`. */
  readonly forkedBytes?: number;
  /** Above so many calls a second of one function, one in `every` is recorded; absent: all are. */
  readonly sampling?: { readonly callsPerSecond: number; readonly every: number };
  /** Nothing of the program has run: functions of its C library can be replaced without harm. */
  readonly atExec: boolean;
  /** Its stack may become larger by what tracing takes: what it executes gets the limit back. */
  readonly hasStackRoom: boolean;
  /** It fills in pages of its own (userfaultfd): what is not in memory is not read. */
  readonly fillsPages?: boolean;
  /** Where the process's output is to be recorded, see record.ts; absent: it is not. */
  readonly outputPath?: string;
  /** Memory that Frida took to come in and does not give back: that of the time before is given back. */
  readonly scratch?: { readonly address: string; readonly bytes: number };
}

export interface StartResult {
  readonly pid: number;
  readonly engineVersion: number;
  /** Where events go: what was asked for, or where an earlier start in this process let them go. */
  readonly ringPath: string;
  readonly modules: LoadedModule[];
  /** With `outputPath`: which ways out of the C library are seen. */
  readonly taps: readonly Tap[];
}

export interface Tap {
  readonly function: string;
  /** Index into protocol/refusals `verdictCodes`. */
  readonly code: number;
}

export interface LoadedModule {
  readonly path: string;
  readonly name: string;
  /** Hexadecimal run-time base. */
  readonly base: string;
  readonly size: number;
}

/** Unasked messages, sent with Frida's `send`. */
export type AgentMessage =
  | { readonly type: 'moduleLoaded'; readonly module: LoadedModule }
  | { readonly type: 'moduleUnloaded'; readonly path: string }
  /** What the program did to itself that concerns its tracing; a whole sentence. */
  | { readonly type: 'note'; readonly text: string }
  /** The program is about to do what only a process with one thread may, and waits for ours to be gone. */
  | { readonly type: 'leave' }
  | { readonly type: 'log'; readonly level: 'debug' | 'warn'; readonly text: string };
