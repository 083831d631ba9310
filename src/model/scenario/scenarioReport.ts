import type { SessionView } from '../session.ts';

/** One step of a scenario that was carried out. */
export interface StepResult {
  /** From 1. */
  readonly number: number;
  /** As it was asked for, short. */
  readonly text: string;
  /** What came of it. */
  readonly note: string;
  readonly ms: number;
}

/** What was there when a step failed. */
export interface Evidence {
  /** Why it failed, and what was seen instead. */
  readonly seen: readonly string[];
  /** A PNG file; null: the program has no window of its own. */
  readonly screenshot: string | null;
  /** The elements of its windows. */
  readonly tree: readonly string[];
  /** The last events of each channel that the scenario uses. */
  readonly events: readonly { readonly channel: string; readonly lines: readonly string[] }[];
}

/** What came of a scenario; `unfinished`: its time ran out before a step was judged. */
export interface ScenarioReport {
  readonly session: SessionView;
  readonly state: 'passed' | 'failed' | 'unfinished';
  /** Number of the first step of this run. */
  readonly from: number;
  readonly total: number;
  readonly ms: number;
  readonly passed: readonly StepResult[];
  /** The step that failed, or was not judged. */
  readonly failed: (StepResult & { readonly asked: object; readonly evidence: Evidence }) | null;
  readonly saved: Readonly<Record<string, string>>;
}
