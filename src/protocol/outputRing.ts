/**
 * The output file: what an attached process writes to its descriptors 1 and 2, as the engine sees
 * it and the daemon reads it. Declared here once; `npm run generate` derives native/engine/record.h.
 *
 *   file = header (one page) · `bytes` of records, as a ring
 *
 * The records are those of the keeper's output log (src/protocol/keeper.ts: stdout, stderr, clock,
 * lost), each padded to a multiple of 8; one that reaches the ring's end goes on at its beginning.
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
