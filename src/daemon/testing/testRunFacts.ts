import type { TestAdapter, TestPlan, TestRequest } from '../../testing/adapter.ts';

/** What a run is, besides its process. */
export interface TestRunFacts {
  readonly id: string;
  readonly projectRoot: string;
  readonly adapter: TestAdapter;
  readonly reasons: readonly string[];
  /** The client that asked for it. */
  readonly owner: string;
  readonly startedAtMs: number;
  /** The run's own folder. */
  readonly folder: string;
  readonly request: TestRequest;
  readonly plan: TestPlan;
  /** Kills after this long; null = never. */
  readonly limitMs: number | null;
}
