import { readFile } from 'node:fs/promises';
import type {
  BuildProblem,
  TestEvent,
  TestFrame,
  TestResult,
} from '../../model/tests/testReport.ts';
import type { ReportSource, RunnerEnd, TestReader } from '../adapter.ts';
import { readJunit } from './junit.ts';
import { mostOutput, plainText, tailOf } from './plainText.ts';
import { TextLines } from './textLines.ts';

/** One test as the console tells it. */
export interface ConsoleResult {
  readonly id: string;
  readonly outcome: TestResult['outcome'];
  /** It failed before and was tried again. */
  readonly isRetry?: boolean;
}

/** What one runner says on its console, and how its report names tests. */
export interface JunitDialect {
  /** Outcome and id of a test from a line; null for other lines. The reader is told of every line. */
  line(line: string, source: ReportSource): ConsoleResult | null;
  /** What a test wrote, by its id; empty where the console does not tell whose it is. */
  output(id: string): string;
  /** The id the console gives a test of the report. */
  id(result: TestResult): string;
  /** What kept a file's tests from running, from everything the runner said. */
  problems(words: string): readonly BuildProblem[];
  /** Absolute. */
  path(told: string): string;
}

const mostWords = 1 << 20;
/** Said instead of a report: nothing went wrong. */
const noTests = /No tests? (?:modules |files )?found/i;

/**
 * A runner that writes a JUnit report at its end: the report tells the results, the console what
 * runs meanwhile and what a runner that died had told.
 */
export class JunitRun implements TestReader {
  readonly #reportPath: string;
  readonly #dialect: JunitDialect;
  readonly #tells: (events: readonly TestEvent[]) => readonly TestEvent[];
  readonly #lines = { stdout: new TextLines(), stderr: new TextLines(), report: new TextLines() };
  #words = '';

  /** `tells`: what of the events counts for the request. */
  constructor(
    reportPath: string,
    dialect: JunitDialect,
    tells: (events: readonly TestEvent[]) => readonly TestEvent[],
  ) {
    this.#reportPath = reportPath;
    this.#dialect = dialect;
    this.#tells = tells;
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    const lines = this.#lines[source].push(chunk);
    return this.#tells(lines.flatMap((line) => this.#line(plainText(line), source)));
  }

  async end(end: RunnerEnd): Promise<readonly TestEvent[]> {
    const rest = (['stdout', 'stderr'] as const).flatMap((source) =>
      this.#lines[source].end().map((line) => ({ line: plainText(line), source })),
    );
    const events = rest.flatMap(({ line, source }) => this.#line(line, source));
    const bytes = await readFile(this.#reportPath).catch(() => null);
    const results = bytes === null || bytes.length === 0 ? null : readJunit(bytes, true);
    for (const result of results ?? [])
      events.push({ kind: 'finished', result: this.#whole(result) });
    const problems = this.#dialect.problems(this.#words);
    for (const problem of problems) events.push({ kind: 'buildProblem', problem });
    if (results) events.push({ kind: 'complete' });
    else if (problems.length === 0 && end.code !== 0 && !end.stopped && !noTests.test(this.#words))
      events.push({ kind: 'trouble', text: this.#words.trim().slice(-3000) });
    return this.#tells(events);
  }

  #line(line: string, source: ReportSource): TestEvent[] {
    if (this.#words.length < mostWords) this.#words += `${line}\n`;
    const told = this.#dialect.line(line, source);
    if (!told) return [];
    const isRetried = told.isRetry && told.outcome === 'passed';
    return [
      ...(isRetried ? consoleResult({ ...told, outcome: 'failed' }) : []),
      ...consoleResult(told),
    ];
  }

  #whole(result: TestResult): TestResult {
    const path = (told: string): string => this.#dialect.path(told);
    const id = this.#dialect.id(result);
    // Deno tells the file in the name alone.
    const told = result.file ?? /^(.+?\.[cm]?[jt]sx?) > /.exec(id)?.[1] ?? null;
    const file = told === null ? null : path(told);
    const { failure } = result;
    if (!failure) return { ...result, id, name: id, file };
    const frames = [...failure.output.matchAll(framePattern)].map(
      ([, name, at, line]): TestFrame => ({
        function: name ?? null,
        file: path(at ?? ''),
        line: Number(line),
      }),
    );
    const message = failure.message.replace(/^Uncaught /, '').trim();
    const expected = /^Expected: (.*)$/m.exec(message)?.[1] ?? null;
    const actual = /^Received: (.*)$/m.exec(message)?.[1] ?? null;
    const output = tailOf(this.#dialect.output(id), mostOutput);
    return {
      ...result,
      id,
      name: id,
      file,
      failure: { ...failure, message, expected, actual, frames, output },
    };
  }
}

function consoleResult({ id, outcome }: ConsoleResult): TestEvent[] {
  const base = { id, name: id, file: null, line: null, durationMs: null };
  const failure =
    outcome === 'failed'
      ? { message: 'failed', expected: null, actual: null, frames: [], output: '' }
      : null;
  return [{ kind: 'finished', result: { ...base, outcome, reason: null, failure } }];
}

/** `at total (file:///shop/cart.ts:3:128)`, `at cart.test.ts:5:79` */
const framePattern =
  /^\s+at (?:(?:async )?([^\s(]+) \()?(?:file:\/\/)?([^\s():][^():]*):(\d+):\d+\)?$/gm;
