/**
 * The ring file: what the engine writes inside the target and the daemon reads as a file.
 * Declared here once; `npm run generate` derives native/engine/record.h from it.
 *
 *   file   = file header (one page) · slot 0 · slot 1 · …        one file per process; a forked
 *            child makes its own beside its parent's, `<first process's file>.<pid>.<n>`, and counts it
 *            in the folder's family file
 *   slot   = slot header · rings                                one slot per live thread
 *   record = head (32 bytes) · 0..n continuations (32 bytes each)
 *
 *   head          0 tsc u64 · 8 sp u64 · 16 word u64 · 24 tag u32 · 28 mark u32
 *   continuation  0 payload [24] · 24 unused u32 · 28 mark u32
 *
 *   tag  = function number (20 bits) | continuations << 20
 *   mark = (low 32 bits of the record's ring position, a multiple of 32) | kind
 *
 *   function numbers below `localFunctions` are hooks of native code, the same in all processes of a session; those
 *   from there on are of one process, whose definitions file says what they mean (definitions.ts)
 *
 *   sp   = of a native call, the address of its return address: the enter and the end of one frame carry the same;
 *          a call that begins by a tail call carries that of the frame it took over; of a jump (which has no
 *          function) the stack pointer it sets, its payload: that before it, and where the signal stack that it
 *          leaves begins and ends
 *        = of a local function, the activation: any number of 53 bits that no other open or suspended activation of
 *          the process has; it may be used again after the end, but not where activations resume on other threads:
 *          what one thread knows of a number, another may have ended
 *
 *   kind      payload of a local function's record (values as in model/values/dynamicValue.ts)
 *   enter     a value for each parameter
 *   return    the value; of an activation that waits as it has returned a promise: the value of that
 *   unwound   the exception that left the activation; of such a one: what the promise was rejected with
 *   suspend   the value that was yielded or awaited, or the promise that was returned; the activation leaves the
 *             thread and is not over
 *   resume    the value that was sent; the activation continues, on any thread
 *   throwIn   the exception thrown into it; the activation continues with it
 *   raise     the exception that was raised in it, then a word: the line, 0 if that is unknown
 *   handled   the exception that it caught, then the same
 *   context   (no function) sp = the strand that runs on this thread from now on, 0: the thread; its word is its kind
 *
 * Invariants: only the owning thread writes a slot; it reserves by adding to `position`, fills
 * the record and stores `mark` last, so a record whose mark does not fit its position was
 * overwritten or never completed. The first payload word is in `word`, the rest in the continuations. The
 * writer never waits: the oldest records are overwritten, and the reader counts them from `position`.
 *
 * A thread continues in a larger ring of its slot when too much of the one it has is not stored yet, and
 * back in the first one later (native/engine/grow.c). `places` say from which position on which ring is
 * written: the place of a position is the one that begins last of those that begin at or before it. A
 * ring that was left keeps what it holds until all of it was stored.
 *
 * A reader that finds nothing for a while sets `asleep`, in the file and in each live slot, watches
 * the file (inotify), looks once more and sleeps. Who writes a record into a slot with `asleep`, or
 * takes a slot of such a file, clears it and touches the file's times: one system call for a silence.
 */
import { fromOutside } from './fromOutside.ts';
import { goArm } from './goArea.ts';

export const record = {
  magic: 0x5245424f525453n, // "STROBER" little-endian
  version: 8,
  bytes: 32,
  kindMask: 31,
  functionBits: 20,
  maxFunctions: 65536,
  /** From this number on functions are local to their process. */
  localFunctions: 65536,
  /** The last function numbers are those of tapped functions, see outputRing. */
  maxTaps: 16,
  maxOps: 16,
  /** Of all walks of a process, see walkStep. */
  maxSteps: 262144,
  continuationPayload: 24,
  /** A forked child's rings are this large at first and at most, and all of a session's together take so much, or less. */
  forkedRingBytes: 262144,
  forkedMostBytes: 67108864,
  forkedBytes: 268435456,
  /** So many forked children leave a crash file. */
  forkedCrashes: 8,
} as const;

export const fileHeader = {
  bytes: 4096,
  magic: 0,
  version: 8,
  pid: 12,
  slotCount: 16,
  /** Of a thread's first ring. */
  ringBytes: 20,
  slotStride: 24,
  /** How many slots were ever used; the reader looks no further. */
  usedSlots: 32,
  /** Enter events of threads that got no slot. */
  lostNoRing: 40,
  lostNoMemory: 48,
  /** Clock anchor taken when the engine started. */
  anchorTsc: 56,
  anchorMonotonicNs: 64,
  /** The nearest ancestor that records: 0 in the file of a process we were brought into. */
  parent: 72,
  /** Bytes that slots of a forked child's file took. */
  taken: 80,
  /** Rows of each slot's table of counted calls that are in use. */
  countedRows: 88,
  /** The reader waits to be woken. */
  asleep: 96,
  /** Not 0: the process can wake the reader. It cannot from a sandbox, or where the file is out of its reach. */
  wakes: 100,
  /** Entries in the definitions file. */
  definitions: 104,
  /** The first local function number that this process may define: those below are its parent's. */
  functionBase: 112,
  /** Who writes, from outside (`strandsOf`); 0: an engine. */
  strands: 116,
  ...fromOutside,
} as const;

/**
 * What all forked children of a session share: a page beside the rings that traced processes map and children inherit.
 */
export const familyFile = {
  name: 'family',
  bytes: 4096,
  magic: 0x594c494d4146n, // "FAMILY" little-endian
  at: {
    magic: 0,
    /** The reader waits for the next forked child that records; as in a ring file. */
    asleep: 8,
    wakes: 12,
    /** Rings that forked children made; children that got none; entries of those. */
    rings: 16,
    without: 24,
    lost: 32,
    /** Bytes their slots took, and how many of them the reader gave back. */
    taken: 40,
    givenBack: 48,
    /** Crash files they made. */
    crashes: 56,
  },
} as const;

export const slotHeader = {
  bytes: 8192 + 1024 * 64,
  /** Bytes ever reserved. Goes on over generations, so that an old record never looks new. */
  position: 0,
  /** The next record wakes the reader. */
  asleep: 8,
  /** Bytes of `waiting` in use; with `asleep` one word, so that a call looks at both at once. */
  waitingBytes: 12,
  state: 16,
  tid: 20,
  /** Raised at each reuse of the slot by another thread. */
  generation: 24,
  /** Bytes of the ring in use, less one; `ringBase`: where it begins behind the header. */
  ringMask: 28,
  /** Written by the reader after the commit: what is below was stored. */
  consumed: 32,
  name: 40,
  nameBytes: 16,
  /** Events ever written in this slot, over all generations: with what was read, the exact loss. */
  events: 56,
  ringBase: 64,
  /** In no order, see ringPlace; those that are not needed any more are used again. */
  places: 72,
  placeCount: 7,
  /** The engine's own: what of each larger ring is backed with memory (from u32 · bytes u32), and since when. */
  filled: 184,
  filledCount: 8,
  grownAt: 248,
  /** Calls that are recorded only if they take long enough, the oldest first: see waitingCall. */
  waiting: 256,
  waitingRoom: 3264,
  /** How many of `nested` are in use: stack pointers of open calls whose depth is limited, the outermost first. */
  nestedCount: 3520,
  nested: 3528,
  maxNested: 64,
  /** The engine's own: how far the thread's records were looked at for hot functions. */
  checked: 4040,
  /** The engine's own: where captured values of one call are put together. */
  scratch: 4096,
  /** The table of counted calls; it continues behind `bytes`, and the rings begin behind it. */
  counted: 8192,
} as const;

/** Where records lie from a position on. `start`: that position | log2 of the ring's bytes; 0: there is none. */
export const ringPlace = { bytes: 16, start: 0, base: 8, log2Mask: 31 } as const;

/**
 * An entry that is not in the ring yet, followed by its captured words. `least`: once it has lasted so
 * many cycles it will be written, whatever comes; 0: that is not known before it ends.
 */
export const waitingCall = { bytes: 32, tsc: 0, sp: 8, fn: 16, words: 20, least: 24 } as const;

/**
 * Calls that left no records: those of a hot function which sampling passed over. A function whose calls may be so has
 * a row of this form in each slot, at the same place in all; row 0 is nobody's. Only the owning thread writes it, and
 * it counts on over generations of the slot. Times are in cycles.
 */
export const countedRow = {
  bytes: 64,
  /** So many rows lie within `slotHeader.bytes`, and are backed with memory at a time beyond. */
  count: 1024,
  /** Function number, valid once `calls` is above 0. */
  fn: 0,
  /** Calls still to be passed over before one is recorded. */
  left: 4,
  calls: 8,
  /** Of `calls`: those that have ended. */
  timed: 16,
  total: 24,
  /** The shortest, all its bits inverted: of zeros, nothing is known. */
  leastInverted: 32,
  most: 40,
  /** When the last call began. */
  last: 48,
  /** The engine's own: when a call was recorded last, while the function was hot. */
  recorded: 56,
} as const;

/**
 * Every so many bytes a ring's latest events are looked at for hot functions.
 * @public for the generated header
 */
export const hotCheck = { bytes: 1 << 15, stride: 61 } as const;

/** Life of a slot. Engine: free → live → ended. Reader, when all is read: ended → free. */
export const slotState = { free: 0, live: 1, ended: 2 } as const;

/**
 * How a captured value is fetched at the entry. Op u64 = kind | index << 8 | size << 16 | where << 32; `where` of a holding object =
 * offset of the pointer (12 bits) | offset of the length << 12 (12 bits) | bytes of an element << 24, 0: the length is the address of the end.
 */
export const captureOp = {
  /** index 0..5 = rdi rsi rdx rcx r8 r9; 8 bytes. */
  integer: 1,
  /** index 0..7 = xmm0..7; 8 bytes. */
  float: 2,
  /** index-th 8-byte word of stack arguments. */
  stack: 3,
  /** C string whose pointer is integer register `index`; at most `size` bytes. */
  stringInteger: 4,
  /** C string whose pointer is the index-th stack word; at most `size` bytes. */
  stringStack: 5,
  /** What the object at the address in integer register `index` holds; at most `size` bytes. */
  heldInteger: 6,
  /** The same for the address in the index-th stack word. */
  heldStack: 7,
  /** An object of two words: its pointer in integer register `index`, `where`'s low 12 bits the register of its length; bit 12: of parts (struct iovec), 13: of a msghdr. */
  heldPair: 8,
  /**
   * A value of any type with what it leads to, see walk.ts; at most `size` bytes. `where` = index
   * of the walk's first step (20 bits) | bytes of the value itself << 20. Here the value is in
   * registers: the low 4 bits of `index` say which holds its first bytes, the high ones which
   * the others: integer registers as above, 8..15 = xmm0..7, the same again: none. Of the bytes' 12 bits
   * 5 say how many, 4 where the others begin.
   */
  walkRegisters: 9,
  /** The value is among the stack arguments, from the index-th word on. */
  walkStack: 10,
  /** The value is at the address in integer register `index`. */
  walkInteger: 11,
  /** The same for the address in the index-th stack word. */
  walkAddress: 12,
  /** Of Go: it is in integer registers from the index-th on, a word in each. */
  walkWords: 13,
} as const;

/**
 * What a return leaves; `held`: what the object at the returned address holds, `heldPair`: an object in rax and rdx, both as `returnOp`'s `where` says. `walk`: the value that `returnOp` says,
 * a capture operation; its registers are 0 = rax, 1 = rdx, 2 = st0 (10 bytes), 8 = xmm0, 9 = xmm1, and `walkInteger` 0 means the address in rax. Of it and of `held` register 8 means where the caller asked for the result.
 * `outcome`: four bytes, and above them errno where they are -1. `filled`: the buffer whose address `returnOp`'s second byte says a register of,
 * the third 1 + that of its length's address, 0: the result is the length; where that is negative its outcome; fourth 1: the outcome, then a socket address; 2: parts (struct iovec), 6: of a msghdr.
 */
export const captureReturn = {
  none: 0,
  integer: 1,
  float: 2,
  string: 3,
  held: 4,
  heldPair: 5,
  walk: 6,
  outcome: 7,
  filled: 8,
} as const;

/**
 * One row of the table handed to the engine's arm call: address u64 · size u32 · function u32 · stackBytes u16 ·
 * stringBytes u16 · returnKind u8 · opCount u8 · flags u8 · next u8 (bytes to the next known function, 0: far) ·
 * returnOp u64 · ops u64[maxOps]
 */
export const armEntry = {
  bytes: 32 + 16 * 8,
  address: 0,
  size: 8,
  fn: 12,
  stackBytes: 16,
  /** As `stackBytes`: only the caller knows, and the function is entered without a frame. */
  openStack: 0xffff,
  stringBytes: 18,
  returnKind: 20,
  opCount: 21,
  flags: 22,
  next: 23,
  returnOp: 24,
  ops: 32,
  /**
   * Flag of a statement in the middle of a function. `size`: bytes to the function's end. returnOp = bytes from its beginning |
   * landing pads << 32 | beginnings of other rows of the line table << 40, a bit for each of the bytes behind the statement's
   * first. ops: other ranges of the function's code, each an address and its bytes. `byTrap`: and only its island is made.
   */
  isProbe: 1,
  byTrap: 2,
  hasFloats: 2, // of Go
  ...goArm,
} as const;

/** One row of the table of the engine's policy call: function u32 · every u32 · first u32 · words u32 · code u64[maxWords] */
export const policyEntry = {
  bytes: 48 + 4 * 30 * 8,
  fn: 0,
  /** One call in so many leaves its records; 0: all do, until the function is hot. */
  every: 4,
  /** So many calls leave records, those after them do not; 0: no such end. */
  first: 8,
  /** Of `code`, 0: no condition. */
  words: 12,
  /** Shorter calls leave no records, unless calls inside them do; nanoseconds. */
  least: 16,
  /** No records beyond so many open recorded calls of functions with such a limit; 0: no limit. */
  depth: 24,
  /** A call starts the recording of the process, or stops it: startTrigger | stopTrigger. */
  triggers: 28,
  startWords: 32,
  stopWords: 36,
  /** Of `returnCode`, 0: no condition. */
  returnWords: 40,
  code: 48,
  /** Of a call that starts, and of one that stops: 0 words, any. */
  startCode: 288,
  stopCode: 528,
  /** What is decided where a call returns; till then its entry waits. */
  returnCode: 768,
  maxWords: 30,
  startTrigger: 1,
  stopTrigger: 2,
} as const;

/**
 * A condition as the engine decides it at an entry: a stack machine over whole numbers from -2^63 to 2^64 - 1, each of
 * which may be unknown. Word = operation | index << 8 | bytes << 16 | signed << 24 | offset << 32. What cannot be known
 * (memory that cannot be read, division by zero, a result beyond these numbers) is unknown, and a condition that is
 * unknown in the end counts as met. Floating-point numbers are compared by keys that are ordered as they are; a NaN is
 * neither less than anything nor equal to it. A text that is null equals nothing and contains nothing.
 */
export const condition = {
  /** The next word; of this and what is read of registers and memory `signed` says how. */
  constant: 1,
  /** Integer register `index`, of which `bytes` count. */
  integer: 2,
  /** The `index`-th stack word and `offset`, of which `bytes` count. */
  stack: 3,
  /** The key of the number of `bytes` in floating-point register `index`. */
  float: 4,
  /** Of the address on top: `bytes` at `offset` from there. */
  load: 5,
  /** The same as the key of a floating-point number. */
  loadFloat: 6,
  /** The length of the text at the address on top. `offset`: 0: a C string, else where an object holds it, as `where` of captureOp, above 0 by its top bit. */
  length: 7,
  /** Whether that text equals the one of `index` bytes in the next words. */
  equalsText: 8,
  /** Whether it contains it. */
  containsText: 9,
  /** The bits of the number in floating-point register `index`, as they are. */
  vector: 10,
  /** The thread pointer. */
  thread: 11,
  /** The number on top where 64 bits hold it, `signed` or not; else it is unknown. */
  fits: 12,
  /** The address of the `index`-th stack word. */
  stackAddress: 13,
  /**
   * The address of a copy of a value that was passed in registers: `index` as that of captureOp.walkRegisters, `bytes`
   * where the second register's begin (at most 8), `offset` which copy (below `copies`). Where the call returns: integer
   * registers 3 and 4 are rax and rdx, 8 and 9 xmm0 and xmm1; `integer` and `float` count alike.
   */
  passed: 14,
  add: 16,
  subtract: 17,
  multiply: 18,
  divide: 19,
  remainder: 20,
  shiftRight: 21,
  less: 22,
  lessOrEqual: 23,
  shiftLeft: 24,
  bitAnd: 25,
  bitOr: 26,
  bitXor: 27,
  equal: 28,
  both: 29,
  either: 30,
  not: 31,
} as const;

/**
 * A watch as the engine samples it: code of the form of `condition` that leaves a number, or with `text` the address of a
 * text, with `tree` that of a value of any type. `load` with `direct` reads memory of the program that is always there.
 * number u16 · at u8 · form u8 · words u32 · where u32 · limit u32 · code u64[maxWords]
 *
 * The table of the engine's watch call: watches · sets (`setBytes`: count u32 · indexes of watches u16 [most] · padding) ·
 * functions (number u32 · index of its set u32). It replaces the one before.
 *
 * A sample is a record of kind `watch`, behind the one of the entry or before that of the return it belongs to, with the same sp.
 * Its tag holds number | flags << watchNumberBits (model/eventColumns) in place of a function; its payload the number and with
 * `address` that of its memory; with `text` the address, then the text (`tree`: the value) as captured ones are; with `unreadable` the address alone that could not be read, all ones where all was read and there is no value.
 */
export const watchEntry = {
  bytes: 16 + 40 * 8,
  number: 0,
  at: 2,
  form: 3,
  words: 4,
  /** Of a text: where its object holds it, as `where` of captureOp; 0: a C string. With `tree` the value's first walk step. */
  where: 8,
  /** Most bytes of a text, bytes of the value itself with `tree`. */
  limit: 12,
  code: 16,
  maxWords: 40,
  setBytes: 72,
  most: 32,
  mostWatches: 4096,
} as const;

export const watchAt = { enter: 1, return: 2 } as const;
/** Values in registers that one expression may name. */
export const conditionCopies = { count: 4, bytes: 16, result: 3, second: 4 } as const;

/** Bit of `load` beside its bytes. */
export const loadDirect = 1 << 25;

/**
 * The output file: what an attached process writes to its descriptors 1 and 2, as the engine sees
 * it and the daemon reads it.
 *
 *   file = header (one page) · `bytes` of records, as a ring
 *
 * The records are those of the supervisor's output log (src/protocol/supervisor.ts: stdout, stderr, clock,
 * lost), each padded to a multiple of 8; one that reaches the ring's end continues at its beginning.
 *
 * Invariants: one writer at a time (a lock inside the process), one reader. The writer raises
 * `written` when a record is whole, the reader `read` when it has stored it; both count bytes
 * from the beginning. What does not fit is dropped, and a `lost` record stands in its place.
 */
export const outputRing = {
  magic: 0x54554f424f525453n, // "STROBOUT" little-endian
  version: 1,
  headerBytes: 4096,
  /** A power of two; memory is taken as it is used. */
  bytes: 4 << 20,
} as const;

/** Byte offsets in the header. */
export const outputRingAt = {
  magic: 0,
  version: 8,
  pid: 12,
  bytes: 16,
  written: 24,
  read: 32,
  /** Bytes dropped that no `lost` record tells of yet. */
  dropped: 40,
  /** What the process is about to end with: exit code | exitKnown. */
  exit: 48,
  /** As in the ring file. */
  asleep: 52,
  wakes: 56,
} as const;

export const outputRingExit = { known: 0x100 } as const;

/** How a tapped function of libc says what it writes; by name in `tappedFunctions`. */
export const tapShape = {
  /** (descriptor, bytes, count, …) */
  flat: 1,
  /** (descriptor, iovec, count, …) */
  vector: 2,
  /** (descriptor, msghdr, …) */
  message: 3,
} as const;

/** Every way out of libc that bytes take; the agent taps those a C library has. At most 8. */
export const tappedFunctions = {
  write: tapShape.flat,
  writev: tapShape.vector,
  pwrite64: tapShape.flat,
  pwritev64: tapShape.vector,
  pwritev64v2: tapShape.vector,
  send: tapShape.flat,
  sendto: tapShape.flat,
  sendmsg: tapShape.message,
} as const;
