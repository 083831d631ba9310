import type { Problem } from '../problem.ts';
import type { Depth } from '../values/shape.ts';
import type { Parameter, Place, ValueType } from '../values/valueType.ts';

/** A function with code of its own, as a resolver found it. */
export interface FoundFunction {
  /** Absolute path of the ELF file that holds the code. */
  readonly module: string;
  /** Qualified, demangled, without parameters or Rust hash: `bank::Account::deposit`. */
  readonly name: string;
  /** With parameter types where known: `bank::Account::deposit(long)`; else equal to `name`. */
  readonly signature: string;
  /** As the linker knows it (mangled); equal to `name` for C. */
  readonly linkageName: string;
  /** Link-time virtual address of the first instruction. */
  readonly address: number;
  /** Bytes of the contiguous range that holds the entry. */
  readonly size: number;
  /** From its first instruction to that of the next function; null of the last one. */
  readonly room: number | null;
  /** Absolute path of the declaring source file; null without debug information. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** In order, `this` first. Empty when unknown: see `stackBytes`. */
  readonly parameters: readonly Parameter[];
  readonly returns: ValueType;
  /**
   * Of a returned tree: `parts` whose registers are 0 = rax, 1 = rdx, 2 = st0, 8 = xmm0, 9 = xmm1 (of arm64
   * 0 = x0, 1 = x1, 8..11 = v0..v3), or an address in `callersResult`, also of text.
   */
  readonly returnPlace?: Place;
  /**
   * Bytes of stack arguments the caller passes (multiple of 8; 0 for most functions);
   * null when the signature is unknown or variadic.
   */
  readonly stackBytes: number | null;
  readonly variadic: boolean;
  /** Pointers that its values follow. */
  readonly depth: Depth;
}

/** A name that matched but has no entry of its own to hook. */
export interface InlinedFunction {
  readonly name: string;
  /** Qualified names of functions its body was inlined into (at most 20), most frequent first. */
  readonly callers: readonly string[];
  readonly sites: number;
}

/** What one pattern found in a set of modules. */
export interface PatternMatch {
  readonly functions: readonly FoundFunction[];
  readonly inlined: readonly InlinedFunction[];
  /** How many inlined functions matched besides: more are not told one by one. */
  readonly moreInlined: number;
  /** Functions that match and must not be hooked; the notes say why. */
  readonly leftOut: readonly Pick<FoundFunction, 'module' | 'address'>[];
  /** Names close to the pattern, best first, given only when nothing matched. */
  readonly nearest: readonly string[];
  /** What its matches stand for besides themselves: whole clauses. */
  readonly notes: readonly string[];
}

/** What is known of one ELF file. */
export interface ModuleSummary {
  readonly path: string;
  readonly buildId: string | null;
  readonly functions: number;
  /** `dwarf` = functions with types and lines; `symtab` = names only; `none` = stripped. */
  readonly debugInfo: 'dwarf' | 'symtab' | 'none';
  readonly dwarfVersion: number | null;
  /** From DW_AT_language: `C++`, `C`, `Rust`, … most frequent first. */
  readonly languages: readonly string[];
  /** `p_vaddr` of the first PT_LOAD, rounded down to a page: run-time address = base + (address - loadAddress). */
  readonly loadAddress: number;
  readonly indexMs: number;
  readonly fromCache: boolean;
  /** What could not be read of the file, and separate debug information that was not looked at. */
  readonly problems: readonly Problem[];
}

/** What the symbol table alone says of a pattern. */
export interface FirstMatches {
  readonly pattern: string;
  /** Functions found so far, each address once. */
  readonly count: number;
  /** Of a few. */
  readonly names: readonly string[];
}
