import type { CallFilter } from './query.ts';
import type { SessionNs } from '../ids.ts';

export interface StatsQuery {
  readonly filter: CallFilter;
  readonly groupBy: 'function' | 'thread' | 'caller';
  readonly sortBy: 'total' | 'self' | 'count' | 'mean' | 'p50' | 'p95' | 'p99' | 'max';
  readonly limit: number;
  readonly until: SessionNs;
  readonly deadlineMs: number;
}

export interface StatsRow {
  readonly key: string;
  /** Of the function, or key of the thread; negative: calls without a caller. */
  readonly number: number;
  readonly function: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly count: number;
  /** Of these: whose duration is known. */
  readonly timed: number;
  readonly open: number;
  /** Calls an exception left. */
  readonly unwound: number;
  readonly totalNs: number;
  readonly selfNs: number;
  readonly meanNs: number;
  readonly minNs: number;
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly p99Ns: number;
  readonly maxNs: number;
  /** Of `totalNs`, for how long they were suspended; absent: they were not. */
  readonly suspendedNs?: number;
  /** The breakpoint whose hits they are; absent: they are calls. */
  readonly probe?: string;
}

export interface StatsResult {
  readonly rows: readonly StatsRow[];
  readonly groups: number;
  /** `counters`: exact, kept while capturing; `scan`: computed for the filter. */
  readonly source: 'counters' | 'scan';
  readonly complete: boolean;
}
