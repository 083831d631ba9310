import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestAdapter, TestRequest } from '../adapter.ts';
import { filesOf, javaScriptAdapter, noTest } from '../javaScript.ts';
import { escapedPattern, namesOf } from '../javaScriptNames.ts';
import { levelFolder } from '../level.ts';
import { ProjectFiles } from '../projectFiles.ts';

const runner = javaScriptAdapter({
  name: 'node',
  isTraced: true,
  install: 'https://nodejs.org (version 20 or later)',
  config: /^(?!)/,
  script: /\bnode\b.*\s--test\b/,
  command: 'node',
  typed: ['node', '--test'],
  args: ({ reporters }, selected) => [
    '--test',
    `--test-reporter=${pathToFileURL(join(reporters, 'strobeNodeTest.mjs')).href}`,
    '--test-reporter-destination=stdout',
    ...(selected ?? [`--test-name-pattern=${noTest}`]),
  ],
  // Names are matched level by level: the innermost one is asked for, in its own file.
  selection(request, path) {
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
  },
});

/** Node's own test runner, through a reporter of ours. */
export const node: TestAdapter = {
  ...runner,
  // From Node 22 on, its reporters do not see the tests that are not selected.
  canList: false,
  evidence(project) {
    const said = runner.evidence(project);
    if (said) return said;
    const file = project
      .find(/\.(test|spec)\.[cm]?js$|^test[-.\w]*\.[cm]?js$/, 3, 30)
      .find((path) => /['"]node:test['"]/.test(project.text(path)));
    return file === undefined ? null : { weight: 60, reason: `${file} uses node:test` };
  },
};

/** The file that defines a test need not be one that Node runs. */
function testFiles(request: TestRequest): string[] {
  const files = filesOf(request);
  const isRun = (path: string): boolean => /(^|[/._-])test[/._-]/.test(path);
  return request.file !== null || files.every(isRun) ? files : [];
}
