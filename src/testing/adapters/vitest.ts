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

/** Names are joined by a space up to version 4, by ` > ` from version 5 on. */
const between = '( > | )';

/** Vitest 1 to 5, through a reporter of ours. */
export const vitest: TestAdapter = {
  name: 'vitest',
  install: 'npm install --save-dev vitest',
  evidence: (project) =>
    packageEvidence(project, {
      name: 'vitest',
      config: /^vitest\.(config|workspace)\.\w+$/,
      script: /\bvitest\b/,
    }),
  plan,
  ...throughReporter(typed),
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
    ...(tests === null ? [] : ['-t', namePattern(tests, between)]),
  ];
}
