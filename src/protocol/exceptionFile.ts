/**
 * The exception file: what the engine writes inside the processes of a session, and in their forked children, which
 * may outlive them, when an exception is raised or caught. Declared here once; `npm run generate` puts it into
 * native/engine/record.h.
 *
 *   file   = header (one page) · `bytes` of records, as a ring, beside the ring files
 *   record = head (192 bytes) · type · message · stack; each padded to 8 bytes
 *   maps   = head · lines of /proc/self/maps, before the first record and after libraries came
 *
 * Invariants: one writer at a time (a lock in the header, of the process that holds it), one reader.
 * `written` is raised when a record is whole, `read` when the reader has stored it; both count bytes
 * from the beginning. What does not fit is not recorded: `seen` counts every exception raised.
 */
export const exceptionFile = {
  magic: 0x5752_4854_4252_5453n, // "STRBTHRW" little-endian
  version: 2,
  headerBytes: 4096,
  /** A power of two; memory is taken as it is used. */
  bytes: 8 << 20,
  /** Function numbers of the hooked functions of the unwinder and the run-time libraries. */
  maxHooks: 12,
  /**
   * A process records so many exceptions in a turn of 2^`turnShift` cycles, about a second; of those beyond one of
   * `thinning`, as far as `mostPerTurn`.
   */
  turnShift: 31,
  wholePerTurn: 100,
  thinning: 100,
  mostPerTurn: 10_000,
  typeBytes: 256,
  messageBytes: 512,
  /** Of a value that is walked. */
  walkedBytes: 1024,
  stackBytes: 16384,
} as const;

/** Byte offsets in the header. */
export const exceptionHeader = {
  magic: 0,
  version: 8,
  lock: 16,
  written: 24,
  read: 32,
  /** Exceptions raised; and how many of them are not recorded. */
  seen: 40,
  unrecorded: 48,
  /** The reader sleeps: the next record is to touch the file's times. */
  asleep: 56,
  /** Whether that can be done. */
  wakes: 60,
} as const;

/** Byte offsets in a record's head. Registers are those of `Processor.raised`. */
export const exceptionHead = {
  bytes: 192,
  length: 0,
  kind: 4,
  time: 8,
  pid: 16,
  tid: 20,
  /** Address of the unwinder's header: the same for raising and catching. */
  exception: 24,
  /** The vendor's and the language's letters. */
  language: 32,
  typeBytes: 40,
  messageBytes: 44,
  stackBytes: 48,
  /** What the message is, an `exceptionMessage`. */
  message: 52,
  registers: 56,
} as const;

/**
 * Of a record, but for two that are of a hook only. `began`: a thread begins, and gets a stack for its signals.
 * `jumped`: glibc's longjmp, whose record lies in the thread's ring.
 */
export const exceptionKind = { raised: 1, caught: 2, maps: 3, began: 4, jumped: 5 } as const;

/** What the message of an exception is. */
export const exceptionMessage = {
  none: 0,
  /** What the library keeps for `what()`, or the payload of a panic. */
  known: 1,
  /** A text found in the object. */
  found: 2,
  /** The value itself, 8 bytes. */
  value: 3,
  /** Of Go: the value as walks copy it (walk.ts), of the type that runtime.gopanic takes. */
  walked: 4,
  /** Of the end of a panic of Go: where in the stack the frame of the function that continues ends, as ring records have it; 8 bytes. */
  frame: 5,
} as const;
