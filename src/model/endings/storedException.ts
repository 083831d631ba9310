import type { SessionNs } from '../ids.ts';

/** An exception in words, beside its one line. */
export interface ExceptionFacts {
  readonly tid: number;
  /** As the source spells it; null for a panic, and when it is not known. */
  readonly type: string | null;
  readonly message: string | null;
  readonly end: 'open' | 'caught' | 'uncaught';
  /** Functions it left, innermost first. */
  readonly passed: readonly string[];
  /** Function, file and line. */
  readonly caughtIn: string | null;
  /** The frames it was raised on, newest first, with values where they were read. */
  readonly stack: readonly string[];
}

/** An exception as the store keeps it. */
export interface StoredException {
  /** Of one exception in its session. */
  readonly key: string;
  readonly time: SessionNs;
  readonly pid: number;
  /** One line. */
  readonly text: string;
  readonly facts: ExceptionFacts;
}
