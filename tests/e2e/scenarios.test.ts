import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { buildPanel, withStage } from '../support/panel.ts';
import { isAlive } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient, withHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('scenarios of a program without windows', () => {
  const { home, client } = withClient();

  async function talking() {
    const program = buildTarget('e2e/talks.c', ['-O0', '-g']);
    const launched = await launch(client, home, program, { args: [home.project], stdin: 'open' });
    await outputSeen(client, launched.sessionId, 'listening');
    const { sessionId } = launched;
    return {
      sessionId,
      pid: numberAt(launched.structured, 'pid'),
      run: async (asked: object) =>
        client.ok('debug_channel', { action: 'run', sessionId, ...asked }),
      refused: async (steps: readonly object[]) =>
        (await client.refused('debug_channel', { action: 'run', sessionId, steps })).text,
    };
  }

  test('[scenario.steps] actions and checks of stdio, trace, net and file pass in one scenario, which opens and hooks what it names', async () => {
    const { run } = await talking();
    const { text, structured } = await run({
      steps: [
        {
          save: 'port',
          from: { on: 'stdio', text: 'listening' },
          part: String.raw`listening (\d+)`,
        },
        { do: 'send', on: 'stdio', text: 'fetch\n' },
        { wait: { on: 'stdio', text: 'done fetch' } },
        { assert: { on: 'trace', function: 'fetch', count: 1 } },
        // eslint-disable-next-line no-template-curly-in-string
        { assert: { on: 'net', text: '127.0.0.1:${port}' } },
        { assert: { on: 'trace', function: 'refused', count: 0 } },
      ],
    });
    expect(text).toMatch(/^passed: 6 of 6 steps in /);
    expect(at(structured, 'outcome')).toBe('passed');
    expect(at(at(structured, 'saved'), 'port')).toMatch(/^\d+$/);
  });

  test('[scenario.steps] what an action is expected to lead to may come as late as the step says', async () => {
    const { sessionId } = await launch(client, home, '/bin/sh', {
      args: ['-c', 'read word; sleep 1.5; echo late $word'],
      stdin: 'open',
    });
    const send = { do: 'send', on: 'stdio', text: 'bread\n', withinMs: 30_000 };
    const expected = { on: 'stdio', text: 'late bread' };
    const steps = [{ ...send, expect: expected }];
    const { text } = await client.ok('debug_channel', { action: 'run', sessionId, steps });
    expect(text).toMatch(/^passed: 1 of 1 steps/);
  });

  test('[scenario.failed] a failed step leaves the program alive with what was seen and the last events, and the scenario continues from it', async () => {
    const { run, pid } = await talking();
    const failed = await run({
      steps: [
        { do: 'send', on: 'stdio', text: 'fetch\n', expect: { on: 'stdio', text: 'done fetch' } },
        { assert: { on: 'trace', function: 'fetch', count: { gt: 3 } }, withinMs: 0 },
        { assert: { on: 'stdio', text: 'done fetch' } },
      ],
    });
    expect(at(failed.structured, 'outcome')).toBe('failed');
    expect(failed.text).toMatch(/^step 2 of 3 failed after .*; the program runs on \(pid \d+\)$/m);
    expect(failed.text).toContain('seen: 1 on trace');
    expect(failed.text).toMatch(/last on stdio:\n(?: {2}.*\n)* {2}.*done fetch/);
    expect(failed.text).toContain('"from":2');
    expect(isAlive(pid)).toBe(true);
    const rest = await run({ from: 3 });
    expect(rest.text).toMatch(/^passed: 1 of 3 steps in .*, from step 3$/m);
  });

  test('[scenario.read] a scenario is read whole: what is wrong with any step is said before the first one runs', async () => {
    const { run, refused, sessionId } = await talking();
    const send = { do: 'send', on: 'stdio', text: 'fetch\n' };
    expect(await refused([send, { wiat: {} }])).toMatch(
      /^UNKNOWN_PARAMETER: Step 2: .*"wiat".*"wait"/,
    );
    expect(await refused([send, { do: 'sent', on: 'stdio' }])).toContain('Did you mean "send"');
    expect(await refused([send, { wait: { on: 'stdoi' } }])).toContain('Did you mean "stdio"');
    expect(await refused([send, { wait: { on: 'stdio', txt: 'x' } }])).toContain('Use "text"');
    expect(await refused([send, { do: 'send', on: 'stdio', text: '${nothing}' }])).toContain(
      '${nothing} is saved by no step before it',
    );
    const absent = { assert: { on: 'trace', function: 'fetsh' } };
    expect(await refused([send, absent])).toMatch(/names fetsh, which is no function.*\n.*fetch/);
    expect(await refused([{ do: 'click', id: 'btn' }])).toMatch(/^NO_STAGE/);
    const output = { action: 'query', channel: 'stdio', sessionId, text: 'done' };
    const { structured } = await client.ok('debug_channel', output);
    expect(listAt(structured, 'events')).toEqual([]);
    const late = await run({ steps: [{ wait: { on: 'stdio', text: 'never' } }], timeoutMs: 200 });
    expect(at(late.structured, 'outcome')).toBe('unfinished');
  });
});

describe('scenario files', () => {
  const home = withHome();
  const scenario = async (...words: readonly string[]) => {
    const { stdout, code } = await runStrobe({ env: home.env, cwd: home.project }, words);
    return { text: stdout.toString(), code };
  };

  test('[scenario.cli] a file is launched, run and stopped by one command, whose status and JUnit report say what passed', async () => {
    const file = join(home.project, 'echo.scenario.json');
    const junit = join(home.project, 'report.xml');
    const launched = {
      command: 'sh',
      args: ['-c', 'read line; echo "got $line"; sleep 1000'],
      stdin: 'open',
    };
    const send = { do: 'send', on: 'stdio', text: 'a<b\n' };
    const textOf = (count: number): string =>
      JSON.stringify({
        launch: launched,
        steps: [send, { assert: { on: 'stdio', text: 'got a<b', count } }, send],
      });
    writeFileSync(file, textOf(1));
    const passed = await scenario('scenario', file, '--junit', junit);
    expect(passed.text).toMatch(/^passed: 3 of 3 steps/);
    expect(passed.code).toBe(0);
    expect(readFileSync(junit, 'utf8')).toContain('tests="3" failures="0" errors="0" skipped="0"');
    writeFileSync(file, textOf(2));
    const failed = await scenario('scenario', file, '--junit', junit);
    expect(failed.text).toMatch(/^step 2 of 3 failed/);
    expect(failed.code).toBe(1);
    const report = readFileSync(junit, 'utf8');
    expect(report).toContain('tests="3" failures="1" errors="0" skipped="1"');
    expect(report).toContain('a&lt;b');
    const list = await scenario('session', 'list', '--json');
    expect(list.text).not.toContain('"running"');
    const options = { env: home.env, cwd: home.project };
    const { stderr } = await runStrobe(options, ['scenario', 'none.json']);
    expect(stderr).toMatch(/none\.json cannot be read as JSON: .*\n.*scenario --help/);
  });
});

describe('scenarios of windows', () => {
  const { home, client } = withClient(withStage);

  itNeeds(
    'stage',
    '[scenario.record] what was done in a window becomes a scenario that passes in a program launched again',
    async () => {
      const { sessionId } = await launch(client, home, buildPanel(), { ui: true });
      const path = join(home.project, 'recorded.scenario.json');
      const channel = async (asked: object) => client.ok('debug_channel', { sessionId, ...asked });
      const act = async (asked: object) => client.ok('debug_ui', { sessionId, ...asked });
      await channel({ action: 'record' });
      await act({ action: 'click', id: 'btn_play' });
      await act({ action: 'setValue', id: 'sld1', value: 7 });
      await act({ action: 'click', id: 'chk_loop' });
      const kept = join(home.project, 'package.json');
      writeFileSync(kept, '{}\n');
      const over = { action: 'record', sessionId, path: kept };
      const { text } = await client.refused('debug_channel', over);
      expect(text).toContain('it is not replaced');
      expect(readFileSync(kept, 'utf8')).toBe('{}\n');
      const { structured } = await channel({ action: 'record', path });
      expect(listAt(structured, 'steps')).toEqual([
        {
          do: 'click',
          role: 'button',
          name: 'Play',
          count: 1,
          expect: { on: 'ui', role: 'label', name: 'played 1' },
        },
        { do: 'setValue', id: 'sld1', value: 7, expect: { on: 'ui', id: 'sld1', value: 7 } },
        {
          do: 'click',
          role: 'check box',
          name: 'Loop',
          count: 1,
          expect: { on: 'ui', role: 'check box', name: 'Loop', is: 'checked' },
        },
      ]);
      await client.ok('debug_session', { action: 'stop', sessionId });
      const again = await launch(client, home, buildPanel(), { ui: true });
      const run = { action: 'run', sessionId: again.sessionId, path };
      expect((await client.ok('debug_channel', run)).text).toMatch(/^passed: 3 of 3 steps/);
      await client.ok('debug_session', { action: 'stop', sessionId: again.sessionId });
    },
  );

  itNeeds(
    'stage',
    '[scenario.windows] a click is one call with a positive argument; a step that fails shows picture and elements',
    async () => {
      const { sessionId } = await launch(client, home, buildPanel(), { ui: true });
      const run = async (asked: object) =>
        client.ok('debug_channel', { action: 'run', sessionId, ...asked });
      const passed = await run({
        steps: [
          { do: 'click', role: 'button', name: 'Play' },
          { assert: { on: 'trace', function: 'note_on', where: 'velocity > 0', count: 1 } },
          { assert: { on: 'ui', role: 'label', text: { contains: 'played' } } },
          { do: 'setValue', id: 'sld1', value: 7, expect: { on: 'ui', id: 'sld1', value: 7 } },
          { wait: { on: 'stdio', text: 'cutoff 7' } },
          { assert: { on: 'ui', role: 'button', name: 'Stop', gone: true } },
        ],
      });
      expect(passed.text).toMatch(/^passed: 6 of 6 steps/);
      const failed = await run({
        steps: [{ assert: { on: 'ui', id: 'chk_loop', is: 'checked' }, withinMs: 0 }],
      });
      expect(failed.text).toContain('seen: [check box "Loop" id=chk_loop]');
      expect(failed.text).toContain('  [slider id=sld1 value=7 (0..10)]');
      expect(existsSync(textAt(at(failed.structured, 'failed'), 'screenshot'))).toBe(true);
      const absent = await run({
        steps: [{ do: 'click', role: 'button', name: 'Plai', withinMs: 0 }],
      });
      expect(absent.text).toContain('[button "Play" id=btn_play');
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );
});
