import type { TraceReport } from '../../model/functions/hookReport.ts';
import { listedText, type PatternRequest } from './patternRequest.ts';

/** The answer for patterns that only wait for the next launch. */
export function stagedReport(
  requests: readonly PatternRequest[],
  removed: TraceReport['removed'],
  watches: TraceReport['watches'],
  warnings: readonly string[],
): TraceReport {
  return {
    mode: 'pending',
    sessionId: null,
    patterns: requests.map((request) => ({
      pattern: listedText(request),
      state: 'staged',
      matched: 0,
      hooked: 0,
      shared: 0,
      examples: [],
      waiting: [],
      inlined: [],
      moreInlined: 0,
      refused: [],
      leftOut: 0,
      nearest: [],
      notes: [],
      problem: null,
    })),
    removed,
    watches,
    hookedFunctions: 0,
    matchedFunctions: 0,
    eventLimit: null,
    tookMs: null,
    warnings,
  };
}
