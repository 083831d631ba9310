import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Evidence, TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { EventReader } from '../formats/eventReader.ts';
import {
  chosenOnly,
  escapedPattern,
  filesOf,
  namesOf,
  noTest,
  packageEvidence,
  reporterEnvironment,
  runnerWords,
  typedPath,
} from '../javaScript.ts';
import { levelFolder } from '../level.ts';
import { ProjectFiles } from '../projectFiles.ts';
import { qualifiedName, stackSuspects } from '../suspects.ts';

/** Node's own test runner, through a reporter of ours. */
export const node: TestAdapter = {
  name: 'node',
  language: 'JavaScript',
  install: 'https://nodejs.org (version 20 or later)',
  isTestBinary: false,
  // From Node 22 on, tests that are not selected are not told.
  canList: false,
  canBuild: false,
  evidence,
  plan,
  reader: (request) => new EventReader(runnerWords, (events) => chosenOnly(request, events)),
  rerun: (request, test) => typed({ ...request, tests: [test] }),
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
};

function evidence(project: ProjectFiles): Evidence | null {
  const said = packageEvidence(project, {
    name: 'node',
    config: /^(?!)/,
    script: /\bnode\b.*\s--test\b/,
  });
  if (said) return said;
  const file = project
    .find(/\.(test|spec)\.[cm]?js$|^test[-.\w]*\.[cm]?js$/, 3, 30)
    .find((path) => /['"]node:test['"]/.test(project.text(path)));
  return file === undefined ? null : { weight: 60, reason: `${file} uses node:test` };
}

function plan(request: TestRequest): TestPlan {
  const { report, env } = reporterEnvironment(request);
  const reporter = pathToFileURL(join(request.reporters, 'strobeNodeTest.mjs')).href;
  return {
    command: 'node',
    args: [
      '--test',
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
      ...(request.purpose === 'list'
        ? [`--test-name-pattern=${noTest}`]
        : selection(request, (path) => path)),
    ],
    cwd: request.projectRoot,
    env,
    report,
    typed: typed(request),
    notes: [],
  };
}

function typed(request: TestRequest): string[] {
  return ['node', '--test', ...selection(request, (path) => typedPath(request, path))];
}

/** A test is told with the file that defines it, which need not be one that Node runs. */
function testFiles(request: TestRequest): string[] {
  const files = filesOf(request);
  const isRun = (path: string): boolean => /(^|[/._-])test[/._-]/.test(path);
  return request.file !== null || files.every(isRun) ? files : [];
}

/** Names are matched level by level: the innermost one is asked for, in its own file. */
function selection(request: TestRequest, path: (absolute: string) => string): string[] {
  const { tests, level, projectRoot } = request;
  const names = (tests ?? []).map((test) => namesOf(test).at(-1) ?? test.name);
  const folder = level === null ? null : levelFolder(projectRoot, level);
  const levelFiles =
    folder === null ? [] : new ProjectFiles(projectRoot).find(/\.[cm]?js$/, 4, 500, folder);
  return [
    ...[...new Set(names)].map((name) => `--test-name-pattern=/^${escapedPattern(name)}$/`),
    ...testFiles(request).map(path),
    ...levelFiles,
  ];
}
