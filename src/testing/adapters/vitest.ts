import { join } from 'node:path';
import { filesOf, javaScriptAdapter, namePattern, noTest } from '../javaScript.ts';
import { levelFolder } from '../level.ts';

/** Names are joined by a space up to version 4, by ` > ` from version 5 on. */
const between = '( > | )';

/** Vitest 1 to 5, through a reporter of ours. */
export const vitest = javaScriptAdapter({
  name: 'vitest',
  isTraced: true,
  install: 'npm install --save-dev vitest',
  config: /^vitest\.(config|workspace)\.\w+$/,
  script: /\bvitest\b/,
  typed: ['npx', 'vitest', 'run'],
  args: ({ reporters }, selected) => [
    'run',
    `--reporter=${join(reporters, 'strobeVitest.mjs')}`,
    ...(selected ?? ['-t', noTest]),
  ],
  selection(request, path) {
    const { tests, level, projectRoot } = request;
    return [
      ...filesOf(request).map(path),
      ...(level === null ? [] : [levelFolder(projectRoot, level)]),
      ...(tests === null ? [] : ['-t', namePattern(tests, between)]),
    ];
  },
});
