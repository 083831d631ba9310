/** What is left of a process that died, or of one that was looked at while it ran. */
export interface Snapshot {
  readonly pid: number;
  /** The signal that ends it; null for a look at a running process. */
  readonly signal: SignalFacts | null;
  /** The thread that died first, else the main one. */
  readonly threads: readonly SnapshotThread[];
  readonly mappings: readonly Mapping[];
  /** Bytes of its memory, not ordered; parts may overlap. */
  readonly memory: readonly MemoryPart[];
  /** Memory that lies in a file (a core), to be read on demand. */
  readonly stored: readonly StoredPart[];
  /** Open files by number; empty when unknown. */
  readonly files: readonly { readonly number: number; readonly target: string }[];
  /** What could not be had, in whole sentences. */
  readonly problems: readonly string[];
}

export interface SignalFacts {
  /** 11 for SIGSEGV. */
  readonly number: number;
  /** si_code: above 0 an instruction caused it, else it was sent. */
  readonly code: number;
  /** si_addr, where an instruction caused it. */
  readonly address: bigint | null;
  /** CLOCK_MONOTONIC; null when it is not known. */
  readonly monotonicNs: bigint | null;
}

/** Numbers of registers are DWARF's (System V x86-64 ABI §3.6.2): 0..15 general, 16 the program counter. */
export interface SnapshotThread {
  readonly tid: number;
  readonly name: string;
  /** A thread of the instrumentation, not of the program. */
  readonly isOurs: boolean;
  /** 17 words; null where the value is not known. */
  readonly registers: readonly (bigint | null)[];
  /** xmm0..15, 16 bytes each; null when unknown. */
  readonly vectors: Uint8Array | null;
  /** The system call it is in; null when none or unknown. */
  readonly systemCall: number | null;
}

export interface Mapping {
  readonly start: bigint;
  /** Exclusive. */
  readonly end: bigint;
  /** `rwxp` as in /proc/pid/maps. */
  readonly protection: string;
  readonly offset: bigint;
  /** A file, `[stack]`, `[heap]`, or empty. */
  readonly path: string;
  /** The file was removed or replaced since it was mapped. */
  readonly isDeleted: boolean;
}

export interface MemoryPart {
  readonly address: bigint;
  readonly bytes: Uint8Array;
}

const deletedMark = / \(deleted\)$/;

export interface StoredPart {
  readonly address: bigint;
  readonly length: number;
  readonly path: string;
  readonly offset: number;
}

/** One line of /proc/pid/maps; null when it is none. */
export function parseMapping(line: string): Mapping | null {
  const match = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ \d+ *(.*)$/.exec(line);
  if (match === null) return null;
  const [, start = '', end = '', protection = '', offset = '', path = ''] = match;
  return {
    start: BigInt(`0x${start}`),
    end: BigInt(`0x${end}`),
    protection,
    offset: BigInt(`0x${offset}`),
    path: path.replace(deletedMark, ''),
    isDeleted: deletedMark.test(path),
  };
}

export function mappingOf(mappings: readonly Mapping[], address: bigint): Mapping | null {
  return mappings.find((row) => address >= row.start && address < row.end) ?? null;
}
