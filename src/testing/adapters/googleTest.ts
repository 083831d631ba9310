import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  TestEvent,
  TestFailure,
  TestFrame,
  TestResult,
} from '../../model/tests/testReport.ts';
import type {
  ChosenTest,
  ReportSource,
  RunnerEnd,
  TestAdapter,
  TestPlan,
  TestReader,
  TestRequest,
} from '../adapter.ts';
import { googleTestSides } from '../formats/comparison.ts';
import { listField, numberField, parseObject, textField } from '../formats/jsonFields.ts';
import { mostOutput, plainText, tailOf } from '../formats/plainText.ts';
import { TextLines } from '../formats/textLines.ts';
import { sourcePath } from '../sourcePath.ts';
import { nativeSuspects, nativeTestFiles } from '../suspects.ts';
import {
  binaryEvidence,
  refuseFileAndLevel,
  requestedBinary,
  testFolder,
  typedBinary,
} from '../testBinary.ts';

/**
 * GoogleTest: its console text tells what runs and what a dead runner left, its JSON report, which
 * is written at the end, tells places and failures.
 */
export const googletest: TestAdapter = {
  name: 'googletest',
  language: 'C++',
  install: 'build the tests first',
  isTestBinary: true,
  canList: true,
  evidence: (project) => binaryEvidence(project, 'googletest', 'GoogleTest'),
  plan,
  reader: (request) => new GoogleTestReader(request),
  rerun: (request, test) => [
    typedBinary(request, requestedBinary(request, 'googletest')),
    `--gtest_filter=${test.id}`,
  ],
  suspects: nativeSuspects,
  inCode: {
    testFiles: nativeTestFiles,
    functions: (test) => {
      const body = `${partsOf(test).join('_')}_Test::TestBody`;
      return [body, `**::${body}`];
    },
    boundary: {
      start: 'testing::internal::TestEventRepeater::OnTestStart',
      end: 'testing::internal::TestEventRepeater::OnTestEnd',
    },
    declaration: (test) => new RegExp(`\\(\\s*${partsOf(test).join('\\s*,\\s*')}\\s*\\)`),
  },
};

/** Suite and name of `Cases/Suite.Name/3` and `Suite/0.Name`. */
function partsOf({ id }: ChosenTest): [suite: string, name: string] {
  const [left = '', right = ''] = id.split('.');
  const suite = left.split('/').findLast((part) => !/^\d+$/.test(part));
  return [suite ?? left, right.split('/')[0] ?? right];
}

function reportFile(request: TestRequest): string {
  return join(request.reportFolder, 'googletest.json');
}

function plan(request: TestRequest): TestPlan {
  refuseFileAndLevel(request, 'googletest');
  const binary = requestedBinary(request, 'googletest');
  const { tests } = request;
  const isDisabled = tests?.some((test) => /(^|[./])DISABLED_/.test(test.id)) ?? false;
  const selected = [
    ...(tests === null ? [] : [`--gtest_filter=${tests.map((test) => test.id).join(':')}`]),
    ...(isDisabled ? ['--gtest_also_run_disabled_tests'] : []),
  ];
  return {
    command: binary,
    args: [
      `--gtest_output=json:${reportFile(request)}`,
      ...(request.purpose === 'list' ? ['--gtest_list_tests'] : []),
      ...selected,
    ],
    cwd: testFolder(request, 'googletest'),
    env: {},
    report: null,
    typed: [typedBinary(request, binary), ...selected],
    notes: [],
  };
}

const ended = /\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+)(?:, where .*)? \((\d+) ms\)$/;

class GoogleTestReader implements TestReader {
  readonly #request: TestRequest;
  readonly #lines = new TextLines();
  #output: string[] = [];
  readonly #console = new Map<string, TestResult>();

  constructor(request: TestRequest) {
    this.#request = request;
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    if (source !== 'stdout' || this.#request.purpose === 'list') return [];
    return this.#lines.push(chunk).flatMap((line) => this.#line(line));
  }

  async end(_end: RunnerEnd): Promise<readonly TestEvent[]> {
    const events = this.#lines.end().flatMap((line) => this.#line(line));
    const report = parseObject(await readFile(reportFile(this.#request), 'utf8').catch(() => ''));
    if (!report) return events;
    for (const suite of listField(report, 'testsuites'))
      for (const test of listField(suite, 'testsuite'))
        events.push(...this.#reported(test, textField(suite, 'name') ?? ''));
    events.push({ kind: 'complete' });
    return events;
  }

  #line(line: string): TestEvent[] {
    const count = /^\[=+\] Running (\d+) tests? from /.exec(line)?.[1];
    if (count !== undefined) return [{ kind: 'expected', count: Number(count) }];
    const begun = /\[ RUN {6}\] (\S+)$/.exec(line)?.[1];
    if (begun !== undefined) {
      this.#output = [];
      return [{ kind: 'started', id: begun, file: null }];
    }
    const found = ended.exec(line);
    if (!found) {
      if (this.#output.length < 2000) this.#output.push(line);
      return [];
    }
    const rest = line.slice(0, found.index);
    if (rest !== '') this.#output.push(rest);
    const result = this.#told(found);
    this.#console.set(result.id, result);
    return [{ kind: 'finished', result }];
  }

  #told(found: RegExpExecArray): TestResult {
    const [, word = '', id = '', ms = ''] = found;
    const text = plainText(this.#output.join('\n'));
    const at = /^(.+?):(\d+): (?:Failure|Skipped)$/m.exec(text);
    const outcome = word === 'OK' ? 'passed' : word === 'SKIPPED' ? 'skipped' : 'failed';
    const file = at?.[1] === undefined ? null : this.#path(at[1]);
    return {
      id,
      name: id,
      file,
      line: at ? Number(at[2]) : null,
      outcome,
      durationMs: Number(ms),
      reason: outcome === 'skipped' ? text.split('\n').slice(1).join('\n') || null : null,
      failure: outcome === 'failed' ? this.#failure(failuresIn(text), said(text)) : null,
    };
  }

  #reported(test: unknown, suiteName: string): TestEvent[] {
    const name = textField(test, 'name');
    const suite = textField(test, 'classname') ?? suiteName;
    if (name === null) return [];
    const id = `${suite}.${name}`;
    const isList = this.#request.purpose === 'list';
    const isRun = textField(test, 'status') !== 'NOTRUN';
    const failures = listField(test, 'failures').flatMap(
      (failure) => textField(failure, 'failure') ?? [],
    );
    const skip = textField(listField(test, 'skipped')[0], 'message');
    const isSkipped = !isRun || textField(test, 'result') === 'SKIPPED';
    const outcome = failures.length > 0 ? 'failed' : isSkipped ? 'skipped' : 'passed';
    const file = textField(test, 'file');
    const parameter = textField(test, 'value_param');
    // What the test wrote, and why it was skipped in older versions, is in the console text only.
    const told = this.#console.get(id);
    return [
      {
        kind: 'finished',
        result: {
          id,
          name: id,
          file: file === null ? null : this.#path(file),
          line: numberField(test, 'line'),
          outcome: isList ? 'skipped' : outcome,
          durationMs: Number.parseFloat(textField(test, 'time') ?? '0') * 1000,
          reason:
            outcome === 'skipped'
              ? isRun
                ? (skip ?? told?.reason ?? null)
                : 'disabled'
              : parameter,
          failure:
            outcome === 'failed' ? this.#failure(failures, told?.failure?.output ?? '') : null,
        },
      },
    ];
  }

  #path(told: string): string {
    return sourcePath(told, this.#request.projectRoot, this.#folders());
  }

  #folders(): string[] {
    const { command, projectRoot } = this.#request;
    return command === null ? [] : [join(projectRoot, command, '..')];
  }

  #failure(failures: readonly string[], output: string): TestFailure {
    return failureOf(failures, output, (told) => this.#path(told));
  }
}

/** `file:line` and the message of each failure. */
function failureOf(
  failures: readonly string[],
  output: string,
  pathOf: (told: string) => string,
): TestFailure {
  const frames: TestFrame[] = [];
  const messages = failures.map((text) => {
    const at = /^(.+?):(\d+)\n/.exec(text);
    if (!at) return text.replace(/^unknown file\n/, '');
    frames.push({ function: null, file: pathOf(at[1] ?? ''), line: Number(at[2]) });
    return text.slice(at[0].length);
  });
  const message = plainText(messages.join('\n')) || 'failed';
  return { message, ...googleTestSides(message), frames, output: tailOf(output, mostOutput) };
}

/** A failed test of another runner whose output is GoogleTest's, with all that failed in it; null: it is not. */
export function withGoogleTestFailures(result: TestResult, projectRoot: string): TestResult | null {
  const text = plainText(result.failure?.output ?? '');
  if (!result.failure || !/^\[ RUN {6}\] /m.test(text)) return null;
  const body = text.replace(/^[\s\S]*?\[ RUN {6}\] .*\n/, '').replace(/^\[ {2}FAILED[\s\S]*$/m, '');
  const failures = failuresIn(body);
  if (failures.length === 0) return null;
  const failure = failureOf(failures, said(body), (told) => sourcePath(told, projectRoot));
  const [first] = failure.frames;
  return { ...result, file: first?.file ?? null, line: first?.line ?? null, failure };
}

/** The failures in a test's console text, in the form of the report. */
function failuresIn(text: string): string[] {
  return text
    .split(/^(?=.+?(?::\d+)?: Failure$)/m)
    .filter((part) => /: Failure$/m.test(part))
    .map((part) => part.replace(/: Failure\n/, '\n').trimEnd());
}

/** What the test itself wrote, as far as it can be told from the framework's text. */
function said(text: string): string {
  const first = text.search(/^.+?(?::\d+)?: Failure$/m);
  return (first < 0 ? text : text.slice(0, first)).trim();
}
