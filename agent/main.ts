import type { AgentCalls, AgentMessage } from '../src/protocol/agent.ts';
import { armEntry } from '../src/protocol/record.ts';
import {
  awaitLibraries,
  isAnyAwaited,
  isAwaited,
  libraryPlaced,
  waitUntilPlaced,
} from './awaited.ts';
import { noteCallers } from './callers.ts';
import { loadEngine, type Engine } from './engine.ts';
import { hookExceptions } from './exceptions.ts';
import { endIfAlone, guardPresence, namePresence } from './guard.ts';
import { loadedModules, watchModules } from './modules.ts';
import { leaveNode, pauseNode, prepareNode, wantNode } from './node.ts';
import { nameOwnMemory } from './ownMemory.ts';
import { leavePython, pausePython, preparePython, runPython, wantPython } from './python.ts';
import { noteClock, tapOutput } from './taps.ts';

/** Between two looks whether a library still waits. */
const TURN_MS = 5;

let engine: Engine | null = null;
/** What the program does to itself is kept from us. */
let isGuarded = false;
/** Room on the stack is to be made before the first hook. */
let hasStackRoom = false;

function started(): Engine {
  if (engine === null) throw new Error('the engine was not started');
  return engine;
}

function tell(message: AgentMessage): void {
  send(message);
}

function hearingNote(threads: number): string {
  return `${threads} threads of the tracing take signals sent to the process, as a debugger holds them: a signal that all of the program's threads block may be handled there.`;
}

function lateNote(library: string): string {
  return `${library} was loaded while the program ran, and its functions were hooked only after it was in use: what it did at first is not seen.`;
}

const calls: AgentCalls = {
  start(options) {
    if (engine !== null) throw new Error('the engine was started before');
    const loaded = loadEngine(options.enginePath);
    const { ringPath, hearing } = loaded.start(options);
    if (hearing > 0) tell({ type: 'note', text: hearingNote(hearing) });
    loaded.findErrno();
    loaded.findUnwinder();
    engine = loaded;
    isGuarded = options.atExec;
    if (isGuarded) guardPresence(loaded, tell);
    else namePresence(loaded, tell);
    hasStackRoom = options.hasStackRoom;
    if (options.scratch) loaded.exchangeScratch(options.scratch);
    watchModules(
      (module) => {
        loaded.findUnwinder();
        const isHeld = isAwaited(module.path);
        tell({ type: 'moduleLoaded', module });
        if (isHeld && !waitUntilPlaced(module.path))
          tell({ type: 'note', text: lateNote(module.name) });
      },
      (path) => tell({ type: 'moduleUnloaded', path }),
    );
    return {
      pid: Process.id,
      ringPath,
      engineVersion: loaded.version,
      modules: loadedModules(),
      taps: options.outputPath === undefined ? [] : tapOutput(loaded, options.outputPath),
    };
  },

  modules: loadedModules,

  arm(count, table) {
    if (table.byteLength !== count * armEntry.bytes) {
      throw new Error(
        `arm: ${count} rows need ${count * armEntry.bytes} bytes, got ${table.byteLength}`,
      );
    }
    const before = Date.now();
    if (hasStackRoom) started().makeStackRoom();
    hasStackRoom = false;
    const { codes, stoppedThreads } = started().arm(table, count);
    if (isGuarded) nameOwnMemory(started(), false);
    return { codes, stoppedThreads, elapsedUs: (Date.now() - before) * 1000 };
  },

  awaits: awaitLibraries,

  placed: libraryPlaced,

  callers(paths) {
    noteCallers(started(), paths);
    return null;
  },

  policies(count, table) {
    return { refused: started().setPolicies(table, count) };
  },

  recording(isOn) {
    started().setRecording(isOn);
    return null;
  },

  watches(watches, sets, functions, table) {
    started().setWatches(table, watches, sets, functions);
    return null;
  },

  probes(count, table) {
    started().setProbes(table, count);
    return null;
  },

  async exceptions(options) {
    while (isAnyAwaited()) await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    const hooked = hookExceptions(started(), options);
    if (isGuarded) nameOwnMemory(started(), false);
    return { hooked };
  },

  clock() {
    noteClock(started());
    return null;
  },

  endIfAlone(status) {
    return endIfAlone(started(), status);
  },

  leave() {
    engine?.leave();
    return null;
  },

  steps(first, table) {
    started().setSteps(first, table);
    return null;
  },

  python(options) {
    started();
    return { problem: preparePython(options) };
  },

  pythonWant: wantPython,

  pythonPause: pausePython,
  pythonRun: runPython,

  pythonLeave: leavePython,

  node(options) {
    started();
    return prepareNode(options);
  },

  nodeWant: wantNode,

  nodePause: pauseNode,

  nodeLeave: leaveNode,

  traps() {
    return { traps: started().traps() };
  },

  disarm(functions) {
    return { removed: started().disarm(functions) };
  },
};

rpc.exports = {
  ...calls,
  /** Frida calls it when the script goes: nobody reads the rings then. A target that exits keeps its hooks to the end. */
  dispose(reason: unknown) {
    if (reason !== 'unload') return;
    void leaveNode();
    engine?.leave();
  },
};
