import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { call, openedEditor } from '../support/editorHost.ts';
import { Wire } from '../support/editors/wire.ts';
import { at, numberAt } from '../support/read.ts';
import { withHome } from '../support/suite.ts';
import { testProject } from '../support/testProjects.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('the Test Explorer of the extension of VS Code', () => {
  const home = withHome();

  test('[extension.tests] a failed test that is diagnosed says what failed, and at the likeliest faulty line its story with links', async () => {
    const projectRoot = testProject(home, 'unittest');
    const { made, outcomes } = openedEditor(home, { folder: projectRoot });
    const [controller] = made.get('createTestController strobe') ?? [];
    const [, diagnose] = made.get('createRunProfile strobe Run and Diagnose Failures') ?? [];
    const item = call(controller, 'createTestItem', 'area', 'Areas.test_area');
    Object.assign(Object(item), { parent: call(at(controller, 'items'), 'get', projectRoot) });
    const token = { onCancellationRequested: () => undefined };
    await call({ diagnose }, 'diagnose', { include: [item] }, token);
    const path = join(projectRoot, 'tests/test_area.py');
    const line = readFileSync(path, 'utf8').split('\n').indexOf('def area(w, h):') + 1;
    expect(outcomes).toEqual([
      expect.stringMatching(/^failed .*Areas\.test_area: 5 != 6: /),
      'end',
    ]);
    expect(outcomes[0]).toContain(`: ${path}:${line}: `);
    const link = new URL(`file://${path}#L${line}`).href;
    expect(outcomes[0]).toContain(`[\`tests/test_area.py:${line}\`](${link})`);
  });

  test('[extension.debug-tests] its Debug profile runs tests under the debugger: a breakpoint stops them, and each outcome is shown when they have ended', async () => {
    const projectRoot = testProject(home, 'unittest');
    const { made, started, debugging, outcomes } = openedEditor(home, { folder: projectRoot });
    const [controller] = made.get('createTestController strobe') ?? [];
    const [, debug] = made.get('createRunProfile strobe Debug') ?? [];
    const path = join(projectRoot, 'tests/test_area.py');
    const root = call(at(controller, 'items'), 'get', projectRoot);
    const item = call(controller, 'createTestItem', 'area', 'Areas.test_area');
    Object.assign(Object(item), { parent: root });
    const token = { onCancellationRequested: () => undefined };
    const ended = call({ debug }, 'debug', { include: [item] }, token);
    await vi.waitFor(() => expect(started).toHaveLength(1));
    const [configuration] = started;
    expect(configuration).toMatchObject({
      type: 'strobe',
      request: 'launch',
      test: { projectRoot, test: 'Areas.test_area' },
    });
    const session = { type: 'strobe', configuration };
    debugging.began.fire(session);

    // What VS Code does with such a configuration.
    const wire = new Wire(home);
    onTestFinished(async () => wire.kill());
    await wire.request('initialize', { adapterID: 'strobe' });
    const began = wire.request('launch', { test: at(configuration, 'test') });
    await wire.event('initialized');
    const line = readFileSync(path, 'utf8').split('\n').indexOf('    return w + h') + 1;
    await wire.request('setBreakpoints', { source: { path }, breakpoints: [{ line }] });
    await wire.request('configurationDone');
    await began;
    debugging.custom.fire({ session, event: 'testRun', body: await wire.event('testRun') });
    const threadId = numberAt(await wire.event('stopped'), 'threadId');
    expect(outcomes).toEqual([]);
    await wire.request('continue', { threadId });
    await wire.event('terminated');
    debugging.ended.fire(session);
    await ended;
    expect(outcomes).toEqual([expect.stringMatching(/^failed .*Areas\.test_area: 5 != 6/), 'end']);
  });
});
