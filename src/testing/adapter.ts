import type {
  TestEvent,
  TestFailure,
  TestFramework,
  TestLevel,
  TestResult,
} from '../model/tests/testReport.ts';
import type { Asserted } from './asserted.ts';
import type { ProjectFiles } from './projectFiles.ts';

/** Why a framework is thought to be the project's. */
export interface Evidence {
  /** 0–100: 90 the project's settings name it, 50 its dependencies do, 20 files look like it. */
  readonly weight: number;
  /** `pyproject.toml has [tool.pytest.ini_options]` */
  readonly reason: string;
}

/** One test as it is chosen: by what an earlier answer, or a list, called it. */
export interface ChosenTest {
  readonly id: string;
  readonly name: string;
  readonly file: string | null;
}

/** What is to be run. */
export interface TestRequest {
  /** `list`: every test is reported as skipped, none is run. `build`: only what runs them is built. */
  readonly purpose: 'run' | 'list' | 'build';
  /** Absolute; the folder of the framework's own settings. */
  readonly projectRoot: string;
  /** The whole environment of the run. */
  readonly env: Readonly<Record<string, string>>;
  /** A test binary, or for `generic` a command line. */
  readonly command: string | null;
  /** Absolute. */
  readonly file: string | null;
  /** Null: all. */
  readonly tests: readonly ChosenTest[] | null;
  readonly level: TestLevel | null;
  /** What runs is to be traced. */
  readonly isTraced?: true;
  /** An existing folder of the run's own, for report files. */
  readonly reportFolder: string;
  /** The folder of the reporters that are loaded into runners. */
  readonly reporters: string;
}

/** How it is run. */
export interface TestPlan {
  /** As execvp takes it. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the run's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A file the runner writes while it runs; fed to the reader as it grows. */
  readonly report: string | null;
  /** The same run as a person would type it. */
  readonly typed: readonly string[];
  /** What the caller should know of it. */
  readonly notes: readonly string[];
  /** Where the run writes reports among the project's files: those that were there before, and when they were changed. */
  readonly earlier?: Readonly<Record<string, number>>;
}

/** Where a piece of text comes from. */
export type ReportSource = 'stdout' | 'stderr' | 'report';

/** How the runner ended; `stopped`: it was killed on purpose. */
export interface RunnerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stopped: boolean;
}

/** Makes events of what a runner writes. One per run; pieces are cut anywhere. */
export interface TestReader {
  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[];
  /** What can be said only now; reads report files that are written at the end. */
  end(end: RunnerEnd): Promise<readonly TestEvent[]>;
}

/** One test framework. */
export interface TestAdapter {
  readonly name: TestFramework;
  readonly language: string;
  /** How a person installs it, when it is missing. */
  readonly install: string;
  /** Its tests are a program of their own, which the plan's command runs. */
  readonly isTestBinary?: true;
  /** It can name its tests without running them: a request with `purpose: 'list'`. */
  readonly canList: boolean;
  /** Told to quit by this signal, the program that runs the tests dies telling all its stacks. */
  readonly quitsBy?: 'SIGQUIT';
  /** Running may compile first, which can be done by itself: a request with `purpose: 'build'`. */
  readonly canBuild?: true;
  /** From files only: nothing is run. Null when nothing speaks for it. */
  evidence(project: ProjectFiles): Evidence | null;
  /** Throws StrobeError when the request cannot be honoured. */
  plan(request: TestRequest): TestPlan;
  reader(request: TestRequest, plan: Pick<TestPlan, 'earlier'>): TestReader;
  /** One test alone, as a person would type it. */
  rerun(request: TestRequest, test: ChosenTest): readonly string[];
  /** Where a test stands in sources and traces; only where functions can be traced. */
  readonly inCode?: {
    /** Patterns of the function a test is. */
    functions(test: ChosenTest): readonly string[];
    /** What its declaration looks like. */
    declaration(test: ChosenTest): RegExp;
    /** Functions of the framework that are called as a test begins and as it ends, one by one. */
    readonly boundary?: { readonly start: string; readonly end: string };
    /** The function that is called with each test, in a goroutine of its own. */
    readonly startedBy?: string;
    /** What the programs are called that hold the tests, where they lie outside the project. */
    readonly programs?: string;
    /** Each test has a thread that is named after it. */
    readonly isThreadPerTest?: boolean;
    /** Of its functions the one in which the failed assertion stands is the test. */
    readonly isByPlace?: true;
    /** Its reporter tells when each test ran, and in which process. */
    readonly isTimed?: true;
    /** Each event says to which test it belongs, where the runner can say it: by this name of the test with an id. */
    readonly markOf?: (id: string) => string;
    /** Files of tests: their functions are no suspects while there are others. */
    readonly testFiles?: RegExp;
    /** What a failed assertion says; absent: as frameworks of native programs write it. */
    asserted?(result: TestResult): Asserted;
  };
  /** Patterns worth tracing for a failure, best first. */
  suspects(failure: TestFailure, result: TestResult): readonly string[];
}
