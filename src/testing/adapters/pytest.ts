import { join, relative } from 'node:path';
import type { TestEvent } from '../../model/tests/testReport.ts';
import type { Evidence, RunnerEnd, TestAdapter, TestPlan, TestRequest } from '../adapter.ts';
import { levelFolder } from '../level.ts';
import { EventReader } from '../formats/eventReader.ts';
import { projectPython, pythonScript } from '../findRunner.ts';
import type { ProjectFiles } from '../projectFiles.ts';
import { pythonInCode, pytestFunction } from '../pythonInCode.ts';
import { qualifiedName, stackSuspects } from '../suspects.ts';

/** pytest, through a plugin of ours (src/testing/reporters/strobePytest.py). */
export const pytest: TestAdapter = {
  name: 'pytest',
  language: 'Python',
  install: 'pip install pytest',
  canList: true,
  evidence,
  plan,
  reader: () => new EventReader(saidNothing),
  rerun: (_request, test) => ['pytest', test.id],
  suspects: (failure, result) => stackSuspects(failure, result, qualifiedName),
  inCode: pythonInCode(pytestFunction),
};

function evidence(project: ProjectFiles): Evidence | null {
  if (project.has('pytest.ini')) return { weight: 95, reason: 'pytest.ini' };
  if (/^\[tool\.pytest\b/m.test(project.text('pyproject.toml')))
    return { weight: 95, reason: 'pyproject.toml has [tool.pytest…]' };
  if (/^\[tool:pytest\]/m.test(project.text('setup.cfg')))
    return { weight: 95, reason: 'setup.cfg has [tool:pytest]' };
  if (/^\[pytest\]/m.test(project.text('tox.ini')))
    return { weight: 90, reason: 'tox.ini has [pytest]' };
  const [conftest] = project.find(/^conftest\.py$/, 2, 1);
  if (conftest !== undefined) return { weight: 85, reason: conftest };
  for (const file of ['pyproject.toml', 'requirements.txt', 'requirements-dev.txt', 'setup.py'])
    if (/\bpytest\b/.test(project.text(file)))
      return { weight: 80, reason: `${file} names pytest` };
  const files = project.find(/^(test_.*|.*_test)\.py$/, 3, 20);
  const [first] = files;
  if (first === undefined) return null;
  const plain = files.find((file) => /^(async )?def test_/m.test(project.text(file)));
  return plain === undefined
    ? { weight: 25, reason: `${first} is a test file` }
    : { weight: 60, reason: `${plain} has test functions` };
}

function plan(request: TestRequest): TestPlan {
  const { projectRoot, env, reportFolder, reporters } = request;
  const script = pythonScript('pytest', projectRoot, env);
  const python = projectPython(projectRoot, env);
  const runner = script === null ? [python, '-m', 'pytest'] : [script];
  const selected = selection(request);
  const report = join(reportFolder, 'events.jsonl');
  const path = env['PYTHONPATH'];
  return {
    command: runner[0] ?? python,
    args: [
      ...runner.slice(1),
      '-p',
      'strobePytest',
      '-o',
      `cache_dir=${join(reportFolder, 'pytest_cache')}`,
      ...(request.purpose === 'list' ? ['--collect-only', '-q'] : []),
      ...selected,
    ],
    cwd: projectRoot,
    env: {
      PYTHONPATH: path === undefined || path === '' ? reporters : `${reporters}:${path}`,
      STROBE_PYTHONPATH: path === undefined ? '' : `:${path}`,
      STROBE_TEST_REPORT: report,
      STROBE_PYCACHE: join(reportFolder, '..', '..', 'cache', 'python'),
    },
    report,
    typed: [script === null ? 'python -m pytest' : 'pytest', ...selected],
    notes: [],
  };
}

function selection(request: TestRequest): string[] {
  const { tests, file, level, projectRoot } = request;
  if (tests !== null) return tests.map((test) => test.id);
  if (file !== null) return [relative(projectRoot, file)];
  if (level !== null) return [levelFolder(projectRoot, level)];
  return [];
}

/** Before the plugin lives: no pytest, wrong options, a broken conftest. */
function saidNothing(words: string, end: RunnerEnd): TestEvent[] {
  if (/No module named '?pytest/.test(words))
    return [{ kind: 'missingRunner', text: 'pytest is not installed', install: pytest.install }];
  if (end.code === 0) return [];
  const conftest = /ImportError while loading conftest '([^']+)'/.exec(words)?.[1];
  const text = words.trim();
  if (conftest === undefined) return [{ kind: 'trouble', text }];
  const line = lineIn(text, conftest);
  return [{ kind: 'buildProblem', problem: { file: conftest, line, column: null, message: text } }];
}

/** The last line number said for the file. */
function lineIn(text: string, file: string): number | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const last = text
    .split('\n')
    .map((line) => (line.includes(name) ? /(?::|line )(\d+)/.exec(line)?.[1] : undefined))
    .findLast((number) => number !== undefined);
  return last === undefined ? null : Number(last);
}
