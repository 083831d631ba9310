import { join, relative } from 'node:path';
import type { BuildProblem, TestEvent, TestFramework } from '../model/tests/testReport.ts';
import type { ChosenTest, Evidence, RunnerEnd, TestAdapter, TestRequest } from './adapter.ts';
import { javaScriptInCode } from './javaScriptInCode.ts';
import { escapedPattern, isFileName, joint, namesOf } from './javaScriptNames.ts';
import { above, isProgram, onPath } from './findRunner.ts';
import { EventReader } from './formats/eventReader.ts';
import { field, parseObject, textField } from './formats/jsonFields.ts';
import { JunitRun, type JunitDialect } from './formats/junitRun.ts';
import { plainText } from './formats/plainText.ts';
import type { ProjectFiles } from './projectFiles.ts';
import { qualifiedName, stackSuspects } from './suspects.ts';

/*
 * What the JavaScript frameworks share. A test's id is its file and the names on its way, joined
 * by ` > `: `src/cart.test.js > Cart > sums up`.
 */

/** Files that hold the tests, absolute; empty when that is not known of all. */
export function filesOf(request: TestRequest): string[] {
  const { tests, file, projectRoot } = request;
  if (file !== null) return [file];
  const files = (tests ?? []).map(({ id, file: known }) => {
    const [first = ''] = id.split(joint);
    return known ?? (isFileName(first) ? join(projectRoot, first) : null);
  });
  return files.includes(null) ? [] : [...new Set(files)].filter((one) => one !== null);
}

/**
 * `^(Cart sums up|Cart is empty)$`, for frameworks that match names joined by a space; `between`:
 * a pattern for what they join them by.
 */
export function namePattern(tests: readonly ChosenTest[], between = ' '): string {
  const names = tests.map((test) => namesOf(test).map(escapedPattern).join(between));
  return names.length === 1 ? `^${names[0] ?? ''}$` : `^(${names.join('|')})$`;
}

/** Matches no test: a run that names them all without running one. */
export const noTest = '^strobe lists the tests$';

/** A program of the project's packages, nearest first; its bare name when it is nowhere. */
function packageProgram(name: string, request: TestRequest): string {
  const found = above(request.projectRoot, join('node_modules', '.bin', name));
  if (found !== null && isProgram(found)) return found;
  return onPath(name, request.env) ?? name;
}

/** Relative to the project, as a person would type it. */
function typedPath(request: TestRequest, path: string): string {
  return relative(request.projectRoot, path);
}

/** What package.json and settings files say for a framework. */
export function packageEvidence(
  project: ProjectFiles,
  framework: Pick<JavaScriptRunner, 'name' | 'config' | 'script'>,
): Evidence | null {
  const manifest = parseObject(project.text('package.json'));
  const script = textField(field(manifest, 'scripts'), 'test') ?? '';
  if (framework.script.test(script))
    return { weight: 97, reason: `package.json's test script is "${script.slice(0, 60)}"` };
  const config = project.list().find((file) => framework.config.test(file));
  if (config !== undefined) return { weight: 92, reason: config };
  if (field(manifest, framework.name) !== undefined && framework.name !== 'node')
    return { weight: 92, reason: `package.json has "${framework.name}"` };
  for (const list of ['devDependencies', 'dependencies']) {
    if (textField(field(manifest, list), framework.name) !== null)
      return { weight: 80, reason: `package.json's ${list} have ${framework.name}` };
  }
  return null;
}

/** A runner that ended before its reporter could speak. */
function runnerWords(words: string, end: RunnerEnd): TestEvent[] {
  if (end.code === 0 || /no tests? (files )?found|No test files found/i.test(words)) return [];
  const text = plainText(words).trim();
  const problem = syntaxProblem(text);
  if (problem) return [{ kind: 'buildProblem', problem }];
  return [{ kind: 'trouble', text: text.slice(-3000) }];
}

/** What Node says of a file it cannot parse: the place first, the reason below its source line. */
function syntaxProblem(words: string): BuildProblem | null {
  const [, file, line] =
    /^\s*(?:Exception during run: )?(?:file:\/\/)?(\/.+?):(\d+)\n/m.exec(words) ?? [];
  const message = /^SyntaxError.*$/m.exec(words)?.[0];
  if (file === undefined || message === undefined) return null;
  return { file, line: Number(line), column: null, message };
}

/** A chosen run tells the others as skipped: they are no results of it. */
function chosenOnly(request: TestRequest, events: readonly TestEvent[]): readonly TestEvent[] {
  const { tests, purpose } = request;
  if (tests === null || purpose === 'list') return events;
  const chosen = new Set(tests.map((test) => test.id));
  return events.flatMap((event): TestEvent[] => {
    if (event.kind === 'expected') return [];
    if (event.kind !== 'finished' || event.result.outcome !== 'skipped') return [event];
    const { id } = event.result;
    return chosen.has(id) ? [event] : [{ kind: 'ended', id }];
  });
}

/** What one runner has of its own. */
interface JavaScriptRunner {
  readonly name: TestFramework;
  readonly install: string;
  /** Its settings files, and its command in package.json's test script. */
  readonly config: RegExp;
  readonly script: RegExp;
  /** Where it is not a program of the project's packages. */
  readonly command?: string;
  /** How a person begins the command. */
  readonly typed: readonly string[];
  /** What chooses tests; `path` spells a file. */
  selection(request: TestRequest, path: (absolute: string) => string): readonly string[];
  /** `selected`: null to name the tests without running them. `report`: the file that it writes. */
  args(request: TestRequest, selected: readonly string[] | null, report: string): readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It runs the tests in Node. */
  readonly isTraced?: true;
  notes?(request: TestRequest): readonly string[];
  /** Its report is JUnit's, without the tests of a list. Else it loads a reporter of ours. */
  readonly dialect?: (request: TestRequest) => JunitDialect;
}

/** The adapter of a JavaScript runner. */
export function javaScriptAdapter(runner: JavaScriptRunner): TestAdapter {
  const { name, install, dialect, env = {} } = runner;
  const reportOf = ({ reportFolder }: TestRequest): string =>
    join(reportFolder, dialect ? `${name}.xml` : 'events.jsonl');
  const typed = (request: TestRequest): string[] => [
    ...runner.typed,
    ...runner.selection(request, (path) => typedPath(request, path)),
  ];
  return {
    name,
    language: 'JavaScript',
    install,
    canList: !dialect,
    evidence: (project) => packageEvidence(project, runner),
    plan(request) {
      const isList = request.purpose === 'list' && !dialect;
      const report = reportOf(request);
      const told = { STROBE_TEST_REPORT: report, ...(isList ? { STROBE_TEST_LIST: '1' } : {}) };
      const selected = isList ? null : runner.selection(request, (path) => path);
      return {
        command: runner.command ?? packageProgram(name, request),
        args: runner.args(request, selected, report),
        cwd: request.projectRoot,
        env: dialect ? env : told,
        report: dialect ? null : report,
        typed: typed(request),
        notes: runner.notes?.(request) ?? [],
      };
    },
    reader(request) {
      const chosen = (events: readonly TestEvent[]) => chosenOnly(request, events);
      return dialect
        ? new JunitRun(reportOf(request), dialect(request), chosen)
        : new EventReader(runnerWords, chosen);
    },
    rerun: (request, test) => typed({ ...request, tests: [test] }),
    suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
    ...(runner.isTraced ? { inCode: javaScriptInCode } : {}),
  };
}
