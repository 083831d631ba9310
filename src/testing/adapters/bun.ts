import { join } from 'node:path';
import type { BuildProblem } from '../../model/tests/testReport.ts';
import type { TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { mostOutput, tailOf } from '../formats/plainText.ts';
import { JunitRun, type JunitDialect } from '../formats/junitRun.ts';
import {
  chosenOnly,
  filesOf,
  namePattern,
  packageEvidence,
  packageProgram,
  throughReporter,
  typedPath,
} from '../javaScript.ts';
import { levelFolder } from '../level.ts';
import { sourcePath } from '../sourcePath.ts';

/** Bun's own test runner, 1.2 and later, through its JUnit report and what it says meanwhile. */
export const bun: TestAdapter = {
  name: 'bun',
  install: 'npm install --save-dev bun',
  evidence: (project) =>
    packageEvidence(project, { name: 'bun', config: /^(?!)/, script: /\bbun test\b/ }),
  plan,
  ...throughReporter(typed),
  // It has no way to name tests without running them.
  canList: false,
  reader: (request) =>
    new JunitRun(reportFile(request), dialect(request), (events) => chosenOnly(request, events)),
};

function reportFile(request: TestRequest): string {
  return join(request.reportFolder, 'bun.xml');
}

function plan(request: TestRequest): TestPlan {
  return {
    command: packageProgram('bun', request),
    args: [
      'test',
      '--reporter=junit',
      `--reporter-outfile=${reportFile(request)}`,
      ...selection(request, (path) => path),
    ],
    cwd: request.projectRoot,
    env: {},
    report: null,
    typed: typed(request),
    notes: [],
  };
}

function typed(request: TestRequest): string[] {
  return ['bun', 'test', ...selection(request, (path) => typedPath(request, path))];
}

function selection(request: TestRequest, path: (absolute: string) => string): string[] {
  const { tests, level, projectRoot } = request;
  return [
    ...filesOf(request).map(path),
    ...(level === null ? [] : [levelFolder(projectRoot, level)]),
    ...(tests === null ? [] : ['-t', namePattern(tests)]),
  ];
}

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
    // Groups are told inside out in some versions: the console knows.
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
