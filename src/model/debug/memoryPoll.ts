import type { Value } from '../questions/query.ts';

/** A value that was seen at a moment. */
export interface PolledChange {
  /** Milliseconds since the first look. */
  readonly ms: number;
  readonly value: Value;
}

/** What looking at a place again and again saw. */
export interface Polled {
  /** The first value, and those that differ from the one seen before; the first ones of them. */
  readonly changes: readonly PolledChange[];
  /** Changes that were seen. */
  readonly changed: number;
  readonly looks: number;
  readonly ms: number;
  /** Why it ended early, as a clause; null: it did not. */
  readonly cut: string | null;
}
