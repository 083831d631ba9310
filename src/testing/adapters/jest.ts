import { join } from 'node:path';
import { filesOf, javaScriptAdapter, namePattern, noTest } from '../javaScript.ts';
import { levelFolder } from '../level.ts';

/** Jest 27 and later, through a reporter of ours. */
export const jest = javaScriptAdapter({
  name: 'jest',
  isTraced: true,
  install: 'npm install --save-dev jest',
  config: /^jest\.config\.\w+$/,
  script: /\bjest\b/,
  typed: ['npx', 'jest'],
  args: ({ reporters }, selected) => [
    `--reporters=${join(reporters, 'strobeJest.cjs')}`,
    '--testLocationInResults',
    ...(selected ?? ['-t', noTest]),
  ],
  selection(request, path) {
    const { tests, level, projectRoot } = request;
    const files = filesOf(request).map(path);
    return [
      ...(tests === null ? [] : ['-t', namePattern(tests)]),
      ...(files.length === 0 ? [] : ['--runTestsByPath', ...files]),
      ...(level === null ? [] : [levelFolder(projectRoot, level)]),
    ];
  },
});
