import type { IndexedPart } from '../dwarf/splitFiles.ts';
import type { NameTree } from '../names/nameTree.ts';
import type { TextTable } from '../names/textTable.ts';

/**
 * The functions of one ELF file, in parallel typed arrays sorted by address; small enough to be read
 * from disk at once.
 *
 *     row      0        1        2
 *     address  0x1139   0x1150   0x11a0
 *     name     3        4        4       ───▶ nameTree
 *     file     1        1        0 = none
 *
 * Two rows may share an address (aliases, folded code) or a name (overloads). Parameters and types are
 * not here: they are read from the debug information of the few functions that are asked for.
 */
export interface ModuleIndex {
  readonly facts: IndexFacts;
  readonly addresses: Float64Array;
  readonly sizes: Uint32Array;
  readonly names: Uint32Array;
  /** Offset of the function's entry in .debug_info; -1 for one known by its symbol only. */
  readonly entries: Float64Array;
  /** 1 + number of the linkage name among `linkage`, where the entry does not give it; else 0. */
  readonly symbols: Uint32Array;
  /** 1 + number of the path among `files`; 0 = unknown. */
  readonly fileNumbers: Uint32Array;
  readonly lines: Uint32Array;
  readonly flags: Uint8Array;
  readonly nameTree: NameTree;
  readonly files: TextTable;
  readonly linkage: TextTable;
  /** By number of a name: 1 + number of the file that declares the inlined function; 0 = unknown. */
  readonly nameFiles: Uint32Array;
  /** Inlined calls, grouped by name: number of the name, row of the caller, how often. */
  readonly inlinedNames: Uint32Array;
  readonly inlinedCallers: Uint32Array;
  readonly inlinedSites: Uint32Array;
}

/** What is known of the whole file. */
export interface IndexFacts {
  readonly buildId: string | null;
  readonly debugInfo: 'dwarf' | 'symtab' | 'none';
  readonly dwarfVersion: number | null;
  readonly languages: readonly string[];
  readonly loadAddress: number;
  /** See elf/goModules.ts. */
  readonly goPrefixes: readonly string[];
  /** Functions that are chosen among others when the file is loaded (IFUNC). */
  readonly indirect: readonly IndirectFunction[];
  /** Files beside the program and its separate one that it was made from, as they were then. */
  readonly parts: readonly IndexedPart[];
  /** Whole sentences about what could not be read. */
  readonly problems: readonly string[];
}

export interface IndirectFunction {
  readonly name: string;
  /** Where the functions begin that its resolver names, as far as they have names. */
  readonly choices: readonly number[];
  /** How many others it names. */
  readonly unknown: number;
}

/** Bits of `flags`. */
export const functionFlag = {
  /** The compiler made a copy with other parameters (`.isra`, `.constprop`). */
  changedSignature: 1,
  /** Not only its own unit calls it, so it is called as the convention says. */
  visible: 2,
  /** Found by its call frame only, and named by its address. */
  nameless: 4,
  /** Code of Go: its runtime moves stacks and reads return addresses. It is traced from outside. */
  go: 8,
  /** Nothing says that it is called as C functions are. */
  foreign: 16,
} as const;

/** By number of a name: 1 when a function with code has it. */
export function namesWithCode(index: ModuleIndex): Uint8Array {
  const marks = new Uint8Array(index.nameTree.parents.length);
  for (const name of index.names) marks[name] = 1;
  return marks;
}

/** By number of a name: 1 when a function has it, 0 when it is only what others lie in. */
export function namesOfFunctions(index: ModuleIndex): Uint8Array {
  const marks = namesWithCode(index);
  for (const name of index.inlinedNames) marks[name] = 1;
  return marks;
}
