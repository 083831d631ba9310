/** As Node calls them. */
export type ProcessorName = 'x64';

/** What differs between processors where registers and system calls are shown and functions are hooked. */
export interface Processor {
  readonly name: ProcessorName;
  /** e_machine of its ELF files. */
  readonly machine: number;
  /** By their numbers in a snapshot: DWARF's, the last is the program counter. */
  readonly registers: readonly string[];
  readonly stack: number;
  readonly frame: number;
  /** Vector registers of a snapshot, 16 bytes each. */
  readonly vectors: number;
  /** The numbers of an exception file's registers, in its order; null: not saved. */
  readonly raised: readonly (number | null)[];
  /** Bytes at the beginning of a function that its hook takes the place of. */
  readonly replacedBytes: number;
  /** Those that threads are found waiting in, by their number. */
  readonly systemCalls: ReadonlyMap<number, string>;
}
