import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StrobeError } from '../../model/errors.ts';
import type { TestEvent, TestOutcome, TestResult } from '../../model/tests/testReport.ts';
import type {
  Evidence,
  ReportSource,
  RunnerEnd,
  TestAdapter,
  TestPlan,
  TestReader,
  TestRequest,
} from '../adapter.ts';
import { listField, parseObject, textField } from '../formats/jsonFields.ts';
import { readJunit } from '../formats/junit.ts';
import { listedTest } from '../formats/listedTest.ts';
import { TextLines } from '../formats/textLines.ts';
import { ProjectFiles } from '../projectFiles.ts';
import { nativeSuspects, nativeTestFiles } from '../suspects.ts';
import { withToldFailure } from '../toldFailure.ts';
import { withGoogleTestFailures } from './googleTest.ts';

/**
 * CTest: its JUnit report, written at the end (CMake 3.21), tells results and output; its console
 * text tells how far it is, and all there is when it is killed.
 */
export const ctest: TestAdapter = {
  name: 'ctest',
  language: 'C++',
  install: 'https://cmake.org/download',
  canList: true,
  evidence,
  plan,
  reader: (request) => new CtestReader(request),
  rerun: (request, test) => [
    'ctest',
    ...selection(request.projectRoot, { ...request, tests: [test] }),
  ],
  suspects: nativeSuspects,
  inCode: {
    functions: () => ['main'],
    declaration: () => /\bmain\s*\(/,
    isByPlace: true,
    testFiles: nativeTestFiles,
  },
};

function evidence(project: ProjectFiles): Evidence | null {
  const folder = testFolder(project);
  return folder === null ? null : { weight: 75, reason: `${folder}/CTestTestfile.cmake` };
}

/** The build folder CTest runs in, relative to the project. */
function testFolder(project: ProjectFiles): string | null {
  if (project.has('CTestTestfile.cmake')) return '.';
  const folders = project.list().filter((name) => /^(build|cmake-build|out|_build)/.test(name));
  for (const folder of folders) {
    const [file] = project.find(/^CTestTestfile\.cmake$/, 2, 1, folder.slice(0, -1));
    if (file !== undefined) return file.slice(0, file.lastIndexOf('/'));
  }
  return null;
}

function reportFile(request: TestRequest): string {
  return join(request.reportFolder, 'ctest.xml');
}

function plan(request: TestRequest): TestPlan {
  if (request.file !== null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      'CTest knows tests, not the files they are written in.',
      'Give test.',
    );
  }
  const selected = selection(request.projectRoot, request);
  const listing = request.purpose === 'list' ? ['--show-only=json-v1'] : [];
  return {
    command: 'ctest',
    args: [...selected, '--output-junit', reportFile(request), '--no-tests=ignore', ...listing],
    cwd: request.projectRoot,
    env: {},
    report: null,
    typed: ['ctest', ...selected],
    notes: [],
  };
}

function selection(projectRoot: string, { tests, level }: TestRequest): string[] {
  const folder = testFolder(new ProjectFiles(projectRoot));
  if (folder === null) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `No build folder of ${projectRoot} has CTest tests.`,
      'Configure and build first: cmake -S . -B build && cmake --build build.',
    );
  }
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return [
    '--test-dir',
    folder,
    ...(tests === null ? [] : ['-R', `^(${tests.map((test) => escaped(test.id)).join('|')})$`]),
    ...(level === null ? [] : ['-L', `^${level}$`]),
  ];
}

class CtestReader implements TestReader {
  readonly #request: TestRequest;
  readonly #lines = new TextLines();
  #json = '';

  constructor(request: TestRequest) {
    this.#request = request;
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    if (source !== 'stdout') return [];
    if (this.#request.purpose === 'list') {
      this.#json += chunk.toString('utf8');
      return [];
    }
    return this.#lines.push(chunk).flatMap(consoleEvents);
  }

  async end(_end: RunnerEnd): Promise<readonly TestEvent[]> {
    if (this.#request.purpose === 'list') return listed(this.#json);
    const events = this.#lines.end().flatMap(consoleEvents);
    const bytes = await readFile(reportFile(this.#request)).catch(() => null);
    const results = bytes === null ? null : readJunit(bytes);
    if (!results) return events;
    for (const junit of results) {
      // CTest repeats the name as the class.
      const name = junit.id.replace(/^(.+)\.\1$/, '$1');
      const result = { ...asCtestSays(junit), id: name, name, file: null, line: null };
      const { projectRoot } = this.#request;
      const told =
        withGoogleTestFailures(result, projectRoot) ?? withToldFailure(result, projectRoot);
      events.push({ kind: 'finished', result: told });
    }
    events.push({ kind: 'complete' });
    return events;
  }
}

/** A test whose program is missing is reported as not run, and counts as failed. */
function asCtestSays(junit: TestResult): TestResult {
  const isMissing = junit.reason?.startsWith('Unable to find') ?? false;
  if (junit.outcome !== 'skipped' || !isMissing) return junit;
  const message = `${junit.reason ?? ''}: build it first`;
  const failure = { message, expected: null, actual: null, frames: [], output: '' };
  return { ...junit, outcome: 'failed', reason: null, failure };
}

function consoleEvents(line: string): TestEvent[] {
  const begun = /^ +Start +\d+: (.+)$/.exec(line)?.[1];
  if (begun !== undefined) return [{ kind: 'started', id: begun, file: null }];
  const ended =
    /^ *\d+\/(\d+) Test +#\d+: (.+?) \.+ *(\*{3})?(Passed|Failed|Skipped|Timeout|Not Run|Exception: ?\w*|\w[\w ]*?) +([\d.]+) sec/.exec(
      line,
    );
  if (!ended) return [];
  const [, , name = '', , word = '', seconds = ''] = ended;
  const outcome: TestOutcome =
    word === 'Passed' ? 'passed' : word === 'Skipped' || word === 'Not Run' ? 'skipped' : 'failed';
  return [
    {
      kind: 'finished',
      result: {
        id: name,
        name,
        file: null,
        line: null,
        outcome,
        durationMs: Number(seconds) * 1000,
        reason: null,
        failure:
          outcome === 'failed'
            ? { message: word, expected: null, actual: null, frames: [], output: '' }
            : null,
      },
    },
  ];
}

function listed(json: string): TestEvent[] {
  return listField(parseObject(json), 'tests').flatMap((test): TestEvent[] => {
    const name = textField(test, 'name');
    return name === null ? [] : [listedTest(name)];
  });
}
