/**
 * Where conditions of Go find what a call was passed: as stack words, since all its registers are in memory when
 * they are decided. Integer registers are the first; `arguments`: the same at the entry of a call that returns.
 */
export const goArea = { stackPointer: 11, vectors: 19, arguments: 49 } as const;

/** Flags of the rows (armEntry) of those functions of Go's runtime by which goroutines wait and leave calls; `parks` is set in all. */
export const goArm = {
  parks: 4,
  callsSystem: 8,
  /** It begins to leave calls: a panic, runtime.Goexit. */
  leavesCalls: 16,
  /** It begins a panic. */
  raises: 32,
  /** Where it returns a value it recovers a panic. */
  recovers: 64,
  /** It ends the program because of a panic. */
  ends: 128,
  /** It calls a function of C. */
  callsC: 8 + 64,
  /** A function of C that it called has returned. */
  leavesC: 8 + 128,
  /** It may set a filter of system calls; also of C. */
  filters: 64 + 128,
} as const;
