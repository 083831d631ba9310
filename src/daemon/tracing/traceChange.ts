import type { WatchChange } from '../../model/watches/watch.ts';
import type { PatternRequest } from './patternRequest.ts';

/** What a request changes of a session's patterns and watches. */
export interface TraceChange {
  readonly add: readonly PatternRequest[];
  readonly remove: readonly string[];
  readonly clear: boolean;
  /** From now on, of patterns without one of their own. */
  readonly depth?: number | null;
  readonly watches?: WatchChange;
  /** The program starts with it: what cannot be decided is said, and all calls are recorded; else it is an error. */
  readonly isStaged?: boolean;
}
