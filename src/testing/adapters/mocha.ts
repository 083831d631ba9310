import { join } from 'node:path';
import type { TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { EventReader } from '../formats/eventReader.ts';
import {
  chosenOnly,
  filesOf,
  namePattern,
  packageEvidence,
  packageProgram,
  reporterEnvironment,
  runnerWords,
  typedPath,
} from '../javaScript.ts';
import { levelFolder } from '../level.ts';
import { qualifiedName, stackSuspects } from '../suspects.ts';

/** Mocha 8 and later, through a reporter of ours. */
export const mocha: TestAdapter = {
  name: 'mocha',
  language: 'JavaScript',
  install: 'npm install --save-dev mocha',
  isTestBinary: false,
  canList: true,
  canBuild: false,
  evidence: (project) =>
    packageEvidence(project, { name: 'mocha', config: /^\.mocharc(\.\w+)?$/, script: /\bmocha\b/ }),
  plan,
  reader: (request) => new EventReader(runnerWords, (events) => chosenOnly(request, events)),
  rerun: (request, test) => typed({ ...request, tests: [test] }),
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
};

function plan(request: TestRequest): TestPlan {
  const { report, env } = reporterEnvironment(request);
  // Files of the project's settings run beside those given here: Mocha adds them up.
  const isAdded = filesOf(request).length > 0 && request.tests === null;
  return {
    command: packageProgram('mocha', request),
    args: [
      '--reporter',
      join(request.reporters, 'strobeMocha.cjs'),
      ...(request.purpose === 'list' ? ['--dry-run'] : selection(request, (path) => path)),
    ],
    cwd: request.projectRoot,
    env,
    report,
    typed: typed(request),
    notes: isAdded ? ["Mocha adds the files of the project's own settings, if they name any."] : [],
  };
}

function typed(request: TestRequest): string[] {
  return ['npx', 'mocha', ...selection(request, (path) => typedPath(request, path))];
}

function selection(request: TestRequest, path: (absolute: string) => string): string[] {
  const { tests, level, projectRoot } = request;
  return [
    ...(tests === null ? [] : ['--grep', namePattern(tests)]),
    ...filesOf(request).map(path),
    ...(level === null ? [] : ['--recursive', levelFolder(projectRoot, level)]),
  ];
}
