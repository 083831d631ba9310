import type {
  FirstMatches,
  PatternMatch,
  RuntimeName,
  Traceable,
  UnitSummary,
} from '../model/functions/traceable.ts';
import type { NameStyle } from '../model/names/functionName.ts';
import type { Pattern } from '../model/names/pattern.ts';
import type { Outcome } from '../model/problem.ts';
import type { Depth } from '../model/values/shape.ts';

export interface FindOptions {
  /** Absolute; what `@usercode` and `@file:` count from. */
  readonly projectRoot: string;
  /** Most functions to give; the rest is told as a problem. */
  readonly limit?: number;
  /** To describe, not to hook: also functions that must not be hooked. */
  readonly isForReading?: boolean;
  /** How many pointers are followed in the values of parameters and results. */
  readonly depth?: Depth;
  /** Without a match no near names and no advice, which take long in large programs. */
  readonly isOnlyWhether?: boolean;
}

/** What is told while a large unit is read. */
export interface OpenListener {
  /** The share done, 0 to 1, now and then. */
  readonly progress: (share: number) => void;
  /** What the symbol table alone says of the patterns, before anything else is read. */
  readonly firstMatches: (matches: readonly FirstMatches[]) => void;
}

/** How to build a project so that its functions, lines and parameters can be seen. */
export interface DebugInfoAdvice {
  readonly buildSystem: 'CMake' | 'Cargo' | 'Meson' | 'Go' | 'Bazel' | 'Make' | 'plain';
  /** Commands or flags, ready to paste. */
  readonly steps: readonly string[];
}

/** Which programs and files a session is about. */
export interface Scope {
  /** What its main process runs and ran. */
  readonly programs: readonly string[];
  readonly projectRoot: string;
}

/** What is this code? Finds the functions of one runtime in its units: ELF files, source files. */
export interface SymbolResolver<F extends Traceable = Traceable> {
  readonly runtime: RuntimeName;
  readonly nameStyle: NameStyle;
  /** Reads a unit, or takes what was kept of it. Throws when it cannot be read at all. */
  open(unit: string, patterns?: readonly Pattern[], listener?: OpenListener): Promise<UnitSummary>;
  /** The functions a pattern means in these units. */
  find(
    units: readonly string[],
    pattern: Pattern,
    options: FindOptions,
  ): Promise<Outcome<PatternMatch<F>>>;
  /** Of these units those that a pattern means which names none. */
  own(units: readonly string[], scope: Scope): string[];
  /** Of these units, and of what they say is there to be loaded, those of the library or package that a pattern names. */
  ofLibrary(pattern: Pattern, units: readonly string[]): string[];
  /** Whether a pattern that names this library means source files of a package. */
  isPackage?(name: string, projectRoot: string): boolean;
  /** Whether patterns are about a program. `outside`: it is neither the project's nor the system's. */
  concerns(
    program: string,
    patterns: readonly Pattern[],
    scope: Scope,
  ): Promise<'yes' | 'no' | 'outside'>;
  /** Whether a unit that some pattern may mean comes with a program. */
  mayLoad(program: string, patterns: readonly Pattern[]): Promise<boolean>;
  /** The source files of these units. Throws for a unit that cannot be read. */
  sources(units: readonly string[]): Promise<readonly string[]>;
  /** The lines of a source file where statements begin, as these units have them; none: it is not theirs. */
  statementLines(units: readonly string[], file: string): Promise<readonly number[]>;
  /** How to build the project so that more can be seen; absent: its programs need no building. */
  advise?(projectRoot: string): DebugInfoAdvice;
}
