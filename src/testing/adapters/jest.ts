import { join } from 'node:path';
import type { TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { EventReader } from '../formats/eventReader.ts';
import {
  chosenOnly,
  filesOf,
  namePattern,
  noTest,
  packageEvidence,
  packageProgram,
  reporterEnvironment,
  runnerWords,
  typedPath,
} from '../javaScript.ts';
import { levelFolder } from '../level.ts';
import { qualifiedName, stackSuspects } from '../suspects.ts';

/** Jest 27 and later, through a reporter of ours. */
export const jest: TestAdapter = {
  name: 'jest',
  language: 'JavaScript',
  install: 'npm install --save-dev jest',
  isTestBinary: false,
  canList: true,
  canBuild: false,
  evidence: (project) =>
    packageEvidence(project, { name: 'jest', config: /^jest\.config\.\w+$/, script: /\bjest\b/ }),
  plan,
  reader: (request) => new EventReader(runnerWords, (events) => chosenOnly(request, events)),
  rerun: (request, test) => typed({ ...request, tests: [test] }),
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
};

function plan(request: TestRequest): TestPlan {
  const { report, env } = reporterEnvironment(request);
  return {
    command: packageProgram('jest', request),
    args: [
      `--reporters=${join(request.reporters, 'strobeJest.cjs')}`,
      '--testLocationInResults',
      ...(request.purpose === 'list' ? ['-t', noTest] : selection(request, (path) => path)),
    ],
    cwd: request.projectRoot,
    env,
    report,
    typed: typed(request),
    notes: [],
  };
}

function typed(request: TestRequest): string[] {
  return ['npx', 'jest', ...selection(request, (path) => typedPath(request, path))];
}

function selection(request: TestRequest, path: (absolute: string) => string): string[] {
  const { tests, level, projectRoot } = request;
  const files = filesOf(request).map(path);
  return [
    ...(tests === null ? [] : ['-t', namePattern(tests)]),
    ...(files.length === 0 ? [] : ['--runTestsByPath', ...files]),
    ...(level === null ? [] : [levelFolder(projectRoot, level)]),
  ];
}
