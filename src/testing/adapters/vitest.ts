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

/** Vitest 1 to 4, through a reporter of ours. */
export const vitest: TestAdapter = {
  name: 'vitest',
  language: 'JavaScript',
  install: 'npm install --save-dev vitest',
  isTestBinary: false,
  canList: true,
  canBuild: false,
  evidence: (project) =>
    packageEvidence(project, {
      name: 'vitest',
      config: /^vitest\.(config|workspace)\.\w+$/,
      script: /\bvitest\b/,
    }),
  plan,
  reader: (request) => new EventReader(runnerWords, (events) => chosenOnly(request, events)),
  rerun: (request, test) => typed({ ...request, tests: [test] }),
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
};

function plan(request: TestRequest): TestPlan {
  const { report, env } = reporterEnvironment(request);
  return {
    command: packageProgram('vitest', request),
    args: [
      'run',
      `--reporter=${join(request.reporters, 'strobeVitest.mjs')}`,
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
  return ['npx', 'vitest', 'run', ...selection(request, (path) => typedPath(request, path))];
}

function selection(request: TestRequest, path: (absolute: string) => string): string[] {
  const { tests, level, projectRoot } = request;
  return [
    ...filesOf(request).map(path),
    ...(level === null ? [] : [levelFolder(projectRoot, level)]),
    ...(tests === null ? [] : ['-t', namePattern(tests)]),
  ];
}
