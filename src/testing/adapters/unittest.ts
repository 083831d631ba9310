import { basename, dirname, join } from 'node:path';
import type { TestEvent } from '../../model/tests/testReport.ts';
import type { Evidence, RunnerEnd, TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { EventReader } from '../formats/eventReader.ts';
import { levelFolder } from '../level.ts';
import { projectPython } from '../findRunner.ts';
import { ProjectFiles } from '../projectFiles.ts';
import { pythonInCode, unittestFunction } from '../pythonInCode.ts';
import { qualifiedName, stackSuspects } from '../suspects.ts';

/** Python's own unittest, run by a program of ours (src/testing/reporters/strobeUnittest.py). */
export const unittest: TestAdapter = {
  name: 'unittest',
  language: 'Python',
  install: 'it comes with Python',
  canList: true,
  evidence,
  plan,
  reader: () => new EventReader(saidNothing),
  rerun: ({ projectRoot }, test) => [
    'python',
    '-m',
    'unittest',
    ...discovery(projectRoot),
    '-k',
    selector(test.id),
  ],
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
  inCode: pythonInCode(unittestFunction),
};

function evidence(project: ProjectFiles): Evidence | null {
  const files = project.find(/^test.*\.py$/, 3, 20);
  const file = files.find((path) => /unittest|TestCase/.test(project.text(path)));
  return file === undefined ? null : { weight: 50, reason: `${file} uses unittest` };
}

function plan(request: TestRequest): TestPlan {
  const { projectRoot, env, reportFolder, reporters } = request;
  const selected = selection(request);
  const report = join(reportFolder, 'events.jsonl');
  return {
    command: projectPython(projectRoot, env),
    args: [join(reporters, 'strobeUnittest.py'), ...selected],
    cwd: projectRoot,
    env: {
      STROBE_TEST_REPORT: report,
      STROBE_PYCACHE: join(reportFolder, '..', '..', 'cache', 'python'),
      ...(request.tests === null
        ? {}
        : { STROBE_TEST_IDS: JSON.stringify(request.tests.map((test) => selector(test.id))) }),
      ...(request.purpose === 'list' ? { STROBE_TEST_LIST: '1' } : {}),
    },
    report,
    typed: [
      'python',
      '-m',
      'unittest',
      ...selected,
      ...(request.tests ?? []).flatMap((test) => ['-k', selector(test.id)]),
    ],
    notes: [],
  };
}

function selection(request: TestRequest): string[] {
  const { tests, file, level, projectRoot } = request;
  if (level !== null) return ['discover', '-s', levelFolder(projectRoot, level), '-t', '.'];
  const [first] = tests ?? [];
  const only = file ?? (tests?.every((test) => test.file === first?.file) ? first?.file : null);
  if (only != null)
    return ['discover', '-s', dirname(only), '-p', basename(only), '-t', topFolder(dirname(only))];
  return discovery(projectRoot);
}

/** What `-k` takes for a test, a subtest of it, or a class whose set-up failed. */
function selector(id: string): string {
  const fixture = /^(?:setUp|tearDown)(?:Class|Module) \((.+)\)$/.exec(id)?.[1];
  return fixture ?? id.split(' ')[0] ?? id;
}

/** The folder the file's packages begin in: a test's id stays the same however it is chosen. */
function topFolder(folder: string): string {
  let top = folder;
  while (new ProjectFiles(top).has('__init__.py') && dirname(top) !== top) top = dirname(top);
  return top;
}

/** Discovery enters only packages: a plain `tests` folder has to be named. */
function discovery(projectRoot: string): string[] {
  const files = new ProjectFiles(projectRoot);
  if (files.list().some((name) => /^test.*\.py$/.test(name))) return [];
  const folder = ['tests', 'test'].find(
    (name) => files.has(name) && !files.has(`${name}/__init__.py`),
  );
  return folder === undefined ? [] : ['discover', '-s', folder];
}

function saidNothing(stderr: string, end: RunnerEnd): TestEvent[] {
  return end.code === 0 || end.stopped ? [] : [{ kind: 'trouble', text: stderr.trim() }];
}
