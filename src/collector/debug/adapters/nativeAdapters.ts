import type { DebugAdapter } from './debugAdapter.ts';
import { inMachineCode } from './inMachineCode.ts';
import { startPiped } from './pipedAdapter.ts';

export const gdbCure =
  'gdb 14 or newer is needed: your package manager has it, or: pip install gdb-for-pwndbg. The setting adapters.gdb says where it is.';
export const lldbCure =
  'lldb-dap 20 or newer is needed: your package manager has it as "lldb". The setting adapters.lldb says where it is.';

/** Signals are the program's own matter: none stops it, all reach it. */
const passedSignals =
  'SIGHUP SIGQUIT SIGILL SIGABRT SIGBUS SIGFPE SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM SIGCHLD SIGCONT SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS';

/** What is the same of debuggers of machine code. */
const native = {
  ...inMachineCode,
  strand: null,
  keepsSteps: false,
  isPassing: () => false,
  frameNumber: '(long)$sp',
  // As compilers of distributions name what they build, and where headers of libraries are.
  isLibrary: (file: string) => !file.startsWith('/') || /^\/(?:usr|build)\//.test(file),
  threadsBy: null,
} as const;

/** gdb 14 or newer, at a path. */
export function gdb(path: string): DebugAdapter {
  // Neither the user's nor a project's commands: what they would do to the program is not known.
  const settings = [
    'set confirm off',
    'set debuginfod enabled off',
    'handle all nostop noprint pass',
  ];
  const command = [path, '-nx', '-q', ...settings.flatMap((one) => ['-iex', one])];
  return {
    ...native,
    name: 'gdb',
    cure: gdbCure,
    start: async () => startPiped('gdb', [...command, '--interpreter=dap'], gdbCure),
    attachTo: (pid) => ({ pid }),
    threadsBy: 'info threads',
    console: { line: (text) => text, moves: (text) => moves.test(text) },
    notes: [
      'By gdb: all threads stop; if its process is killed while the program runs, the program ends at its next breakpoint.',
    ],
  };
}

/** lldb-dap 20 or newer, at a path. */
export function lldb(path: string): DebugAdapter {
  return {
    ...native,
    name: 'lldb',
    cure: lldbCure,
    keepsSteps: true,
    start: async () => startPiped('lldb', [path], lldbCure),
    attachTo: (pid) => ({
      pid,
      stopOnEntry: false,
      postRunCommands: [`process handle --pass true --stop false --notify false ${passedSignals}`],
    }),
    console: { line: (text) => `\`${text}`, moves: (text) => moves.test(text) },
    notes: [
      'By lldb: all threads stop; if its process is killed, the program ends, and if the daemon is, it may end.',
    ],
  };
}

/** An adapter that only the user's settings know: its command, and arguments that most understand. */
export function named(name: string, command: readonly string[]): DebugAdapter {
  const cure = 'The setting adapters.named says what is started.';
  return {
    ...native,
    name,
    cure,
    start: async () => startPiped(name, command, cure),
    attachTo: (pid) => ({ pid, processId: pid, stopOnEntry: false }),
    // It may be gdb, or know its commands.
    threadsBy: 'info threads',
    console: { line: (text) => text, moves: (text) => moves.test(text) },
    notes: [`By ${name}: all threads stop; if its process is killed, the program may end.`],
  };
}

/** Commands of gdb and lldb that let the program run, or let go of it, also in short. */
const moves =
  /^\s*(?:c|cont\w*|fg|n|nexti?|ni|s|stepi?|si|fin\w*|u|until|adv\w*|j|jump|call|r|run|start\w*|k|kill|det\w*|disc\w*|att\w*|q|quit|exit|sig\w*|queue-signal|reverse-\w+|rc|rn|rs|checkpoint|restart|target|thread\s+(?:step|cont|until|return)\w*.*|process\s+(?!status|info|handle).*|int\w*)\b/i;
