import type { ErrorCode } from './errors.ts';

/** A part of a request that could not be done, told beside what could. */
export interface Problem {
  readonly code: ErrorCode;
  /** What it is about: a pattern, a function, a file. */
  readonly subject: string;
  readonly detail: string;
}

/** All that could be read, and every reason for the rest. */
export interface Outcome<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}
