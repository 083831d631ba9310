import { join } from 'node:path';
import type { TestEvent } from '../../model/tests/testReport.ts';
import type {
  ReportSource,
  RunnerEnd,
  TestAdapter,
  TestPlan,
  TestReader,
  TestRequest,
} from '../adapter.ts';
import { CatchXml } from '../formats/catchXml.ts';
import { listedTest } from '../formats/listedTest.ts';
import { TextLines } from '../formats/textLines.ts';
import { sourcePath } from '../sourcePath.ts';
import { nativeSuspects, nativeTestFiles } from '../suspects.ts';
import {
  binaryEvidence,
  refuseFileAndLevel,
  requestedBinary,
  testFolder,
  typedBinary,
  textInProgram,
} from '../testBinary.ts';

/** Catch2, versions 2 and 3, through its XML reporter, which writes while the tests run. */
export const catch2: TestAdapter = {
  name: 'catch2',
  language: 'C++',
  install: 'build the tests first',
  isTestBinary: true,
  canList: true,
  evidence: (project) => binaryEvidence(project, 'catch2', 'Catch2'),
  plan,
  reader: (request) => new Catch2Reader(request),
  rerun: (request, test) => [
    typedBinary(request, requestedBinary(request, 'catch2')),
    escapedName(test.id),
  ],
  suspects: nativeSuspects,
  inCode: {
    testFiles: nativeTestFiles,
    // All tests of a program: a test's name is not in the name of its function.
    functions: () => [
      '*C_A_T_C_H_T_E_S_T_*',
      '**::*C_A_T_C_H_T_E_S_T_*::test',
      'CATCH2_INTERNAL_*',
    ],
    boundary: {
      start: 'Catch::XmlReporter::testCaseStarting',
      end: 'Catch::XmlReporter::testCaseEnded',
    },
    declaration: ({ id }) =>
      new RegExp(`"${id.replaceAll('"', '\\"').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}"`),
  },
};

function plan(request: TestRequest): TestPlan {
  refuseFileAndLevel(request, 'catch2');
  const binary = requestedBinary(request, 'catch2');
  const report = join(request.reportFolder, 'catch2.xml');
  const selected =
    request.tests === null ? [] : [request.tests.map((test) => escapedName(test.id)).join(',')];
  // Version 3 lists names with --list-tests in its quiet voice, version 2 has an option for it.
  const isOld = textInProgram(binary, ['list-test-names-only']) !== null;
  const listing = isOld ? ['--list-test-names-only'] : ['--list-tests', '--verbosity', 'quiet'];
  return {
    command: binary,
    args:
      request.purpose === 'list'
        ? listing
        : ['--reporter', 'xml', '--durations', 'yes', '--out', report, ...selected],
    cwd: testFolder(request, 'catch2'),
    env: {},
    report: request.purpose === 'list' ? null : report,
    typed: [typedBinary(request, binary), ...selected],
    notes: [],
  };
}

/** A name as a test specification: commas, brackets and wildcards mean themselves. */
function escapedName(name: string): string {
  return name.replace(/[\\,[\]*~]/g, (sign) => (sign === '*' ? '?' : `\\${sign}`));
}

class Catch2Reader implements TestReader {
  readonly #request: TestRequest;
  readonly #xml: CatchXml;
  readonly #names = new TextLines();

  constructor(request: TestRequest) {
    this.#request = request;
    const { projectRoot, command } = request;
    const folders = command === null ? [] : [join(projectRoot, command, '..')];
    this.#xml = new CatchXml((told) => sourcePath(told, projectRoot, folders));
  }

  feed(source: ReportSource, chunk: Buffer): readonly TestEvent[] {
    if (source === 'report') return this.#xml.push(chunk);
    if (this.#request.purpose !== 'list' || source !== 'stdout') return [];
    return this.#names.push(chunk).flatMap(named);
  }

  end(_end: RunnerEnd): Promise<readonly TestEvent[]> {
    return Promise.resolve(
      this.#request.purpose === 'list' ? this.#names.end().flatMap(named) : [],
    );
  }
}

function named(line: string): TestEvent[] {
  const name = line.trim();
  return name === '' ? [] : [listedTest(name)];
}
