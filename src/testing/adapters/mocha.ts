import { join } from 'node:path';
import { filesOf, javaScriptAdapter, namePattern } from '../javaScript.ts';
import { levelFolder } from '../level.ts';

/** Mocha 8 and later, through a reporter of ours. */
export const mocha = javaScriptAdapter({
  name: 'mocha',
  isTraced: true,
  install: 'npm install --save-dev mocha',
  config: /^\.mocharc(\.\w+)?$/,
  script: /\bmocha\b/,
  typed: ['npx', 'mocha'],
  args: ({ reporters }, selected) => [
    '--reporter',
    join(reporters, 'strobeMocha.cjs'),
    '--require',
    join(reporters, 'strobeMochaTests.cjs'),
    ...(selected ?? ['--dry-run']),
  ],
  // Mocha runs the files of the project's settings beside those given here.
  notes: (request) =>
    filesOf(request).length > 0 && request.tests === null
      ? ["Mocha adds the files of the project's own settings, if they name any."]
      : [],
  selection(request, path) {
    const { tests, level, projectRoot } = request;
    return [
      ...(tests === null ? [] : ['--grep', namePattern(tests)]),
      ...filesOf(request).map(path),
      ...(level === null ? [] : ['--recursive', levelFolder(projectRoot, level)]),
    ];
  },
});
