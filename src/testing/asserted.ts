import type { TestResult } from '../model/tests/testReport.ts';
import { actualValues, asResult } from './actualValues.ts';

/** A value that a failure names. */
export interface AssertedValue {
  readonly text: string;
  /** As a filter of results compares it; null: only its text can be compared. */
  readonly plain: string | number | boolean | null;
}

/** What a failed assertion says. */
export interface Asserted {
  /** Some call may have returned one of them, the likeliest first. */
  readonly values: readonly AssertedValue[];
  /** Names the functions that it calls. */
  readonly text: string;
}

/** Of frameworks that tell values and expressions in the message. */
export function nativeAsserted({ failure }: TestResult): Asserted {
  if (failure === null) return { values: [], text: '' };
  const values = actualValues(failure).map((text) => ({ text, plain: asResult(text) }));
  return { values, text: failure.message };
}
