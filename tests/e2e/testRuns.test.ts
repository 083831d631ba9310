import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { processesWith, until } from '../support/processes.ts';
import { killDaemon } from '../support/parts.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { countsOf, failureOf, filesOf, runTests, testProject } from '../support/testProjects.ts';

describe('test runs', () => {
  const { home, client } = withClient();

  itNeeds(
    'pytest',
    '[test.pytest] pytest: every outcome, with values, own frames and output',
    async () => {
      const project = testProject(home, 'pytest');
      const before = filesOf(project);
      const answer = await runTests(client, project);
      expect(countsOf(answer)).toBe('3/4/1/1');
      expect(textAt(answer.structured, 'verdict')).toBe('failed');
      expect(at(answer.structured, 'reasons', 0)).toBe('pytest: pytest.ini');
      const total = failureOf(answer, 'tests/test_shop.py::test_total');
      expect(total).toMatchObject({ expected: '6', actual: '2', file: 'tests/test_shop.py' });
      expect(textAt(total, 'output')).toBe("items [('tea', 2, 3)]");
      const negative = failureOf(answer, 'tests/test_shop.py::test_negative');
      expect(listAt(negative, 'stackTrace')[0]).toMatch(/^shop\.py:\d+ .*add$/);
      expect(listAt(negative, 'suggestedTraces')[0]).toMatch(/add$/);
      const setup = failureOf(answer, 'tests/test_shop.py::test_setup');
      expect(textAt(setup, 'message')).toBe('error in setup: RuntimeError: no database');
      failureOf(answer, 'tests/test_shop.py::test_many[2]');
      expect(filesOf(project)).toEqual(before);
      const failed = await runTests(client, project, { rerunFailed: true });
      expect(countsOf(failed)).toBe('0/4/0/0');
      const one = await runTests(client, project, { test: 'tests/test_shop.py::test_many[a b]' });
      expect(countsOf(one)).toBe('1/0/0/0');
    },
  );

  test('[test.unittest] unittest: every outcome, subtests and modules that cannot be imported', async () => {
    const project = testProject(home, 'unittest');
    const before = filesOf(project);
    const answer = await runTests(client, project, { framework: 'unittest' });
    expect(countsOf(answer)).toBe('1/5/1/1');
    const area = failureOf(answer, 'test_area.Areas.test_area');
    expect(area).toMatchObject({ expected: '6', actual: '5', file: 'tests/test_area.py' });
    failureOf(answer, 'test_area.Areas.test_sub (n=1)');
    expect(textAt(failureOf(answer, 'setUpClass (test_area.Broken)'), 'message')).toMatch(
      /no port/,
    );
    const broken = failureOf(answer, 'test_broken');
    expect(broken).toMatchObject({ file: 'tests/test_broken.py', line: 3 });
    expect(textAt(broken, 'message')).toMatch(/No module named 'nothing_here'/);
    expect(filesOf(project)).toEqual(before);
    const one = await runTests(client, project, {
      framework: 'unittest',
      test: 'test_area.Areas.test_ok',
      file: 'tests/test_area.py',
    });
    expect(countsOf(one)).toBe('1/0/0/0');
  });

  test('[test.generic] any command: TAP on its output, JUnit files it writes, else its status', async () => {
    const generic = (command: string) =>
      runTests(client, home.project, { framework: 'generic', command });
    const tap = await generic(
      String.raw`printf '1..3\nok 1 - a\nnot ok 2 - b\n  ---\n  message: bad\n  at: x.c:3\n  ...\nok 3 # SKIP no net\n'; exit 1`,
    );
    expect(countsOf(tap)).toBe('1/1/1/0');
    expect(failureOf(tap, 'b')).toMatchObject({ message: 'bad', file: 'x.c', line: 3 });
    const junit = await generic(
      `mkdir -p out && echo '<testsuite><testcase classname="s" name="x"/><testcase name="y"><error message="boom &amp; gone">trace</error></testcase></testsuite>' > out/r.xml; exit 3`,
    );
    expect(countsOf(junit)).toBe('1/1/0/0');
    expect(failureOf(junit, 'y')).toMatchObject({ message: 'boom & gone' });
    const status = await generic('echo said; exit 7');
    expect(failureOf(status, 'echo said; exit 7')).toMatchObject({
      message: 'the command ended with status 7',
      output: 'said',
    });
    const killed = await generic('kill -SEGV $$');
    expect(textAt(killed.structured, 'verdict')).toBe('crashed');
  });

  test('[test.limit] [test.cancel] [test.left-over] limit, cancel and the end of the runner leave no process', async () => {
    const sleepers = () => processesWith(`STROBE_TEST_MARK=${home.path}`).length;
    const args = { framework: 'generic', env: { STROBE_TEST_MARK: home.path } };
    const limited = await runTests(client, home.project, {
      ...args,
      command: 'setsid sleep 300 & sleep 301',
      timeoutMs: 700,
    });
    expect(limited.text).toMatch(/^FAILED \(killed at its limit\)/);
    expect(sleepers()).toBe(0);

    const running = await client.ok('debug_test', {
      ...args,
      projectRoot: home.project,
      command: 'setsid sleep 300 & sleep 301',
      waitMs: 0,
    });
    expect(textAt(running.structured, 'state')).toBe('running');
    const testRunId = textAt(running.structured, 'testRunId');
    const second = await client.refused('debug_test', {
      ...args,
      projectRoot: home.project,
      command: 'true',
    });
    expect(second.text).toMatch(/^TESTS_RUNNING: .*\nNext: .*wait/);
    const parallel = await runTests(client, home.project, {
      ...args,
      command: 'true',
      allowParallel: true,
    });
    expect(countsOf(parallel)).toBe('1/0/0/0');
    await until('both sleepers run', () => sleepers() >= 2);
    const cancelled = await client.ok('debug_test', { action: 'cancel', testRunId });
    expect(textAt(cancelled.structured, 'state')).toBe('cancelled');
    expect(sleepers()).toBe(0);

    const left = await runTests(client, home.project, {
      ...args,
      command: 'setsid sleep 300 & exit 0',
    });
    expect(left.text).toMatch(/^PASSED/);
    expect(left.text).toContain('left processes running; they were killed');
    expect(sleepers()).toBe(0);
  });

  test('[test.durable] results are readable after the daemon has gone', async () => {
    const answer = await runTests(client, home.project, {
      framework: 'generic',
      command: 'echo told; exit 4',
    });
    const testRunId = textAt(answer.structured, 'testRunId');
    const details: unknown = JSON.parse(readFileSync(textAt(answer.structured, 'details'), 'utf8'));
    expect(listAt(details, 'tests')).toHaveLength(1);
    await runStrobe({ env: home.env, cwd: home.project }, ['daemon', 'stop']);
    const again = await client.ok('debug_test', { action: 'status', testRunId });
    expect(at(again.structured, 'failures')).toEqual(at(answer.structured, 'failures'));
    const list = await client.ok('debug_test', { action: 'list', projectRoot: home.project });
    expect(listAt(list.structured, 'runs').map((run) => textAt(run, 'testRunId'))).toContain(
      testRunId,
    );
  });

  itNeeds(
    'pytest',
    '[test.stuck] a silent test is told with what it waits for and its stack',
    async () => {
      const project = join(home.project, 'stuck');
      mkdirSync(project);
      const source = [
        'import threading, pytest',
        'def wait_for_paper():',
        '    threading.Event().wait()',
        'def test_waits():',
        '    wait_for_paper()',
      ];
      writeFileSync(join(project, 'test_stuck.py'), source.join('\n'));
      const started = await client.ok('debug_test', { projectRoot: project, waitMs: 0 });
      const testRunId = textAt(started.structured, 'testRunId');
      let answer = started;
      while (!Array.isArray(at(answer.structured, 'stuck'))) {
        answer = await client.ok('debug_test', { action: 'wait', testRunId, timeoutMs: 2000 });
        expect(textAt(answer.structured, 'state'), answer.text).toBe('running');
      }
      const hint = at(answer.structured, 'stuck', 0);
      expect(textAt(hint, 'test')).toBe('test_stuck.py::test_waits');
      expect(textAt(hint, 'observed')).toMatch(/no processor time: .*waits.* lock/);
      expect(textAt(hint, 'stacks')).toMatch(
        /MainThread .* waits for Event\.wait .*: wait_for_paper test_stuck\.py:3 ← test_waits test_stuck\.py:5/,
      );
      const cancelled = await client.ok('debug_test', { action: 'cancel', testRunId });
      expect(listAt(cancelled.structured, 'stuck')).toHaveLength(1);
    },
  );

  itNeeds(
    'pytest',
    '[test.name] a test by its exact name, a part of it, or not at all',
    async () => {
      const project = testProject(home, 'pytest', 'names');
      const run = (wanted: string) => runTests(client, project, { test: wanted });
      const total = await run('test_total');
      expect(countsOf(total)).toBe('0/1/0/0');
      expect(at(total.structured, 'reasons', 1)).toBe(
        '"test_total" was taken for tests/test_shop.py::test_total',
      );
      expect(countsOf(await run('many'))).toBe('2/1/0/0');
      expect(countsOf(await run('tests/test_shop.py::TestInner::test_ok'))).toBe('1/0/0/0');
      const refused = async (wanted: string) =>
        (await client.refused('debug_test', { projectRoot: project, test: wanted })).text;
      expect(await refused('test_')).toMatch(
        /^UNKNOWN_TEST: "test_" fits 9 tests: tests\/test_shop/,
      );
      expect(await refused('test_totl')).toMatch(/Did you mean tests\/test_shop.py::test_total/);
      expect(filesOf(join(home.path, 'tests')).some((path) => path.includes('list'))).toBe(false);
    },
  );

  test('[test.adopt] a run goes on when the daemon is killed, and the next one tells its end', async () => {
    const project = join(home.project, 'adopted');
    mkdirSync(project);
    const running = await client.ok('debug_test', {
      projectRoot: project,
      framework: 'generic',
      command: `echo '<testsuite><testcase name="early"/></testsuite>' > r.xml; while [ ! -e go ]; do sleep 0.1; done`,
      waitMs: 0,
    });
    await until('it has written its report', () => existsSync(join(project, 'r.xml')));
    const testRunId = textAt(running.structured, 'testRunId');
    await killDaemon(home);
    // The request that meets the death may be told so.
    await client.call('debug_test', { action: 'status', testRunId });
    const adopted = await client.ok('debug_test', { action: 'status', testRunId });
    expect(textAt(adopted.structured, 'state')).toBe('running');
    writeFileSync(join(project, 'go'), '');
    const ended = await client.ok('debug_test', { action: 'wait', testRunId });
    expect(textAt(ended.structured, 'verdict'), ended.text).toBe('passed');
    const details: unknown = JSON.parse(readFileSync(textAt(ended.structured, 'details'), 'utf8'));
    expect(listAt(details, 'tests')).toMatchObject([{ name: 'early', outcome: 'passed' }]);
  });

  test('[test.cli] the command waits for the end and fails when a test does', async () => {
    const place = { env: home.env, cwd: home.project };
    const good = await runStrobe(place, ['test', '--framework', 'generic', '--command', 'true']);
    expect([good.code, good.stdout.toString()]).toEqual([
      0,
      expect.stringMatching(/^PASSED: 1 passed/),
    ]);
    const bad = await runStrobe(place, ['test', '--framework', 'generic', '--command', 'false']);
    expect(bad.code).toBe(1);
    const list = await runStrobe(place, ['test', 'list', '--json']);
    expect(listAt(JSON.parse(list.stdout.toString()), 'runs').length).toBeGreaterThan(1);
  });

  test('[test.bad] what cannot be run is refused with the next step', async () => {
    const project = join(home.project, 'empty');
    mkdirSync(project);
    const refused = async (args: Readonly<Record<string, unknown>>) =>
      (await client.refused('debug_test', { projectRoot: project, ...args })).text;
    expect(await refused({})).toMatch(
      /^NO_TEST_FRAMEWORK: .*\(no file looks like a test\).*\nNext: Give framework \(pytest/,
    );
    expect(await refused({ projectRoot: '/no/such' })).toMatch(/^NO_SUCH_DIRECTORY/);
    expect(await refused({ framework: 'pytset' })).toMatch(/^BAD_PARAMETER/);
    expect(await refused({ framework: 'generic' })).toMatch(/^BAD_PARAMETER: .*needs command/);
    writeFileSync(join(project, 'test_x.py'), 'import unittest');
    const none = await client.ok('debug_test', { projectRoot: project });
    expect(none.structured).toMatchObject({
      verdict: 'noTests',
      project: { testFiles: ['test_x.py'] },
    });
    expect(none.text).toContain('project: tests by their names: test_x.py');
    expect(await refused({ level: 'unit' })).toMatch(/^BAD_PARAMETER: .*tests\/unit/);
    expect(await refused({ rerunFailed: true })).toMatch(/^UNKNOWN_TEST: /);
    const unknown = await client.refused('debug_test', { action: 'wait', testRunId: 'nope' });
    expect(unknown.text).toMatch(/^UNKNOWN_TEST_RUN/);
  });
});
