import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { countTokens } from '../support/tokens.ts';
import type { Answer } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { processesWith, until } from '../support/processes.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';
import { runTests, testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

describe('a diagnosis', () => {
  const { home, client } = withClient();

  /** A project with a built GoogleTest binary in it. */
  function withBinary(source: string, as: string): { root: string; command: string } {
    const root = testProject(home, 'googleTest', as);
    const built = buildTarget(`testing/${source}`, ['-lgtest', '-lgtest_main']);
    mkdirSync(join(root, 'build'), { recursive: true });
    copyFileSync(built, join(root, 'build', basename(built)));
    return { root, command: `build/${basename(built)}` };
  }

  async function diagnosed(root: string, args: Record<string, unknown>): Promise<Answer> {
    let answer = await client.ok('debug_test', {
      projectRoot: root,
      diagnose: true,
      waitMs: 50_000,
      ...args,
    });
    while (at(answer.structured, 'state') === 'running') {
      const testRunId = textAt(answer.structured, 'testRunId');
      answer = await client.ok('debug_test', { action: 'wait', testRunId, timeoutMs: 50_000 });
    }
    return answer;
  }

  itNeeds(
    'gtest',
    '[test.diagnose] shows what a failed test called, and which functions are suspects',
    async () => {
      const { root, command } = withBinary('googleTest/area.cpp', 'diagnosed');
      const answer = await diagnosed(root, { command });
      const [first, second, ...others] = listAt(answer.structured, 'diagnoses');
      expect(textAt(first, 'test')).toBe('Area.IsWrong');
      expect(textAt(second, 'test')).toBe('Area.Throws');
      expect(others).toEqual([]);
      const text = textAt(first, 'text');
      expect(text).toMatch(/^actual 5 came from geometry::area, suspect 1$/m);
      expect(text).toMatch(/^ {2}Area_IsWrong_Test::TestBody\(.*\n {4}geometry::area\(/m);
      expect(text).toMatch(/^ {2}1\. geometry::area\(width=2, height=3\) = 5 .*area\.cpp:\d+/m);
      // Another test does other things: it says nothing of this one.
      expect(at(first, 'comparedTest') ?? null).toBeNull();
      expect(text).not.toContain('first divergence');
      expect(answer.text).toContain(text);
      expect(listAt(answer.structured, 'nextSteps')).toHaveLength(2);
      for (const form of [answer.text, JSON.stringify(answer.structured)]) {
        expect(countTokens(form)).toBeLessThanOrEqual(2500);
      }
      const sessionId = textAt(first, 'sessionId');
      const stats = await client.ok('debug_query', { sessionId, view: 'stats' });
      expect(stats.text).toContain('geometry::area');
      const again = await client.ok('debug_test', {
        action: 'status',
        testRunId: textAt(answer.structured, 'testRunId'),
      });
      expect(at(again.structured, 'diagnoses', 0)).toEqual(first);
    },
  );

  itNeeds(
    'gtest',
    '[test.diagnose-lines] says which line of a suspect ran in the failed test and in none that passed',
    async () => {
      const root = testProject(home, 'googleTest', 'meter');
      mkdirSync(join(root, 'build'), { recursive: true });
      const words = ['-std=c++17', '-g', '-O0', 'meter.cpp', '-lgtest', '-lgtest_main', '-pthread'];
      execFileSync('g++', [...words, '-o', 'build/meter'], { cwd: root });
      const answer = await diagnosed(root, { command: 'build/meter' });
      expect(textAt(answer.structured, 'diagnoses', 0, 'text')).toMatch(
        /^ {2}1\. meter::usedBetween\(before=990, after=5\) = 985 .*meter\.hpp:\d+ {2}\(line 7 ran in no passing test: return before - after;\)/m,
      );
    },
  );

  itNeeds(
    'gtestCmake',
    '[test.ctest-binary] GoogleTest that CMake registers with CTest is run by its binary: each failed expectation is shown, and diagnosed',
    async () => {
      const root = testProject(home, 'ctestGoogle', 'registered');
      const unbuilt = await client.refused('debug_test', { projectRoot: root });
      expect(unbuilt.text).toMatch(/is not built.*\n?.*cmake -S \. -B build/);
      const cmake = (...args: string[]): void => {
        execFileSync('cmake', args, { cwd: root, stdio: 'ignore' });
      };
      cmake('-S', '.', '-B', 'build', '-DCMAKE_BUILD_TYPE=Debug');
      cmake('--build', 'build');
      const answer = await diagnosed(root, {});
      expect(answer.text).toContain('which CTest runs');
      const [failure] = listAt(answer.structured, 'failures');
      expect(textAt(failure, 'message')).toMatch(/first\.size\(\)[\s\S]*total\(/);
      expect([at(failure, 'expected'), at(failure, 'actual')]).toEqual(['2', '3']);
      const text = textAt(answer.structured, 'diagnoses', 0, 'text');
      expect(text).toMatch(/^ {2}\d\. std_like::get\(.*\) = .*parts\.cpp:\d+/m);
      expect(text).not.toMatch(/^ +\d\. std::/m);
    },
  );

  itNeeds(
    'gtest',
    '[test.diagnose] a test that passes alone is traced among the others',
    async () => {
      const { root, command } = withBinary('leaky.cpp', 'leaky');
      const answer = await diagnosed(root, { command });
      const text = textAt(answer.structured, 'diagnoses', 0, 'text');
      expect(text).toContain('! It passes when it runs alone and traced.');
      expect(text).toContain('! Among the others it fails');
      expect(text).toMatch(/next\(\) = 2/);
    },
  );

  itNeeds('gtest', '[test.diagnose] can be cancelled; the results stay', async () => {
    const { root, command } = withBinary('failsThenHangs.cpp', 'cancelled');
    const env = { MARKER: join(home.path, 'marker') };
    const started = await client.ok('debug_test', {
      projectRoot: root,
      command,
      env,
      diagnose: true,
      waitMs: 0,
    });
    const testRunId = textAt(started.structured, 'testRunId');
    const hangs = (): boolean => processesWith(`MARKER=${env.MARKER}`).length > 0;
    for (let phase: unknown = null; phase !== 'diagnosing' || !hangs();) {
      const now = await client.ok('debug_test', { action: 'wait', testRunId, timeoutMs: 300 });
      expect(at(now.structured, 'state'), now.text).toBe('running');
      phase = at(now.structured, 'progress', 'phase');
    }
    const ended = await client.ok('debug_test', { action: 'cancel', testRunId });
    expect(at(ended.structured, 'verdict')).toBe('failed');
    expect(textAt(ended.structured, 'failures', 0, 'message')).toContain('the first time');
    expect(textAt(ended.structured, 'diagnoses', 0, 'text')).toContain('cut short');
    await until('nothing is left', () => !hangs());
  });

  itNeeds('deno', '[test.diagnose] says what Deno has to permit to be traced', async () => {
    const root = testProject(home, 'deno');
    symlinkSync(join(packageRoot, '.cache/frameworks/node_modules'), join(root, 'node_modules'));
    const { text } = await runTests(client, root, { diagnose: true });
    expect(text).toContain('No traced function was called.\n! JavaScript functions of deno');
    expect(text).toContain('"test": "deno test -A"');
  });

  itNeeds('bun', '[test.diagnose] what cannot be traced runs and says so', async () => {
    const root = testProject(home, 'bun');
    symlinkSync(join(packageRoot, '.cache/frameworks/node_modules'), join(root, 'node_modules'));
    const answer = await runTests(client, root, { diagnose: true });
    expect(listAt(answer.structured, 'warnings')).toContainEqual(
      expect.stringMatching(
        /^No diagnosis: bun runs JavaScript, .* call it in a file that Node or Deno runs/,
      ),
    );
  });
});
