import { fileURLToPath } from 'node:url';
import type { BuildProblem } from '../../model/tests/testReport.ts';
import type { TestAdapter, TestRequest } from '../adapter.ts';
import { mostOutput, tailOf } from '../formats/plainText.ts';
import type { JunitDialect } from '../formats/junitRun.ts';
import { denoPermissions } from '../denoPermissions.ts';
import { filesOf, javaScriptAdapter } from '../javaScript.ts';
import { javaScriptInCode } from '../javaScriptInCode.ts';
import { escapedPattern, joint, namesOf } from '../javaScriptNames.ts';
import { levelFolder } from '../level.ts';
import { ProjectFiles } from '../projectFiles.ts';
import { sourcePath } from '../sourcePath.ts';

const runner = javaScriptAdapter({
  name: 'deno',
  install: 'npm install --save-dev deno',
  config: /^(?!)/,
  script: /\bdeno test\b/,
  typed: ['deno', 'test'],
  args: (_request, selected, report) => ['test', `--junit-path=${report}`, ...(selected ?? [])],
  env: { NO_COLOR: '1' },
  // Steps cannot be chosen: the test around them is.
  selection(request, path) {
    const { tests, level, projectRoot } = request;
    const names = [...new Set((tests ?? []).map((test) => namesOf(test)[0] ?? test.name))];
    return [
      ...denoPermissions(new ProjectFiles(projectRoot)),
      ...(names.length === 0 ? [] : ['--filter', `/^(${names.map(escapedPattern).join('|')})$/`]),
      ...filesOf(request).map(path),
      ...(level === null ? [] : [levelFolder(projectRoot, level)]),
    ];
  },
  dialect,
});

/** Deno's own test runner, 2 and later, through its JUnit report and what it says meanwhile. */
export const deno: TestAdapter = {
  ...runner,
  // A step belongs to the test around it.
  inCode: { ...javaScriptInCode, markOf: (id) => id.split(joint).slice(0, 2).join(joint) },
  evidence(project) {
    const settings = ['deno.json', 'deno.jsonc'].find((name) => project.has(name));
    return settings === undefined ? runner.evidence(project) : { weight: 85, reason: settings };
  },
};

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
