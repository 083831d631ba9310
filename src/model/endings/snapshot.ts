import type { ProcessorName } from '../processor.ts';

/** What is left of a process that died, or of one that was looked at while it ran. */
export interface Snapshot {
  readonly pid: number;
  readonly processor: ProcessorName;
  /** The signal that ends it; null for a look at a running process. */
  readonly signal: SignalFacts | null;
  /** The thread that died first, else the main one. */
  readonly threads: readonly SnapshotThread[];
  readonly mappings: readonly Mapping[];
  /** Bytes of its memory, not ordered; parts may overlap. */
  readonly memory: readonly MemoryPart[];
  /** Memory in a file (a core), read on demand. */
  readonly stored: readonly StoredPart[];
  /** Null when it is not known which were open. */
  readonly openFiles: OpenFiles | null;
  /** Of hooks: breakpoints of a debugger in the jumps that tracing put at the beginning of functions. */
  readonly breakpoints?: readonly JumpWithBreakpoint[];
  /** What could not be had, in whole sentences. */
  readonly problems: readonly string[];
}

export interface JumpWithBreakpoint {
  /** Of the function. */
  readonly address: bigint;
  /** Where the jump leads with it; null where the breakpoint is what runs. */
  readonly leadsTo: bigint | null;
}

/** What a process had open, without what the instrumentation opened in it. */
export interface OpenFiles {
  /** Ascending by number. `target`: a path, `pipe:[…]`, `socket:[…]`, as /proc shows it. */
  readonly files: readonly { readonly number: number; readonly target: string }[];
  /** Further ones that were not kept. */
  readonly more: number;
}

export interface SignalFacts {
  /** 11 for SIGSEGV. */
  readonly number: number;
  /** si_code: above 0 an instruction caused it, else it was sent. */
  readonly code: number;
  /** si_addr, where an instruction caused it. */
  readonly address: bigint | null;
  /** The process that sent it, where the kernel names one. */
  readonly sender: number | null;
  /** CLOCK_MONOTONIC; null when it is not known. */
  readonly monotonicNs: bigint | null;
}

/** Registers are numbered as DWARF does for the processor, see `Processor.registers`. */
export interface SnapshotThread {
  readonly tid: number;
  readonly name: string;
  /** A thread of the instrumentation, not of the program. */
  readonly isOurs: boolean;
  /** As many words as the processor has; null where the value is not known. */
  readonly registers: readonly (bigint | null)[];
  /** All vector registers, 16 bytes each; null when unknown. */
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
