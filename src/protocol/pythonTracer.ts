/**
 * What the daemon tells the tracer inside a Python process (native/python), and what that answers. Declared here
 * once; `npm run generate` derives native/python/table.h from it.
 *
 *   table    = u32 files · file … · u32 rules · rule … · u32 places · place … · u32 raises ·
 *              raise …     numbers are little-endian, nothing is padded
 *   file     = text of its absolute path · u32 functions · function …
 *   function = text of its name · text of its qualified name in its module · u32 line of its first decorator, or of
 *              itself · u32 line · u32 column · u32 offset of its definition in characters · u32 every · u32 first ·
 *              u32 depth · u32 levels · u64 least ns · code of `when` · code of `start` · code of `stop` · code of
 *              `whenReturn` · u32 watches · watch …
 *   watch    = u32 number · u32 bits of `watchAt` (record.ts) · code
 *   rule     = u32 every · u32 first · u32 depth · u64 least ns · u32 tokens · i32 token … of a NameProgram: of functions
 *              that the program makes from texts that lie in no file
 *   place    = text of an absolute path · text of a name · text of a qualified name in its module (`<module>`: the code of
 *              the module) · u32 line of its first decorator, or of itself · u32 sites · site …
 *   site     = text: its key · text of its name · text: JSON of `TracedProbe` · u32 line · u32 column · u32 offset ·
 *              u32 after · u32 every · u32 most · u32 levels · u32 1: it is asked where calls return · u32 1: the
 *              thread stops there · text: the key of an invariant, or an empty one · code of its condition · u32 values
 *              · (text · code) …
 *   raise    = text: its key · text of a type, empty: any · u32 1: where nothing caught it, else where it comes to code of
 *              no library · u32 after · u32 every · u32 most
 *   text     = u32 length · UTF-8 bytes
 *   code     = u32 length · operations; of length 0 there is no condition
 *
 * `every`, `first`, `depth`, `least` are those of a CallPolicy; `levels`: how deep values are kept, 0: as usual.
 *
 * An operation is a byte of `pythonOperation` with what it says behind it. Operands come first and lie on a stack.
 * Each is an object, a number, or unknown; a condition that is unknown in the end counts as met. No code of the
 * program runs: an attribute is one that its object has in its own memory, an element one of a built-in container.
 *
 * A sample of a watch is a record of kind `watch` (record.ts) with the flag `tree` alone: the address of what holds the
 * value (a dictionary, a cell, an object; 0: it belongs to the call), then the value (model/values/dynamicValue.ts).
 *
 * The notes file holds lines: a word of `pythonNote`, a blank, a text.
 *
 * A thread that stops connects to the socket of the daemon, says where it stands (native/python/stops.c), and then
 * does what it is asked; frames in both directions are u32 length · bytes:
 *
 *   evaluate = u32 · task · u32 number of a frame · code: answered by the value's bytes in hexadecimal; none: it is not
 *              known
 *   run      = u32 · u32 number of a frame · text of the language: answered by a word of `pythonRun` with what it came to
 *              (native/python/runs.h)
 *   look     = u32 · task: answered by its frames, as with the stop; of a task that does not live any more by nothing
 *   task     = u64 address of a task that is suspended · u64 address of its coroutine; 0: the thread itself is meant
 *   step     = u32 · u32 of `pythonStep` · u32 line · text of an absolute path (both of `until`): the thread runs on
 *   go       = u32: the thread runs on, as it does when the connection ends
 */
export const pythonOperation = {
  /** i64 */
  integer: 1,
  /** f64 */
  decimal: 2,
  /** text */
  text: 3,
  none: 4,
  true: 5,
  false: 6,
  /** u8 index of a parameter */
  argument: 7,
  /** text: its name */
  attribute: 8,
  element: 9,
  length: 10,
  contains: 11,
  isNone: 12,
  not: 13,
  negative: 14,
  invert: 15,
  both: 16,
  either: 17,
  equal: 18,
  less: 19,
  lessOrEqual: 20,
  add: 21,
  subtract: 22,
  multiply: 23,
  divide: 24,
  remainder: 25,
  shiftLeft: 26,
  shiftRight: 27,
  bitAnd: 28,
  bitOr: 29,
  bitXor: 30,
  /** What the call returns. */
  result: 31,
  /** text: a variable of a function outside, a global of the module, or a module */
  variable: 32,
  /** text: a variable of the function itself, or one of a function outside that it uses */
  local: 33,
  /** text: what its name means in a frame that stands still: `local` where its function has such a variable, else `variable` */
  named: 34,
  /**
   * u8 1: it means the first element that does not meet the test, else whether all do · u8 1: the last one, which none
   * follows, is not asked · code (u32 length · operations) of the step · code of the test. The operand is the first element.
   */
  forall: 35,
  /** In a step or test: the element. */
  item: 36,
  /** In a test: the one that follows it. */
  following: 37,
} as const;

/** What a thread that stands still is asked. */
export const pythonAsk = { go: 0, evaluate: 1, step: 2, run: 3, look: 4 } as const;

/** What running a text came to: a value, statements that ended, an exception. */
export const pythonRun = { value: 'v', done: 'd', raised: 'e' } as const;

export const pythonStep = { over: 0, into: 1, out: 2, until: 3 } as const;

/** Names of threads that the tracer begins. `speaker`: it says where a thread stands that is paused in native code. */
export const pythonThread = { speaker: 'strobe-speaker' } as const;

/** Most operands that lie on the stack. */
export const pythonStack = { most: 64 } as const;

/** What became of an interpreter that was to be traced; the order is that of native/python/api.h. */
export const pythonProblems = [
  'fits',
  'noSymbols',
  'unknownVersion',
  'freeThreaded',
  'patched',
  'noEngine',
] as const;

export type PythonProblem = (typeof pythonProblems)[number];

export const pythonNote = {
  /** The version. Its functions are recorded from now on. */
  started: 'started',
  /** The path of a source file whose module was run. */
  module: 'module',
  /** It cannot be traced: one of `pythonFailure`. */
  failed: 'failed',
  /** Nothing caught an exception of the main thread: native/python/line.h says how. */
  uncaught: 'uncaught',
  /** A signal ends the process: native/python/line.h says how. */
  crashed: 'crashed',
  /** What became of a breakpoint: its key, a blank, a word of `pythonSite`. */
  site: 'site',
  /** Only running code of the program could decide a condition; of what: a function, or a breakpoint by its label. */
  undecided: 'undecided',
  /** The program took the profile hook over. */
  profiler: 'profiler',
  /** The program has the trace function: up to Python 3.11 there are no hits in its thread. */
  tracer: 'tracer',
  /** A thread came to breakpoints of these keys and could not stop there: the daemon was not reached. */
  unheld: 'unheld',
  /** A text that the program was given to run came to its end; of an exception: its text, else nothing. */
  ran: 'ran',
} as const;

export const pythonFailure = {
  /** Other tools have all six ids of sys.monitoring. */
  noToolId: 'noToolId',
  /** sys.monitoring refused something. */
  refused: 'refused',
} as const;

/** What became of a breakpoint. */
export const pythonSite = {
  bound: 'bound',
  /** The code that runs has no instruction in its line. */
  noLine: 'noLine',
  /** The file was edited since its module was run: lines are others. */
  edited: 'edited',
} as const;
