import type { Problem } from '../problem.ts';
import type { Expression } from '../watches/expression.ts';

/** A language or a way into its programs; src/daemon/runtimes.ts lists them. */
export type RuntimeName = string;

/** What a session, its store and its reports know of a function, whatever its language. */
export interface Traceable {
  readonly runtime: RuntimeName;
  /** Identity in a session. */
  readonly id: string;
  /** Absolute path of the file that holds its code: an ELF file, a source file. */
  readonly unit: string;
  /** Qualified, without parameters: `bank::Account::deposit`. */
  readonly name: string;
  /** With parameter types where known: `bank::Account::deposit(long)`; else equal to `name`. */
  readonly signature: string;
  /** Absolute path of the declaring source file; null when unknown. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
}

/** `false`: no call; `true`: each call; else each call that meets it. */
export type Trigger = boolean | Expression;

/** Which calls of a function are recorded; the others are counted and timed. Each tracer compiles it for its processes. */
export interface CallPolicy {
  /** One call in this many is recorded; 0: all, until they come too fast. */
  readonly every: number;
  /** The number of first calls recorded in a process; 0: all. */
  readonly first: number;
  /** What a call must take to be recorded, ns, unless one inside it is; 0: nothing. */
  readonly leastNs: number;
  /** Nesting depth of recorded calls of functions with such a limit; 0: no limit. */
  readonly depth: number;
  /** What a call must meet; null: nothing. */
  readonly when: Expression | null;
  /** The same where it returns, also of the result; a call that ends otherwise meets it. Absent: nothing. */
  readonly whenReturn?: Expression;
  /** Which calls start the recording of their process. */
  readonly start: Trigger;
  /** Which calls stop it. */
  readonly stop: Trigger;
}

/** The policy of a function of which nothing was said. */
export const usualPolicy: CallPolicy = {
  every: 0,
  first: 0,
  leastNs: 0,
  depth: 0,
  when: null,
  start: false,
  stop: false,
};

/** Functions that appear while a program runs and lie in no file, by their names. */
export interface NameRule {
  /** Of a NameProgram; from any part of a name on. */
  readonly tokens: readonly number[];
  readonly policy: CallPolicy;
}

/** The answer per function after hooking. */
export type Verdict =
  | { readonly kind: 'hooked' }
  /** `waitsFor`: the unit that is not loaded yet. */
  | { readonly kind: 'pending'; readonly waitsFor: string }
  /** `code`: one of its runtime's; `text`: the reason, as the end of a sentence. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string };

/** What is known of a unit. */
export interface UnitSummary {
  readonly runtime: RuntimeName;
  /** Absolute. */
  readonly path: string;
  readonly buildId: string | null;
  readonly functions: number;
  /** `dwarf` = functions with types and lines; `symtab` = names only; `none` = stripped; `source` = it is source code. */
  readonly debugInfo: 'dwarf' | 'symtab' | 'none' | 'source';
  readonly dwarfVersion: number | null;
  /** From DW_AT_language: `C++`, `C`, `Rust`, … most frequent first. */
  readonly languages: readonly string[];
  readonly indexMs: number;
  readonly fromCache: boolean;
  /** What could not be read of the file, and separate debug information that was not looked at. */
  readonly problems: readonly Problem[];
}

/** A name that matched but has no code of its own to hook. */
export interface InlinedFunction {
  readonly name: string;
  /** Qualified names of functions its body was inlined into (at most 20), most frequent first. */
  readonly callers: readonly string[];
  readonly sites: number;
}

/** What one pattern found in a set of units. */
export interface PatternMatch<F extends Traceable = Traceable> {
  readonly functions: readonly F[];
  readonly inlined: readonly InlinedFunction[];
  /** Further inlined functions that matched and are not listed. */
  readonly moreInlined: number;
  /** Ids of functions that match and must not be hooked; the notes say why. */
  readonly leftOut: readonly string[];
  /** Names close to the pattern, best first, given only when nothing matched. */
  readonly nearest: readonly string[];
  /** What its matches stand for besides themselves: whole clauses. */
  readonly notes: readonly string[];
}

/** What the symbol table alone says of a pattern. */
export interface FirstMatches {
  readonly pattern: string;
  /** Functions found so far, each address once. */
  readonly count: number;
  /** Of a few. */
  readonly names: readonly string[];
}
