import type {
  BuildProblem,
  RunCounts,
  RunEnd,
  TestEvent,
  TestPhase,
  TestResult,
  TestVerdict,
} from '../model/tests/testReport.ts';
import type { RunnerEnd } from './adapter.ts';

const mostTroubles = 20;
const mostBuildProblems = 200;
const mostPrograms = 50;

/** What is known of a run: the sum of its events. Pure; times are given. */
export class Tally {
  readonly results = new Map<string, TestResult>();
  /** Tests that began and have not ended, with the time they began at. */
  readonly running = new Map<string, { readonly sinceMs: number; readonly file: string | null }>();
  readonly buildProblems: BuildProblem[] = [];
  readonly troubles: string[] = [];
  readonly processes: number[] = [];
  /** Programs that hold the tests, as far as they were told. */
  readonly programs: string[] = [];
  /** When tests ran, by id, as far as their reporter told. */
  readonly spans = new Map<string, Extract<TestEvent, { kind: 'span' }>>();
  /** Tests that failed and passed within this run: retries. */
  readonly retried = new Set<string>();
  phase: TestPhase = 'starting';
  expected: number | null = null;
  isComplete = false;
  missing: { readonly text: string; readonly install: string } | null = null;
  /** What is known of a process that ran tests and died. */
  crash: string | null = null;
  lastEventMs = 0;
  /** The test that took longest so far. */
  slowest: { readonly name: string; readonly durationMs: number } | null = null;

  apply(event: TestEvent, nowMs: number): void {
    this.lastEventMs = nowMs;
    switch (event.kind) {
      case 'phase':
        this.phase = event.phase;
        break;
      case 'process':
        this.processes.push(event.pid);
        break;
      case 'program':
        if (this.programs.length < mostPrograms) this.programs.push(event.path);
        break;
      case 'expected':
        this.expected = (this.expected ?? 0) + event.count;
        break;
      case 'started':
        this.phase = 'running';
        this.running.set(event.id, { sinceMs: nowMs, file: event.file });
        break;
      case 'finished':
        this.#finished(event.result);
        break;
      case 'span':
        this.spans.set(event.test, event);
        break;
      case 'ended':
        this.running.delete(event.id);
        break;
      case 'buildProblem':
        if (this.buildProblems.length < mostBuildProblems) this.buildProblems.push(event.problem);
        break;
      case 'trouble':
        if (this.troubles.length < mostTroubles && event.text !== '')
          this.troubles.push(event.text);
        break;
      case 'missingRunner':
        this.missing = { text: event.text, install: event.install };
        break;
      case 'crash':
        this.crash ??= event.text;
        break;
      case 'complete':
        this.isComplete = true;
        break;
    }
  }

  /** Tests that were running when the runner ended did not end themselves. */
  interrupted(message: (test: string) => string): void {
    for (const [id, { file }] of this.running) {
      this.#finished({
        id,
        name: id,
        file,
        line: null,
        outcome: 'failed',
        durationMs: null,
        reason: 'interrupted',
        failure: { message: message(id), expected: null, actual: null, frames: [], output: '' },
      });
    }
    this.running.clear();
  }

  get counts(): RunCounts {
    const counts = { passed: 0, failed: 0, skipped: 0, expectedFailures: 0 };
    for (const { outcome } of this.results.values()) {
      if (outcome === 'expectedFailure') counts.expectedFailures += 1;
      else counts[outcome] += 1;
    }
    return counts;
  }

  get failures(): TestResult[] {
    return [...this.results.values()].filter((result) => result.outcome === 'failed');
  }

  #finished(result: TestResult): void {
    this.phase = 'running';
    this.running.delete(result.id);
    const before = this.results.get(result.id);
    if (before && (before.outcome === 'failed') !== (result.outcome === 'failed'))
      this.retried.add(result.id);
    this.results.set(result.id, result);
    const { name, durationMs } = result;
    if (durationMs !== null && durationMs > (this.slowest?.durationMs ?? 0))
      this.slowest = { name, durationMs };
  }
}

/** What a run came to, and what about it does not add up. */
export interface Judgement {
  readonly verdict: TestVerdict;
  /** Said when the counts alone would mislead. */
  readonly hint: string | null;
}

/** The verdict of an ended run. A run is passed only when its runner says so too. */
export function judge(tally: Tally, end: RunnerEnd, by: RunEnd): Judgement {
  const { passed, failed, skipped, expectedFailures } = tally.counts;
  const told = passed + failed + skipped + expectedFailures;
  const how = end.signal === null ? `status ${end.code ?? '?'}` : end.signal;
  if (by === 'itself' && end.signal !== null)
    return { verdict: 'crashed', hint: `The runner was killed by ${end.signal}${after(told)}.` };
  if (tally.crash !== null) return { verdict: 'crashed', hint: tally.crash };
  if (tally.buildProblems.length > 0 && failed === 0 && end.code !== 0)
    return { verdict: 'compileError', hint: elsewhere(told) };
  if (failed > 0) return { verdict: 'failed', hint: missingTests(tally, told) };
  if (by === 'limit')
    return { verdict: 'failed', hint: 'The limit passed before the tests were through.' };
  if (told === 0 && end.code !== 0 && tally.troubles.length > 0)
    return { verdict: 'crashed', hint: `The runner ended with ${how} before any test.` };
  if (passed + expectedFailures + skipped === 0) return { verdict: 'noTests', hint: null };
  if (end.code !== 0)
    return { verdict: 'failed', hint: `No test failed, but the runner ended with ${how}.` };
  return { verdict: 'passed', hint: missingTests(tally, told) };
}

function after(told: number): string {
  return told === 0 ? ' before any test' : ` after ${told} tests`;
}

function elsewhere(told: number): string | null {
  return told === 0 ? null : `What does compile was tested: ${told} tests told their outcome.`;
}

/** Totals that do not add up are said. */
function missingTests(tally: Tally, told: number): string | null {
  if (tally.expected === null || told >= tally.expected) return null;
  return `${tally.expected} tests were announced, ${told} told their outcome.`;
}
