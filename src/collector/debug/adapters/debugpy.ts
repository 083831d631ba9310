import { z } from 'zod';
import { runProgram } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { Value } from '../../../model/questions/query.ts';
import { programAt } from './adapterPaths.ts';
import type { DebugAdapter } from './debugAdapter.ts';
import { startPiped } from './pipedAdapter.ts';

export const debugpyCure =
  'pip install debugpy, into the Python that the setting adapters.debugpy names.';
const findMs = 10_000;
/** It waits for programs that have ended, and one that it stops runs on without it. */
const endMs = 300;
/** It outlives the end of its input where its program has ended; so it ends with the daemon. Its arguments: the daemon, and what is run. */
const beginning = `
import os, sys
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9) # PR_SET_PDEATHSIG, SIGKILL
except ImportError: pass
if os.getppid() != int(sys.argv[1]): sys.exit()
os.execv(sys.executable, [sys.executable, sys.argv[2]])
`;
const finding = 'import debugpy, os; print(os.path.dirname(os.path.dirname(debugpy.__file__)))';

/** A Python, and the folder in it that has debugpy. */
interface Place {
  readonly python: string;
  readonly folder: string;
}

/** `command`: a Python, by its path or a name on the PATH. Throws CANNOT_DEBUG. */
export async function findDebugpy(command: string): Promise<Place> {
  const missing = new StrobeError(
    'CANNOT_DEBUG',
    `debugpy (of ${command}) is not on this machine.`,
    debugpyCure,
  );
  const python = programAt(command);
  if (python === null) throw missing;
  // Nothing is imported from where the daemon happens to run.
  const asked = { command: python, args: ['-c', finding], cwd: '/' };
  const { stdout, code } = await runProgram(asked, { limitMs: findMs });
  if (code !== 0) throw missing;
  return { python, folder: stdout.toString().trim() };
}

const waiting = z.looseObject({ host: z.string(), port: z.number() });
const library = /\/(?:site|dist)-packages\/|\/lib\/python3\.\d+\/|^<frozen /;

/** Of Python itself, or of a package. */
export function isPythonLibrary(file: string): boolean {
  return library.test(file);
}

/** Python programs, by the debugpy of a Python. `come` has a program run a text of Python. */
export function debugpy(
  command: string,
  come: (pid: number, text: string) => Promise<void>,
): DebugAdapter {
  let place: Place | null = null;
  return {
    name: 'debugpy',
    cure: debugpyCure,
    strand: null,
    inSource: true,
    keepsSteps: false,
    start: async () => {
      place = await findDebugpy(command);
      const { python, folder } = place;
      const adapter = `${folder}/debugpy/adapter`;
      const started = [python, '-c', beginning, String(process.pid), adapter];
      return await startPiped('debugpy', started, debugpyCure, endMs);
    },
    attachTo: () => ({
      listen: { host: '127.0.0.1', port: 0 },
      justMyCode: true,
      subProcess: false,
      redirectOutput: false,
      variablePresentation: { special: 'hide', function: 'hide', class: 'hide' },
    }),
    configuration: [
      // A condition that cannot be worked out stops, instead of writing that to an output.
      [
        'setDebuggerProperty',
        { skipSuspendOnBreakpointException: [], skipPrintBreakpointException: ['BaseException'] },
      ],
      ['setExceptionBreakpoints', { filters: [] }],
    ],
    awaits: {
      event: 'debugpyWaitingForServer',
      come: async (pid, told) => {
        const read = waiting.safeParse(told);
        if (!read.success || place === null)
          throw new StrobeError(
            'CANNOT_DEBUG',
            'debugpy does not say where it listens.',
            debugpyCure,
          );
        await come(pid, entering(place.folder, read.data));
      },
    },
    isPassing: () => false,
    frameNumber: null,
    isLibrary: isPythonLibrary,
    typesRaised:
      "' '.join(name for one in __exception__[0].__mro__ for name in (one.__name__, one.__module__ + '.' + one.__qualname__))",
    plain,
    console: { line: (text) => text, moves: () => false },
    threadsBy,
    threadInName: null,
    notes: [
      'By debugpy, which runs in the program: it imports modules, starts threads and uses a port of 127.0.0.1; all threads stop, those in native code when they come out of it. Reading a value runs properties of its object. If its process is killed, the program runs on.',
    ],
  };
}

/** Has the program connect, as debugpy does where it attaches by itself, but without gdb. */
function entering(folder: string, { host, port }: z.output<typeof waiting>): string {
  const setup = JSON.stringify({ mode: 'connect', address: [host, port] });
  return `
import os, sys, time
# threading takes the thread that imports it first for the main one; debugpy's own cure writes to the program's stderr.
def know_main(folder):
    sys.path.insert(0, folder + "/debugpy/_vendored/pydevd/pydevd_attach_to_process")
    try: import attach_script
    finally: del sys.path[0]
    attach_script.fix_main_thread_id()
    import threading
    threading.main_thread()._native_id = os.getpid()
# The next thread of the program may get the number of this one, and pydevd would take it for this one, and never let it run again.
def forget_this():
    import threading
    with threading._active_limbo_lock:
        me = threading._active.get(threading.get_ident())
        if isinstance(me, threading._DummyThread): del threading._active[threading.get_ident()]
def other_there():
    known = sys.modules.get("pydevd")
    return known.get_global_debugger() if known else None
def enter(folder, setup):
    # One whose adapter was killed takes a while to leave, also when it says that it is disposed of.
    leaves = time.monotonic() + 5
    while other_there() is not None and time.monotonic() < leaves: time.sleep(0.02)
    other = other_there()
    if other is not None and not other.pydb_disposed:
        raise RuntimeError("Another debugger, which uses debugpy or pydevd, is in the program: debugpy cannot come in beside it.")
    # Else it writes warnings to the program's stderr.
    name = "PYDEVD_DISABLE_FILE_VALIDATION"
    before = os.environ.get(name)
    os.environ[name] = "1"
    sys.path.insert(0, folder + "/debugpy/server")
    try:
        import attach_pid_injected
        del sys.path[0]
        if "threading" not in sys.modules: know_main(folder)
        attach_pid_injected.attach({**setup, "log_to": None, "adapter_access_token": None})
    finally:
        if before is None: del os.environ[name]
        else: os.environ[name] = before
        if "threading" in sys.modules: forget_this()
# Of threads that come to breakpoints at one moment pydevd may report one: the others wait as it does, each at a line that it came to.
def came(thread, frame, waiting):
    if thread not in waiting.values(): return False
    while frame is not None and frame.f_code.co_name != "do_wait_suspend": frame = frame.f_back
    if frame is None or frame.f_locals["event"] != "line": return False
    # One that has not run on since waits in the same call, which has the same tracker.
    tracker = frame.f_locals["frames_tracker"]
    is_known = hasattr(tracker, "strobe_listed")
    tracker.strobe_listed = True
    return not is_known
def list_threads():
    import threading
    from _pydevd_bundle._debug_adapter.pydevd_base_schema import BaseSchema
    from _pydevd_bundle.pydevd_constants import get_thread_id
    waiting = dict(other_there()._threads_suspended_single_notification._suspended_thread_id_to_thread)
    frames = sys._current_frames()
    return "\\n".join("%s x (LWP %s)%s" % (
        BaseSchema._translate_id_to_dap(get_thread_id(one)), one.native_id,
        " came" if came(one, frames.get(one.ident), waiting) else "") for one in threading.enumerate())
enter(${JSON.stringify(folder)}, ${setup})
sys.modules["pydevd"].strobe_threads = list_threads
`;
}

/** The kernel's numbers of its threads, as gdb prints them. */
const threadsBy = "__import__('sys').modules['pydevd'].strobe_threads()";

/** A value as Python writes it; null: it is written as elsewhere. */
function plain({
  value,
  type,
}: {
  readonly value: string;
  readonly type?: string | undefined;
}): Value | null {
  if (value === 'None') return { kind: 'word', text: 'None' };
  if (value === 'True' || value === 'False') return { kind: 'bool', value: value === 'True' };
  const [, , text] = /^(['"])(.*)\1$/s.exec(value) ?? [];
  if (text === undefined || (type !== undefined && type !== 'str')) return null;
  return { kind: 'string', text: unescaped(text), truncated: false };
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gs,
    (whole, x?: string, u?: string, long?: string, one?: string) => {
      const hex = x ?? u ?? long;
      return hex === undefined
        ? (escapes[one ?? ''] ?? whole)
        : String.fromCodePoint(parseInt(hex, 16));
    },
  );
}
