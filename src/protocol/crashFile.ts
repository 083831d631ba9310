/**
 * The crash file: what the engine writes inside a process that is about to die by a signal, and the
 * daemon reads afterwards. Declared here once; `npm run generate` puts it into native/engine/record.h.
 *
 *   file  = header · chunk · chunk · …           beside the ring file, created and mapped at the start
 *   chunk = head (24 bytes) · payload, padded to 8 bytes
 *   head    0 kind u32 · 4 tid u32 · 8 address u64 · 16 length u32 · 20 flags u32
 *
 * Invariant: `used` counts whole chunks and is raised after each, so what it covers can be read even
 * when the process died while writing. All numbers are little-endian.
 */
export const crashFile = {
  magic: 0x4853415243525453n, // "STRCRASH" little-endian
  version: 2,
  headerBytes: 64,
  chunkBytes: 24,
  /** Room of the file; it is sparse, and takes memory only at a crash. */
  maxBytes: 16 << 20,
} as const;

/** Byte offsets in the header. */
export const crashHeader = {
  magic: 0,
  version: 8,
  pid: 12,
  /** Thread that died. */
  tid: 16,
  /** 0 nothing happened · 1 being written · 2 complete. */
  state: 20,
  /** Bytes of chunks behind the header. */
  used: 24,
  monotonicNs: 32,
  /** Threads that could not be looked at. */
  missedThreads: 40,
  /** Chunks that did not fit or could not be read. */
  missedChunks: 44,
  /** Open files of the program, those that are not kept included. */
  openFiles: 48,
  /** 1: the open files were listed. */
  hasFiles: 52,
  /** e_machine of the processor it runs on. */
  machine: 56,
} as const;

export const crashChunk = {
  /** siginfo_t as the kernel gave it, 128 bytes; `flags` is the signal's number. */
  signal: 1,
  /**
   * General registers and the program counter in the order of DWARF, thread pointer, system call (-1: none), u64 each;
   * flag 1: one of the instrumentation's own threads.
   */
  registers: 2,
  /** All vector registers, 16 bytes each. */
  vectors: 3,
  /** The thread's name. */
  name: 4,
  /** Bytes of the stack at `address`; flag 1: the part at the far end of a long stack. */
  stack: 5,
  /** Bytes that something on the stack points to. */
  memory: 6,
  /** /proc/self/maps. */
  maps: 7,
  /** Target of the link of an open file; `flags` is its number. */
  file: 8,
  /** A hooked function, at `address`, in whose jump a debugger's breakpoint stands: the bytes that are there. */
  breakpoint: 9,
} as const;
