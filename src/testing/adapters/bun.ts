import type { BuildProblem } from '../../model/tests/testReport.ts';
import type { TestRequest } from '../adapter.ts';
import { mostOutput, tailOf } from '../formats/plainText.ts';
import type { JunitDialect } from '../formats/junitRun.ts';
import { filesOf, javaScriptAdapter, namePattern } from '../javaScript.ts';
import { levelFolder } from '../level.ts';
import { sourcePath } from '../sourcePath.ts';

/** Bun's own test runner, 1.2 and later, through its JUnit report and what it says meanwhile. */
export const bun = javaScriptAdapter({
  name: 'bun',
  install: 'npm install --save-dev bun',
  config: /^(?!)/,
  script: /\bbun test\b/,
  typed: ['bun', 'test'],
  args: (_request, selected, report) => [
    'test',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    ...(selected ?? []),
  ],
  selection(request, path) {
    const { tests, level, projectRoot } = request;
    return [
      ...filesOf(request).map(path),
      ...(level === null ? [] : [levelFolder(projectRoot, level)]),
      ...(tests === null ? [] : ['-t', namePattern(tests)]),
    ];
  },
  dialect,
});

const outcomes = { pass: 'passed', fail: 'failed', skip: 'skipped', todo: 'skipped' } as const;

function dialect({ projectRoot }: TestRequest): JunitDialect {
  let file = '';
  const told = new Set<string>();
  let said = '';
  const path = (name: string): string => sourcePath(name, projectRoot);
  return {
    path,
    line(line, source) {
      if (source === 'stdout' && !line.startsWith('bun test v'))
        said = tailOf(`${said}${line}\n`, mostOutput);
      file = /^(\S.*\.[cm]?[jt]sx?):$/.exec(line)?.[1] ?? file;
      const [, word, name, attempt] =
        /^\((pass|fail|skip|todo)\) (.+?)(?: \(attempt (\d+)\))?(?: \[[\d.]+m?s\])?$/.exec(line) ??
        [];
      if (name === undefined || !isWord(word)) return null;
      const id = file === '' ? name : `${file} > ${name}`;
      told.add(id);
      return { id, outcome: outcomes[word], isRetry: attempt !== undefined };
    },
    // Some versions report groups inside out; the console has the right order.
    id({ id, file: inFile }) {
      const parts = id.split('.');
      const name = parts.slice(1).join('.');
      const groups = (parts[0] ?? '').split(' > ');
      const joined = (way: readonly string[]): string =>
        [...(inFile === null ? [] : [inFile]), ...way, name].join(' > ');
      if (parts.length === 1) return [...(inFile === null ? [] : [inFile]), id].join(' > ');
      const asTold = joined(groups);
      return told.has(asTold) ? asTold : joined(groups.toReversed());
    },
    // Results and the tests' own output are two streams: only of one test it is known whose it is.
    output: () => (told.size === 1 ? said.trim() : ''),
    problems: (words) => problemsIn(words, path),
  };
}

function isWord(word: string | undefined): word is keyof typeof outcomes {
  return word !== undefined && Object.hasOwn(outcomes, word);
}

/** What Bun says between its tests: a file that cannot be read as a module, a missing import. */
function problemsIn(words: string, path: (told: string) => string): BuildProblem[] {
  return [...words.matchAll(/^# Unhandled error between tests\n-+\n([\s\S]*?)\n-{20,}$/gm)].map(
    ([, block = '']) => {
      const message = /^error: (.*)$/m.exec(block)?.[1] ?? block.trim().slice(0, 500);
      const [, file, line, column] = /^\s+at (?:.*? \()?(\/.*?):(\d+):(\d+)\)?$/m.exec(block) ?? [];
      return {
        file: file === undefined ? null : path(file),
        line: line === undefined ? null : Number(line),
        column: column === undefined ? null : Number(column),
        message,
      };
    },
  );
}
