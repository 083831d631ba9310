import type { InlinedFunction } from './traceable.ts';
import type { SessionId } from '../ids.ts';
import type { Problem } from '../problem.ts';
import type { WatchReport } from '../watches/watch.ts';

/** A function that a pattern named and that has code of its own. */
export interface HookedFunction {
  /** Qualified, demangled, without parameters. */
  readonly function: string;
  /** Absolute path; null without debug information. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
}

/** A function that matched and was not hooked. */
export interface RefusedFunction extends HookedFunction {
  /** One of its runtime's codes. */
  readonly code: string;
  /** The reason, as the end of a sentence. */
  readonly reason: string;
  /** Qualified names whose hooks would show the same work (usually its callers); may be empty. */
  readonly instead: readonly string[];
}

/** A function that will be hooked as soon as its library is loaded. */
export interface WaitingFunctions {
  readonly module: string;
  readonly functions: number;
}

/**
 * What became of one pattern.
 * `matched = hooked + waiting + refused + leftOut`; inlined functions have no code of their own and are not in it.
 */
export interface PatternReport {
  readonly pattern: string;
  /** `added`: by this request; `active`: it was there before; `staged`: kept for the next launch. */
  readonly state: 'added' | 'active' | 'staged';
  readonly matched: number;
  readonly hooked: number;
  /** Of `hooked`: those another pattern had hooked already. */
  readonly shared: number;
  /** Some of the hooked functions (at most 50), the project's own first; for the answer's examples. */
  readonly examples: readonly HookedFunction[];
  readonly waiting: readonly WaitingFunctions[];
  readonly inlined: readonly InlinedFunction[];
  /** See PatternMatch. */
  readonly moreInlined: number;
  readonly refused: readonly RefusedFunction[];
  /** How many match and must not be hooked; the notes say why. */
  readonly leftOut: number;
  /** Names close to the pattern, best first; only when nothing matched. */
  readonly nearest: readonly string[];
  /** Whole sentences, e.g. which option of an older pattern was replaced. */
  readonly notes: readonly string[];
  /** Why the pattern itself could not be used (BAD_PATTERN, BAD_REGEX, NOTHING_MATCHED…). */
  readonly problem: Problem | null;
}

/** Answer of debug_trace, and the part of debug_launch that says which hooks are in place. */
export interface TraceReport {
  /** `pending`: nothing is hooked yet, the patterns wait for the next launch. */
  readonly mode: 'pending' | 'runtime';
  /** In mode `pending`: only a launch in this project is waited for. */
  readonly projectRoot?: string;
  /** Null in mode `pending`. */
  readonly sessionId: SessionId | null;
  readonly patterns: readonly PatternReport[];
  readonly removed: readonly {
    readonly pattern: string;
    readonly unhooked: number;
    /** False: no such pattern was active. */
    readonly found: boolean;
  }[];
  readonly watches: readonly WatchReport[];
  /** Distinct functions over all active patterns. */
  readonly hookedFunctions: number;
  readonly matchedFunctions: number;
  /** Upper bound of stored events of this session; null: none. */
  readonly eventLimit: number | null;
  /** Milliseconds between the request and the last hook in place; null in mode `pending`. */
  readonly tookMs: number | null;
  readonly warnings: readonly string[];
  /** What patterns ask inside their functions; whole sentences. */
  readonly inside?: readonly string[];
  /** Whole sentences that are said first: conditions and watches that were staged and cannot be. */
  readonly notDone?: readonly string[];
}
