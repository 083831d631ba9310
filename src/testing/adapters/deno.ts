import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildProblem } from '../../model/tests/testReport.ts';
import type { Evidence, TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { mostOutput, tailOf } from '../formats/plainText.ts';
import { JunitRun, type JunitDialect } from '../formats/junitRun.ts';
import {
  chosenOnly,
  escapedPattern,
  filesOf,
  namesOf,
  packageEvidence,
  packageProgram,
  throughReporter,
  typedPath,
} from '../javaScript.ts';
import { levelFolder } from '../level.ts';
import type { ProjectFiles } from '../projectFiles.ts';
import { sourcePath } from '../sourcePath.ts';

/** Deno's own test runner, 2 and later, through its JUnit report and what it says meanwhile. */
export const deno: TestAdapter = {
  name: 'deno',
  install: 'npm install --save-dev deno',
  evidence,
  plan,
  ...throughReporter(typed),
  // It has no way to name tests without running them.
  canList: false,
  reader: (request) =>
    new JunitRun(reportFile(request), dialect(request), (events) => chosenOnly(request, events)),
};

function evidence(project: ProjectFiles): Evidence | null {
  const settings = ['deno.json', 'deno.jsonc'].find((name) => project.has(name));
  if (settings !== undefined) return { weight: 85, reason: settings };
  return packageEvidence(project, { name: 'deno', config: /^(?!)/, script: /\bdeno test\b/ });
}

function reportFile(request: TestRequest): string {
  return join(request.reportFolder, 'deno.xml');
}

function plan(request: TestRequest): TestPlan {
  return {
    command: packageProgram('deno', request),
    args: ['test', `--junit-path=${reportFile(request)}`, ...selection(request, (path) => path)],
    cwd: request.projectRoot,
    env: { NO_COLOR: '1' },
    report: null,
    typed: typed(request),
    notes: [],
  };
}

function typed(request: TestRequest): string[] {
  return ['deno', 'test', ...selection(request, (path) => typedPath(request, path))];
}

/** Steps cannot be chosen: the test around them is. */
function selection(request: TestRequest, path: (absolute: string) => string): string[] {
  const { tests, level, projectRoot } = request;
  const names = [...new Set((tests ?? []).map((test) => namesOf(test)[0] ?? test.name))];
  return [
    ...(names.length === 0 ? [] : ['--filter', `/^(${names.map(escapedPattern).join('|')})$/`]),
    ...filesOf(request).map(path),
    ...(level === null ? [] : [levelFolder(projectRoot, level)]),
  ];
}

const outcomes = { ok: 'passed', FAILED: 'failed', ignored: 'skipped' } as const;

function dialect({ projectRoot }: TestRequest): JunitDialect {
  let file = '';
  /** The test that runs, and whether what follows is its own output. */
  let current = '';
  let isOutput = false;
  const said = new Map<string, string>();
  const path = (name: string): string =>
    sourcePath(name.startsWith('file:') ? fileURLToPath(name) : name, projectRoot);
  return {
    path,
    line(line) {
      if (isOutput) {
        isOutput = line !== '----- output end -----';
        if (isOutput) said.set(current, tailOf(`${said.get(current) ?? ''}${line}\n`, mostOutput));
        return null;
      }
      if (line === '------- output -------') {
        isOutput = true;
        return null;
      }
      const begun = /^(\S.*?) \.\.\.$/.exec(line)?.[1];
      if (begun !== undefined) current = `${file} > ${begun}`;
      file = /^running \d+ tests? from (?:\.\/)?(.+)$/.exec(line)?.[1] ?? file;
      const [, name, word] = /^(\S.*?) \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? [];
      if (name === undefined || !isWord(word)) return null;
      return { id: `${file} > ${name}`, outcome: outcomes[word] };
    },
    // `./cart_test.ts.sums up > inner`
    id: ({ id }) => id.replace(/^(?:\.\/)?(.+?\.[cm]?[jt]sx?)\./, '$1 > '),
    output: (id) => said.get(id)?.trim() ?? '',
    problems: (words) => problemsIn(words, path),
  };
}

function isWord(word: string | undefined): word is keyof typeof outcomes {
  return word !== undefined && Object.hasOwn(outcomes, word);
}

/** `TS2322 [ERROR]: …` and syntax errors, each with the place below it. */
function problemsIn(words: string, path: (told: string) => string): BuildProblem[] {
  const found = words.matchAll(
    /^(?:(TS\d+) \[ERROR\]: |error: (?=The module's source code|Expected|Unexpected))(.*)$([\s\S]*?)^\s+at (file:\S+?):(\d+):(\d+)$/gm,
  );
  return [...found].map(([, code, said = '', , file = '', line, column]) => ({
    file: path(file),
    line: Number(line),
    column: Number(column),
    message: code === undefined ? said : `${code}: ${said}`,
  }));
}
