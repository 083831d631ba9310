import { join } from 'node:path';
import { monotonicMs } from '../../base/clock.ts';
import type {
  ReportedFailure,
  StuckHint,
  TestResult,
  TestRunReport,
} from '../../model/tests/testReport.ts';
import { ownFrames } from '../../testing/suspects.ts';
import { commandText } from '../report/text/placeText.ts';
import type { Tally } from '../../testing/tally.ts';
import type { TestRunFacts } from './testRunFacts.ts';

/** Failures worked out in full; the details name the others. */
const MOST_FAILURES = 200;

/** A run as far as a report is concerned. */
export interface ReportedRun {
  readonly facts: TestRunFacts;
  readonly tally: Tally;
  readonly warnings: readonly string[];
  readonly elapsedMs: number;
  readonly sessionId: string | null;
  readonly stuck: readonly StuckHint[];
}

/** What a run can say of itself now. */
export function reportOf(run: ReportedRun, outputTail: string): TestRunReport {
  const { facts, tally } = run;
  const nowMs = monotonicMs();
  return {
    id: facts.id,
    projectRoot: facts.projectRoot,
    root: facts.request.projectRoot,
    framework: facts.adapter.name,
    language: facts.adapter.language,
    reasons: facts.reasons,
    command: facts.plan.typed,
    state: { kind: 'running' },
    startedAtMs: facts.startedAtMs,
    elapsedMs: Math.round(run.elapsedMs),
    phase: tally.phase,
    counts: tally.counts,
    expected: tally.expected,
    current: [...tally.running]
      .map(([name, { sinceMs }]) => ({ name, forMs: Math.round(nowMs - sinceMs) }))
      .toSorted((a, b) => b.forMs - a.forMs)
      .slice(0, 10),
    failures: tally.failures.slice(0, MOST_FAILURES).map((result) => failureOf(run, result)),
    buildProblems: tally.buildProblems,
    troubles: tally.troubles,
    warnings: [...run.warnings, ...retriedLine(tally)],
    stuck: run.stuck,
    hint: null,
    project: null,
    outputTail,
    isPart: isPartOf(facts.request),
    details: join(facts.folder, 'details.json'),
    sessionId: run.sessionId,
    diagnoses: [],
  };
}

/** Tests that passed only when they were tried again. */
function retriedLine({ retried, results }: Tally): string[] {
  const names = [...retried].flatMap((id) => {
    const result = results.get(id);
    return result?.outcome === 'passed' ? [result.name] : [];
  });
  if (names.length === 0) return [];
  const more = names.length > 3 ? `, … (${names.length})` : '';
  return [`FLAKY: passed only when tried again: ${names.slice(0, 3).join(', ')}${more}`];
}

function failureOf(run: ReportedRun, result: TestResult): ReportedFailure {
  const { adapter, request } = run.facts;
  const { failure } = result;
  return {
    result,
    ownFrames: failure ? ownFrames(failure.frames, request.projectRoot) : [],
    suggestedTraces: failure ? adapter.suspects(failure, result).slice(0, 3) : [],
    rerunCommand: commandText(adapter.rerun(request, result)),
    isFlaky: run.tally.retried.has(result.id),
  };
}

/** What narrows a run to some of the project's tests. */
function isPartOf({ command, file, tests, level }: TestRunFacts['request']): boolean {
  return [command, file, tests, level].some((narrowing) => narrowing !== null);
}
