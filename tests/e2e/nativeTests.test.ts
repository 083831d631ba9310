import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';
import { countsOf, failureOf, runTests, testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

describe('tests of native projects', () => {
  const { home, client } = withClient();

  /** A project's copy with the built test binary in it. */
  function withBinary(name: string, flags: readonly string[]): { root: string; command: string } {
    const root = testProject(home, name);
    const built = buildTarget(`testing/${name}/area.cpp`, flags);
    mkdirSync(join(root, 'build'), { recursive: true });
    copyFileSync(built, join(root, 'build', basename(built)));
    return { root, command: `build/${basename(built)}` };
  }

  itNeeds(
    'gtest',
    '[test.googletest] GoogleTest: every outcome, parameters and values',
    async () => {
      const { root, command } = withBinary('googleTest', ['-lgtest', '-lgtest_main']);
      const answer = await runTests(client, root, { command });
      expect(countsOf(answer)).toBe('3/3/2/0');
      expect(at(answer.structured, 'framework')).toBe('googletest');
      const wrong = failureOf(answer, 'Area.IsWrong');
      expect(wrong).toMatchObject({
        expected: '6',
        actual: '5',
        suggestedTraces: ['geometry::area'],
        output: 'said by IsWrong',
      });
      expect(textAt(failureOf(answer, 'Area.Throws'), 'message')).toMatch(/"no paper"/);
      const one = await runTests(client, root, { command, test: 'All/Sides.ArePositive/1' });
      expect(countsOf(one)).toBe('0/1/0/0');
    },
  );

  itNeeds('gtest', '[test.crash] a test that kills its runner is named', async () => {
    const { root, command } = withBinary('googleTest', ['-lgtest', '-lgtest_main', '-DCRASH']);
    const answer = await runTests(client, root, { command });
    expect(textAt(answer.structured, 'verdict')).toBe('crashed');
    expect(textAt(failureOf(answer, 'Crash.Dies'), 'message')).toBe(
      'the process died of SIGABRT while this test was running',
    );
    expect(countsOf(answer)).toBe('1/3/1/0');
  });

  itNeeds('catch2', '[test.catch2] Catch2: sections, exceptions, expected failures', async () => {
    const { root, command } = withBinary('catch2', []);
    const answer = await runTests(client, root, { command });
    expect(countsOf(answer)).toBe('1/2/0/1');
    const sides = failureOf(answer, 'area, with sides');
    expect(sides).toMatchObject({
      expected: '2',
      actual: '3',
      suggestedTraces: ['geometry::area'],
    });
    expect(textAt(sides, 'message')).toMatch(/^in small: CHECK\(.*\n.*in large: .*\n.*20 and 30$/);
    const one = await runTests(client, root, { command, test: 'area, with sides' });
    expect(countsOf(one)).toBe('0/1/0/0');
  });

  itNeeds(
    'cargo',
    '[test.cargo] cargo: targets, panics in callees, ignored and doc tests',
    async () => {
      const root = testProject(home, 'cargo');
      const env = { CARGO_TARGET_DIR: join(home.path, 'cargo-target'), CARGO_NET_OFFLINE: 'true' };
      const answer = await runTests(client, root, { env });
      expect(countsOf(answer)).toBe('3/5/1/0');
      expect(failureOf(answer, 'tests::is_wrong')).toMatchObject({
        expected: '6',
        actual: '5',
        file: 'src/lib.rs',
        rerunCommand: 'cargo test --lib -- --exact tests::is_wrong',
      });
      failureOf(answer, 'from_outside');
      const failed = await runTests(client, root, { env, rerunFailed: true });
      expect(countsOf(failed)).toBe('0/5/0/0');
      const callee = await runTests(client, root, { env, test: 'tests::in_callee' });
      expect(failureOf(callee, 'tests::in_callee')).toMatchObject({
        suggestedTraces: ['area::area'],
      });
    },
  );

  itNeeds(
    'nextest',
    '[test.nextest] nextest: values, ignored, one test, the failed again',
    async () => {
      const root = testProject(home, 'cargo', 'nextest', ['.config']);
      writeFileSync(join(root, '.config', 'nextest.toml'), '');
      const env = { CARGO_TARGET_DIR: join(home.path, 'cargo-target'), CARGO_NET_OFFLINE: 'true' };
      const answer = await runTests(client, root, { env });
      expect(at(answer.structured, 'framework')).toBe('nextest');
      expect(countsOf(answer)).toBe('2/5/1/0');
      expect(failureOf(answer, 'tests::is_wrong')).toMatchObject({
        expected: '6',
        actual: '5',
        file: 'src/lib.rs',
        output: 'said by is_wrong',
        rerunCommand:
          "cargo nextest run -E '(package(=area) & binary(=area) & test(=tests::is_wrong))'",
      });
      const failed = await runTests(client, root, { env, rerunFailed: true });
      expect(countsOf(failed)).toBe('0/5/0/0');
      const callee = await runTests(client, root, { env, test: 'in_callee' });
      expect(failureOf(callee, 'tests::in_callee')).toMatchObject({
        suggestedTraces: ['area::area'],
      });
      const traced = await runTests(client, root, {
        env,
        test: 'tests::in_callee',
        patterns: ['area::area'],
      });
      const sessionId = textAt(traced.structured, 'sessionId');
      expect(await callsOf(sessionId, 'tests::in_callee')).toMatch(/area::area\(width=-1/);
    },
  );

  itNeeds('cargo', '[test.compile] compile errors are told with file and line', async () => {
    const root = testProject(home, 'cargo');
    const env = { CARGO_TARGET_DIR: join(home.path, 'cargo-target'), CARGO_NET_OFFLINE: 'true' };
    const answer = await runTests(client, root, {
      env: { ...env, RUSTFLAGS: '--cfg feature="broken"' },
    });
    expect(textAt(answer.structured, 'verdict')).toBe('compileError');
    expect(at(answer.structured, 'compileErrors', 0)).toMatchObject({
      file: 'src/lib.rs',
      line: 14,
    });
    const message = textAt(answer.structured, 'compileErrors', 0, 'message');
    expect(message).toMatch(/^E0425: cannot find value `totl`/);
  });

  itNeeds('go', '[test.go] go: subtests, panics, skips', async () => {
    const root = testProject(home, 'go');
    const answer = await runTests(client, root);
    expect(countsOf(answer)).toBe('2/3/1/0');
    expect(failureOf(answer, 'TestIsWrong')).toMatchObject({
      message: 'Area(2, 3) = 5, want 6',
      file: 'area_test.go',
      line: 17,
      output: 'said by TestIsWrong',
    });
    failureOf(answer, 'TestSides/side_1');
    expect(listAt(failureOf(answer, 'TestPanics'), 'stackTrace')[0]).toBe('area.go:6 area.Area');
    const failed = await runTests(client, root, { rerunFailed: true });
    expect(at(failed.structured, 'summary', 'passed')).toBe(1);
    expect(at(failed.structured, 'summary', 'failed')).toBe(3);
  });

  itNeeds('cmake', '[test.ctest] CTest: output, skips and missing programs', async () => {
    const root = testProject(home, 'ctest');
    execFileSync('cmake', ['-S', '.', '-B', 'build'], { cwd: root, stdio: 'pipe' });
    const answer = await runTests(client, root);
    expect(countsOf(answer)).toBe('1/2/1/0');
    const fails = failureOf(answer, 'fails');
    expect(textAt(fails, 'message')).toContain('Required regular expression not found');
    expect(textAt(fails, 'output')).toBe('the area is five');
    expect(textAt(failureOf(answer, 'missing'), 'message')).toMatch(/^Unable to find executable/);
    const one = await runTests(client, root, { test: 'works' });
    expect(countsOf(one)).toBe('1/0/0/0');
  });

  itNeeds(
    'gtest',
    '[test.traced] a test binary runs traced, and the session shows its calls',
    async () => {
      const { root, command } = withBinary('googleTest', ['-lgtest', '-lgtest_main']);
      const answer = await runTests(client, root, {
        command,
        test: 'IsWrong',
        patterns: ['geometry::area'],
      });
      expect(countsOf(answer)).toBe('0/1/0/0');
      const sessionId = textAt(answer.structured, 'sessionId');
      expect(listAt(answer.structured, 'warnings')).toEqual(['traced: 1 function hooked']);
      const events = await client.ok('debug_query', {
        sessionId,
        view: 'events',
        argument: [{ name: 'height', equals: 3 }],
      });
      expect(events.text).toMatch(/geometry::area\(width=2, height=3\) = 5/);
    },
  );

  /** The calls of one test in a traced run of all. */
  async function callsOf(sessionId: string, name: string): Promise<string> {
    const wanted = { sessionId, view: 'events', test: name };
    const events = await client.ok('debug_query', wanted);
    expect(textAt(events.structured, 'test')).toContain(name);
    return events.text;
  }

  itNeeds('gtest', '[test.events] GoogleTest: each call belongs to its test', async () => {
    const { root, command } = withBinary('googleTest', ['-lgtest', '-lgtest_main']);
    const answer = await runTests(client, root, { command, patterns: ['geometry::area'] });
    expect(listAt(answer.structured, 'warnings')).toEqual(['traced: 1 function hooked']);
    const sessionId = textAt(answer.structured, 'sessionId');
    const works = await callsOf(sessionId, 'Area.Works');
    expect(works).toContain('geometry::area(width=2, height=2) = 4');
    expect(works).not.toContain('height=3');
    const wrong = await callsOf(sessionId, 'IsWrong');
    expect(wrong).toContain('geometry::area(width=2, height=3) = 5');
    expect(wrong).toContain('geometry::area(width=1, height=1) = 2');
    expect(wrong).not.toContain('height=2)');
    const fn = { equals: 'geometry::area' };
    const all = await client.ok('debug_query', { sessionId, view: 'events', function: fn });
    const tests = listAt(all.structured, 'events').map((event) => at(event, 'test'));
    expect(tests).toEqual(['Area.Works', 'Area.IsWrong', 'Area.IsWrong']);
    const tree = await client.ok('debug_query', { sessionId, view: 'tree', test: 'Area.Works' });
    expect(tree.text).toContain('height=2');
    expect(tree.text).not.toContain('height=3');
    const unknown = { sessionId, view: 'events', test: 'Area.Nowhere' };
    const refused = await client.refused('debug_query', unknown);
    expect(refused.text).toMatch(/^UNKNOWN_TEST/);
  });

  itNeeds(
    'gtest',
    '[watch.tests] a run samples watches, without patterns at the calls they name or at all of the project’s',
    async () => {
      const { root, command } = withBinary('googleTest', ['-lgtest', '-lgtest_main']);
      const watches = [{ expr: 'width * height', label: 'size', at: 'enter' }];
      const area = 'geometry::area';
      const seenWith = async (
        args: Readonly<Record<string, unknown>>,
        project = root,
      ): Promise<unknown[]> => {
        const program = join(root, command);
        const answer = await runTests(client, project, { command: program, ...args });
        const sessionId = textAt(answer.structured, 'sessionId');
        const calls = { sessionId, view: 'events', function: { equals: area } };
        const { structured } = await client.ok('debug_query', calls);
        return listAt(structured, 'events').flatMap((event) => {
          const size = at(event, 'watchValues', 'size');
          return size === undefined ? [] : [size];
        });
      };
      expect(await seenWith({ patterns: [area], watches })).toEqual([4, 6, 1]);
      expect(await seenWith({ watches: [{ ...watches[0], on: area }] })).toEqual([4, 6, 1]);
      const sources = dirname(targetSource('testing/googleTest/area.cpp'));
      expect(await seenWith({ watches }, sources)).toEqual([4, 6, 1]);
    },
  );

  itNeeds('catch2', '[test.events] Catch2: each call belongs to its test', async () => {
    const { root, command } = withBinary('catch2', []);
    const answer = await runTests(client, root, { command, patterns: ['geometry::area'] });
    const sessionId = textAt(answer.structured, 'sessionId');
    expect(await callsOf(sessionId, 'area works')).toContain('width=2, height=2');
    const sides = await callsOf(sessionId, 'area, with sides');
    expect(sides).toContain('width=1, height=2');
    expect(sides).toContain('width=20, height=30');
    expect(sides).not.toContain('width=2, height=2');
  });

  itNeeds(
    'cargo',
    '[test.traced] [test.events] the test program behind cargo is traced, its compiler is not',
    async () => {
      const root = testProject(home, 'cargo', 'traced');
      const answer = await runTests(client, root, {
        env: { CARGO_NET_OFFLINE: 'true' },
        test: 'tests::in_callee',
        patterns: ['area::area'],
      });
      expect(countsOf(answer), answer.text).toBe('0/1/0/0');
      const sessionId = textAt(answer.structured, 'sessionId');
      const events = await client.ok('debug_query', { sessionId, view: 'events' });
      expect(events.text).toMatch(/area::area\(width=-1, height=2\)/);
      expect(await callsOf(sessionId, 'tests::in_callee')).toMatch(/area::area\(width=-1/);
    },
  );

  itNeeds(
    'gtest',
    '[test.traced] the test program behind CTest and a shell script is traced',
    async () => {
      const { root, command } = withBinary('googleTest', ['-lgtest', '-lgtest_main']);
      const line = `${command} --gtest_filter=Area.IsWrong`;
      const tests = `add_test(area sh -c "cd .. && exec ${line}")\n`;
      writeFileSync(join(root, 'build', 'CTestTestfile.cmake'), tests);
      writeFileSync(join(root, 'check.sh'), `#!/bin/sh\n${line}\n`);
      for (const args of [
        { framework: 'ctest' },
        { framework: 'generic', command: 'sh ./check.sh' },
      ]) {
        const answer = await runTests(client, root, { ...args, patterns: ['geometry::area'] });
        expect(countsOf(answer), answer.text).toBe('0/1/0/0');
        const sessionId = textAt(answer.structured, 'sessionId');
        const events = await client.ok('debug_query', { sessionId, view: 'events' });
        expect(events.text).toContain('geometry::area(width=2, height=3) = 5');
      }
    },
  );

  test('[test.traced] what cannot be traced is refused by name, with what can be done', async () => {
    const root = testProject(home, 'javaScript');
    writeFileSync(join(root, 'package.json'), '{"scripts":{"test":"bun test"}}');
    const refused = await client.refused('debug_test', {
      projectRoot: root,
      patterns: ['Cart.*'],
    });
    expect(refused.text).toMatch(
      /^BAD_PARAMETER: bun runs JavaScript, whose functions cannot be traced there.*\nNext: .*have Vitest, .* or Deno run the test\./,
    );
  });

  test('[test.binary] a program that is no test binary is one test, told by its status', async () => {
    const answer = await runTests(client, home.project, { command: '/bin/echo' });
    expect(countsOf(answer)).toBe('1/0/0/0');
    expect(at(answer.structured, 'framework')).toBe('generic');
  });
});
