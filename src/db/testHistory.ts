import type {
  KnownTest,
  TestOutcome,
  TestResult,
  TestRunSummary,
} from '../model/tests/testReport.ts';
import { catalogMigrations } from './catalogSchema.ts';
import { Sqlite, type Statement } from './sqlite.ts';

/** A run as the catalogue keeps it. */
export interface StoredRun {
  readonly id: string;
  /** Where the tests ran. */
  readonly root: string;
  readonly framework: string;
  readonly command: string;
  readonly startedWallMs: number;
  /** Null while it runs, or when its daemon died before it could tell. */
  readonly endedWallMs: number | null;
  readonly state: string;
  readonly verdict: string | null;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface RunRow {
  readonly id: string;
  readonly root: string;
  readonly framework: string;
  readonly command: string;
  readonly started_wall_ms: number;
  readonly ended_wall_ms: number | null;
  readonly state: string;
  readonly verdict: string | null;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface TestRow {
  readonly id: string;
  readonly name: string;
  readonly file: string | null;
  readonly last_outcome: string;
  readonly last_run: string;
  readonly runs: number;
  readonly passes: number;
  readonly total_ms: number;
  readonly max_ms: number;
  readonly code: string;
  readonly outcomes_of_code: string;
}

/**
 * Test runs and what is known of each test: in `strobe.db`, beside the sessions. Synchronous;
 * a thousand tests are saved in about 10 ms.
 */
export class TestHistory implements Disposable {
  readonly #db: Sqlite;
  readonly #saveRun: Statement<(string | number | null)[]>;
  readonly #run: Statement<[id: string], RunRow>;
  readonly #runsOf: Statement<[root: string, limit: number], RunRow>;
  readonly #unfinished: Statement<[], RunRow>;
  readonly #allRuns: Statement<[], RunRow>;
  readonly #deleteRun: Statement<[id: string]>;
  readonly #tests: Statement<[root: string, framework: string], TestRow>;
  readonly #test: Statement<[root: string, framework: string, id: string], TestRow>;
  readonly #saveTest: Statement<(string | number | null)[]>;

  private constructor(db: Sqlite) {
    this.#db = db;
    this.#saveRun = db.prepare(
      'INSERT OR REPLACE INTO test_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#run = db.prepare('SELECT * FROM test_runs WHERE id = ?');
    this.#runsOf = db.prepare(
      'SELECT * FROM test_runs WHERE root = ? ORDER BY started_wall_ms DESC, id LIMIT ?',
    );
    this.#unfinished = db.prepare('SELECT * FROM test_runs WHERE ended_wall_ms IS NULL');
    this.#allRuns = db.prepare('SELECT * FROM test_runs ORDER BY started_wall_ms DESC, id');
    this.#deleteRun = db.prepare('DELETE FROM test_runs WHERE id = ?');
    this.#tests = db.prepare('SELECT * FROM tests WHERE root = ? AND framework = ? ORDER BY id');
    this.#test = db.prepare('SELECT * FROM tests WHERE root = ? AND framework = ? AND id = ?');
    this.#saveTest = db.prepare(
      'INSERT OR REPLACE INTO tests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
  }

  /** `path`: of strobe.db; made when it does not exist. */
  static open(path: string): TestHistory {
    return new TestHistory(Sqlite.open(path, { migrations: catalogMigrations }));
  }

  /** Adds a run, or replaces what is known of it. */
  putRun(run: StoredRun): void {
    this.#saveRun.run(
      run.id,
      run.root,
      run.framework,
      run.command,
      run.startedWallMs,
      run.endedWallMs,
      run.state,
      run.verdict,
      run.passed,
      run.failed,
      run.skipped,
    );
  }

  run(id: string): StoredRun | null {
    const row = this.#run.get(id);
    return row ? runOf(row) : null;
  }

  /** Latest first. */
  runsOf(root: string, limit: number): TestRunSummary[] {
    return this.#runsOf.all(root, limit).map((row) => ({
      id: row.id,
      framework: row.framework,
      command: row.command,
      state: row.state,
      verdict: row.verdict,
      passed: row.passed,
      failed: row.failed,
      skipped: row.skipped,
      durationMs: (row.ended_wall_ms ?? row.started_wall_ms) - row.started_wall_ms,
      startedAtMs: row.started_wall_ms,
    }));
  }

  /** Runs whose daemon did not see their end. */
  unfinished(): StoredRun[] {
    return this.#unfinished.all().map(runOf);
  }

  /** Every run, latest first. */
  allRuns(): StoredRun[] {
    return this.#allRuns.all().map(runOf);
  }

  deleteRun(id: string): void {
    this.#deleteRun.run(id);
  }

  /** Every test that earlier runs told of. */
  tests(root: string, framework: string): KnownTest[] {
    return this.#tests.all(root, framework).map(knownOf);
  }

  /** The tests that failed when they were run last. */
  lastFailed(root: string, framework: string): KnownTest[] {
    return this.tests(root, framework).filter((test) => test.lastOutcome === 'failed');
  }

  /**
   * Adds what a run told. `code` stands for the state of the sources. Returns the ids of tests
   * that have both passed and failed with the same code.
   */
  learn(
    of: { readonly root: string; readonly framework: string; readonly run: string },
    results: readonly TestResult[],
    code: string,
  ): Set<string> {
    const flaky = new Set<string>();
    this.#db.transaction(() => {
      for (const result of results) {
        const before = this.#test.get(of.root, of.framework, result.id);
        const outcomes = outcomesOf(before, result, code);
        if (outcomes.includes('passed') && outcomes.includes('failed')) flaky.add(result.id);
        this.#saveTest.run(
          of.root,
          of.framework,
          result.id,
          result.name,
          result.file,
          result.line,
          result.outcome,
          of.run,
          ...durations(before, result),
          code,
          outcomes.join(','),
        );
      }
    });
    return flaky;
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** How the test has ended with the same code; an unknown code is never the same. */
function outcomesOf(before: TestRow | undefined, result: TestResult, code: string): string[] {
  const seen = before && code !== '' && before.code === code ? before.outcomes_of_code : '';
  return [...new Set([...seen.split(','), result.outcome])].filter((outcome) => outcome !== '');
}

/** runs, passes, total_ms, max_ms */
function durations(before: TestRow | undefined, result: TestResult): number[] {
  const { runs, passes, total_ms: total, max_ms: max } = before ?? never;
  const spent = result.outcome === 'passed' ? result.durationMs : null;
  return spent === null
    ? [runs + 1, passes, total, max]
    : [runs + 1, passes + 1, total + spent, Math.max(max, spent)];
}

const never = { runs: 0, passes: 0, total_ms: 0, max_ms: 0 } as const;

function runOf(row: RunRow): StoredRun {
  return {
    id: row.id,
    root: row.root,
    framework: row.framework,
    command: row.command,
    startedWallMs: row.started_wall_ms,
    endedWallMs: row.ended_wall_ms,
    state: row.state,
    verdict: row.verdict,
    passed: row.passed,
    failed: row.failed,
    skipped: row.skipped,
  };
}

function knownOf(row: TestRow): KnownTest {
  return {
    id: row.id,
    name: row.name,
    file: row.file,
    lastOutcome: outcomeOf(row.last_outcome),
    meanMs: row.passes > 0 ? row.total_ms / row.passes : null,
    maxMs: row.passes > 0 ? row.max_ms : null,
    runs: row.runs,
  };
}

function outcomeOf(text: string): TestOutcome {
  return text === 'failed' || text === 'skipped' || text === 'expectedFailure' ? text : 'passed';
}
