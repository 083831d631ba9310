import { join } from 'node:path';
import type { TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import {
  filesOf,
  namePattern,
  noTest,
  packageEvidence,
  packageProgram,
  reporterEnvironment,
  throughReporter,
  typedPath,
} from '../javaScript.ts';
import { levelFolder } from '../level.ts';

/** Jest 27 and later, through a reporter of ours. */
export const jest: TestAdapter = {
  name: 'jest',
  install: 'npm install --save-dev jest',
  evidence: (project) =>
    packageEvidence(project, { name: 'jest', config: /^jest\.config\.\w+$/, script: /\bjest\b/ }),
  plan,
  ...throughReporter(typed),
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
