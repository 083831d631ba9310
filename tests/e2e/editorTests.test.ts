import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { framesIn, scopesIn } from '../support/editors/seen.ts';
import { Wire } from '../support/editors/wire.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { delvePath, itNeeds } from '../support/needs.ts';
import { withClient } from '../support/suite.ts';
import { testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Debugged {
  readonly projectRoot: string;
  readonly test: string;
  readonly file: string;
  /** What stands in the line where it stops. */
  readonly line: string;
}

describe('an editor that debugs tests', () => {
  const { home, client } = withClient({ STROBE_ADAPTERS_DELVE: delvePath });

  /** Launches a test with a breakpoint, and answers where it stopped with its values. */
  async function stoppedIn({ projectRoot, test: name, file, line }: Debugged) {
    const path = join(projectRoot, file);
    const number =
      readFileSync(path, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes(line)) + 1;
    const wire = new Wire(home);
    onTestFinished(async () => wire.kill());
    await wire.request('initialize', { adapterID: 'strobe' });
    const began = wire.request('launch', { test: { projectRoot, test: name } });
    await wire.event('initialized');
    const breakpoints = [{ line: number }];
    await wire.request('setBreakpoints', { source: { path }, breakpoints });
    await wire.request('configurationDone');
    await began;
    const testRunId = textAt(await wire.event('testRun'), 'testRunId');
    const threadId = numberAt(await wire.event('stopped'), 'threadId');
    const threads = listAt(await wire.request('threads'), 'threads').map((one) => at(one, 'id'));
    expect(threads).toContain(threadId);
    const [top] = framesIn(await wire.request('stackTrace', { threadId }));
    expect(top?.line).toBe(number);
    const scopes = await scopesIn(wire, top?.id ?? 0);
    const values = Object.fromEntries(scopes.flatMap((scope) => Object.entries(scope.values)));
    const end = async () => {
      await wire.request('setBreakpoints', { source: { path }, breakpoints: [] });
      await wire.request('continue', { threadId });
      await wire.event('terminated');
      const wait = { action: 'wait', testRunId, timeoutMs: 40_000 };
      return (await client.ok('debug_test', wait)).structured;
    };
    return { wire, values, end };
  }

  test('[editor.tests] a test of Python stops at a breakpoint of the editor, and its run ends with its outcome', async () => {
    const projectRoot = testProject(home, 'unittest');
    const file = 'tests/test_area.py';
    const asked = { projectRoot, test: 'Areas.test_area', file, line: 'return w + h' };
    const { values, end } = await stoppedIn(asked);
    expect(values).toMatchObject({ w: '2', h: '3' });
    const ended = await end();
    expect(ended).toMatchObject({ state: 'completed', verdict: 'failed', summary: { failed: 1 } });
    expect(at(ended, 'failures', 0)).toMatchObject({ message: '5 != 6', actual: '5' });
  });

  test('[editor.tests] a test of Node, whose runner starts a process for each file', async () => {
    const projectRoot = testProject(home, 'nodeShop');
    const line = 'return rates.get(name)';
    const { values, end } = await stoppedIn({
      projectRoot,
      test: 'sums up',
      file: 'src/prices.mjs',
      line,
    });
    expect(values['name']).toContain('tea');
    expect(await end()).toMatchObject({ state: 'completed', summary: { passed: 1 } });
  });

  itNeeds('cargo', '[editor.tests] a test of Rust, in the program that cargo starts', async () => {
    const projectRoot = testProject(home, 'cargo');
    const asked = { projectRoot, test: 'tests::is_wrong', file: 'src/lib.rs' };
    const { values, end } = await stoppedIn({ ...asked, line: 'width + height' });
    expect(values).toMatchObject({ width: '2', height: '3' });
    expect(await end()).toMatchObject({ state: 'completed', summary: { failed: 1 } });
  });

  itNeeds('cmake', '[editor.tests] a test of C, in the program that ctest starts', async () => {
    const projectRoot = testProject(home, 'ctestOwn');
    const cmake = (...words: string[]) =>
      execFileSync('cmake', words, { cwd: projectRoot, stdio: 'ignore' });
    cmake('-S', '.', '-B', 'build', '-DCMAKE_BUILD_TYPE=Debug');
    cmake('--build', 'build');
    const asked = { projectRoot, test: 'area_of_two', file: 'area.c', line: 'return found' };
    const { values, end } = await stoppedIn(asked);
    expect(values).toMatchObject({ width: '2', height: '3', found: '6' });
    expect(await end()).toMatchObject({ state: 'completed', summary: { passed: 1 } });
  });

  itNeeds('delve', '[editor.tests] a test of Go, in the program that go test builds', async () => {
    const projectRoot = testProject(home, 'goShop');
    const asked = { projectRoot, test: 'TestDiscount', file: 'shop.go', line: 'return total -' };
    const { values, end } = await stoppedIn(asked);
    expect(values).toMatchObject({ total: '10', percent: '10' });
    expect(await end()).toMatchObject({ state: 'completed', summary: { failed: 1 } });
  });

  test('[editor.tests] a project that is not there, and a launch of nothing say what to do', async () => {
    const wire = new Wire(home);
    onTestFinished(async () => wire.kill());
    await wire.request('initialize', { adapterID: 'strobe' });
    await expect(wire.request('launch', {})).rejects.toThrow(/Give program, or test/);
    const refusal = async (projectRoot: string) => {
      const asking = new Wire(home);
      onTestFinished(async () => asking.kill());
      await asking.request('initialize', { adapterID: 'strobe' });
      const began = asking.request('launch', { test: { projectRoot } });
      const refused = expect(began).rejects;
      await asking.event('initialized');
      await asking.request('configurationDone');
      return refused;
    };
    await (await refusal(join(home.project, 'nosuch'))).toThrow(/nosuch/);
  });
});
