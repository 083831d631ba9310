/** Every framework whose tests can be run; `generic` stands for any command. */
export const testFrameworks = [
  'pytest',
  'unittest',
  'vitest',
  'jest',
  'mocha',
  'node',
  'bun',
  'deno',
  'cargo',
  'nextest',
  'googletest',
  'catch2',
  'go',
  'ctest',
  'generic',
] as const;

export type TestFramework = (typeof testFrameworks)[number];

export const testLevels = ['unit', 'integration', 'e2e'] as const;

export type TestLevel = (typeof testLevels)[number];

/** How one test ended. `expectedFailure`: it failed as its author said it would. */
export type TestOutcome = 'passed' | 'failed' | 'skipped' | 'expectedFailure';

/** One frame of a stack as the framework tells it; the first of a list is the innermost. */
export interface TestFrame {
  readonly function: string | null;
  /** As told: absolute, or relative to where the tests ran. */
  readonly file: string;
  readonly line: number | null;
}

/** Why a test failed. Texts are plain: no colour codes. */
export interface TestFailure {
  readonly message: string;
  /** Both sides of a comparison where the framework tells them. */
  readonly expected: string | null;
  readonly actual: string | null;
  readonly frames: readonly TestFrame[];
  /** What it wrote, bounded. */
  readonly output: string;
}

export interface TestResult {
  /** As the framework selects it: unique within a run. */
  readonly id: string;
  /** As people know it. */
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly outcome: TestOutcome;
  readonly durationMs: number | null;
  /** Why it was skipped, or expected to fail. */
  readonly reason: string | null;
  /** Present exactly when it failed. */
  readonly failure: TestFailure | null;
}

/** What a compiler or loader said before any test of the file could run. */
export interface BuildProblem {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export const testPhases = [
  'starting',
  'compiling',
  'collecting',
  'running',
  'diagnosing',
  'done',
] as const;

export type TestPhase = (typeof testPhases)[number];

/** What a reader makes of what a runner writes. */
export type TestEvent =
  | { readonly kind: 'phase'; readonly phase: TestPhase }
  /** A process that runs tests said who it is. */
  | { readonly kind: 'process'; readonly pid: number }
  /** A program that holds tests was built. */
  | { readonly kind: 'program'; readonly path: string }
  /** How many tests there will be. */
  | { readonly kind: 'expected'; readonly count: number }
  | { readonly kind: 'started'; readonly id: string; readonly file: string | null }
  | { readonly kind: 'finished'; readonly result: TestResult }
  /** It is over; its outcome was told under other names, as subtests are. */
  | { readonly kind: 'ended'; readonly id: string }
  | { readonly kind: 'buildProblem'; readonly problem: BuildProblem }
  /** When a test ran, by CLOCK_MONOTONIC, and in which process. `toNs` null: it has not ended. */
  | {
      readonly kind: 'span';
      readonly test: string;
      readonly pid: number;
      readonly fromNs: bigint;
      readonly toNs: bigint | null;
    }
  /** Something that went wrong and belongs to no test. */
  | { readonly kind: 'trouble'; readonly text: string }
  /** The framework is not installed where it was looked for. */
  | { readonly kind: 'missingRunner'; readonly text: string; readonly install: string }
  /** A process that ran tests died; which test ran is not known. */
  | { readonly kind: 'crash'; readonly text: string }
  /** The runner came to its own end and said so. */
  | { readonly kind: 'complete' };

export type TestVerdict = 'passed' | 'failed' | 'noTests' | 'compileError' | 'crashed';

/** Why a run is over. */
export type RunEnd = 'itself' | 'cancelled' | 'limit' | 'abandoned' | 'lost';

/** A test, or the whole run, that seems not to get on. */
export interface StuckHint {
  readonly test: string | null;
  /** What was observed and for how long. */
  readonly observed: string;
  /** Stacks by the language's own means, or null. */
  readonly stacks: string | null;
  /** What to do. */
  readonly advice: string;
}

export interface RunCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly expectedFailures: number;
}

/** A failed test as an answer shows it. */
export interface ReportedFailure {
  readonly result: TestResult;
  /** The stack in the project's own code, innermost first. */
  readonly ownFrames: readonly TestFrame[];
  readonly suggestedTraces: readonly string[];
  /** The same test alone, as a person would type it. */
  readonly rerunCommand: string;
  /** It also passed: in this run (a retry), or before on the same code. */
  readonly isFlaky: boolean;
}

export interface RunningTest {
  readonly name: string;
  readonly forMs: number;
}

export type TestRunState =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'ended';
      readonly by: RunEnd;
      readonly verdict: TestVerdict;
      /** `status 1`, `SIGSEGV`; null when it is not known. */
      readonly exit: string | null;
    };

/** A call worth making after a diagnosis. */
export interface DiagnosisStep {
  readonly tool: 'debug_query' | 'debug_test';
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** A function that may be at fault. */
export interface SuspectPlace {
  readonly function: string;
  readonly file: string;
  /** The first line that ran in no test that passed; where none is known, the function's. */
  readonly line: number;
}

/** What running a failed test again, traced, has shown. */
export interface Diagnosis {
  readonly test: string;
  /** The readable form: what it called with values, where it parted from a test that passes. */
  readonly text: string;
  /** Its traced session; null when there is none. */
  readonly sessionId: string | null;
  /** Test and session it was compared with. */
  readonly compared: { readonly test: string; readonly sessionId: string } | null;
  readonly steps: readonly DiagnosisStep[];
  /** Whose source is known, the likeliest first. */
  readonly suspects: readonly SuspectPlace[];
}

/** A project by its files. */
export interface ProjectSurvey {
  readonly language: string | null;
  /** `CMake`; null when nothing tells. */
  readonly buildSystem: string | null;
  /** Files that look like tests, relative to the project. */
  readonly testFiles: readonly string[];
}

/** Everything an answer about a run can show. */
export interface TestRunReport {
  readonly id: string;
  readonly projectRoot: string;
  /** Where the tests ran: the root asked for or a project below it. */
  readonly root: string;
  readonly framework: TestFramework;
  readonly language: string;
  readonly reasons: readonly string[];
  /** As a person would type it. */
  readonly command: readonly string[];
  readonly state: TestRunState;
  readonly startedAtMs: number;
  readonly elapsedMs: number;
  readonly phase: TestPhase;
  readonly counts: RunCounts;
  readonly expected: number | null;
  readonly current: readonly RunningTest[];
  readonly failures: readonly ReportedFailure[];
  readonly buildProblems: readonly BuildProblem[];
  /** What went wrong and belongs to no test. */
  readonly troubles: readonly string[];
  readonly warnings: readonly string[];
  readonly stuck: readonly StuckHint[];
  readonly hint: string | null;
  /** Where no test was found, what there is. */
  readonly project: ProjectSurvey | null;
  /** The end of the output, for runs whose results do not explain them. */
  readonly outputTail: string;
  /** Not all of the project was asked for. */
  readonly isPart: boolean;
  /** Absolute path of the JSON with every test and the whole of every failure. */
  readonly details: string;
  /** The traced session, when there is one. */
  readonly sessionId: string | null;
  /** Of failed tests, when it was asked for. */
  readonly diagnoses: readonly Diagnosis[];
}

/** A run as a list shows it. */
export interface TestRunSummary {
  readonly id: string;
  readonly framework: string;
  readonly command: string;
  readonly state: string;
  readonly verdict: string | null;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durationMs: number;
  readonly startedAtMs: number;
}

/** A test as earlier runs left it. */
export interface KnownTest {
  readonly id: string;
  readonly name: string;
  readonly file: string | null;
  readonly lastOutcome: TestOutcome;
  /** Over the runs in which it passed; null before the first. */
  readonly meanMs: number | null;
  readonly maxMs: number | null;
  readonly runs: number;
}
