import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Dape } from '../support/editors/dape.ts';
import { NvimDap } from '../support/editors/nvimDap.ts';
import { listAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const path = targetSource('e2e/rounds.c');
const lines = readFileSync(path, 'utf8').split('\n');
const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;

describe('editorReplays', () => {
  const { home, client } = withClient();

  test('[editor.nvim] the messages of nvim-dap: a launch with a condition, values, setting, steps, the end', async () => {
    const editor = new NvimDap(home);
    onTestFinished(async () => editor.wire.kill());
    const program = buildTarget('e2e/rounds.c', ['-O0']);
    const condition = 'round == 2';
    const breakpoints = [{ line: line('return sum + 1'), condition }];
    const placed = await editor.start({ request: 'launch', program }, path, breakpoints);
    expect(listAt(placed, 'breakpoints')).toHaveLength(1);
    const stop = await editor.stopped();
    expect([stop.reason, stop.frames[0]?.name]).toEqual(['breakpoint', 'filled']);
    const named = new Map(stop.scopes.map(({ name, values }) => [name, values]));
    expect(named.get('Arguments')).toMatchObject({ round: '2' });
    expect(named.get('Locals')).toEqual({ sum: '6' });
    const top = stop.frames[0]?.id ?? 0;
    expect(await editor.evaluate('cup->price', top)).toBe('2.5');
    const set = await editor.setVariable(stop, 'Locals', 'sum', '50');
    expect(set.find(({ name }) => name === 'Locals')?.values).toEqual({ sum: '50' });
    await editor.step('stepOut', stop.threadId);
    const caller = await editor.stopped();
    expect([caller.reason, caller.frames[0]?.name]).toEqual(['step', 'main']);
    await editor.step('next', stop.threadId);
    const next = await editor.stopped();
    expect(lines[(next.frames[0]?.line ?? 1) - 1]).toContain('total += more');
    await editor.step('continue', stop.threadId);
    expect(await editor.wire.event('exited')).toEqual({ exitCode: 0 });
    await editor.wire.event('terminated');
    expect(editor.wire.output).toBe('total 65\n');
  });

  test('[editor.dape] the messages of Emacs’ dape: frames one by one, data, memory, code, a restart and an end by force', async () => {
    const editor = new Dape(home);
    onTestFinished(async () => editor.wire.kill());
    const program = buildTarget('e2e/rounds.c', ['-O0']);
    const configuration = { request: 'launch', program, stopOnEntry: false } as const;
    await editor.start(configuration, path, [{ line: line('return sum + 1') }]);
    const stop = await editor.stopped();
    expect([stop.reason, stop.frames[0]?.name]).toEqual(['breakpoint', 'filled']);
    const [top, caller] = stop.frames;
    const code = await editor.disassemble(top?.pc ?? '');
    expect(listAt(code, 'instructions')[50]).toMatchObject({ address: top?.pc });
    const outer = await editor.select(caller?.id ?? 0);
    const locals = outer.find(({ name }) => name === 'Locals');
    expect(locals?.values).toMatchObject({ total: '0', round: '1' });
    const watched = await editor.watch(locals?.reference ?? 0, 'total');
    expect(watched).toMatchObject({ breakpoints: [{ verified: true }] });
    await editor.continue(stop.threadId);
    const written = await editor.stopped();
    expect([written.reason, written.frames[0]?.name]).toEqual(['data breakpoint', 'main']);
    await editor.restart();
    const again = await editor.stopped();
    expect([again.reason, again.frames[0]?.name]).toEqual(['breakpoint', 'filled']);
    await editor.step('next', again.threadId);
    expect(await editor.stopped()).toMatchObject({ reason: 'step' });
    await editor.quit();
  });

  test('[editor.nvim] [editor.dape] both join an agent’s session one after the other, and leave its program alone', async () => {
    const program = buildTarget('e2e/stops.cpp', ['-O0', '-pthread']);
    const source = targetSource('e2e/stops.cpp');
    const place =
      readFileSync(source, 'utf8')
        .split('\n')
        .findIndex((one) => one.includes('int b = added')) + 1;
    const { sessionId } = await launch(client, home, program, { stdin: 'open' });
    await outputSeen(client, sessionId, 'ready');
    const say = async (text: string) =>
      client.ok('debug_session', { action: 'input', sessionId, text });
    const attach = { request: 'attach', session: sessionId } as const;
    const vim = new NvimDap(home);
    onTestFinished(async () => vim.wire.kill());
    await vim.start(attach, source, [{ line: place }]);
    await say('a\n');
    expect((await vim.stopped()).frames[0]?.name).toBe('work');
    await vim.disconnect();
    await outputSeen(client, sessionId, 'done');
    const emacs = new Dape(home);
    onTestFinished(async () => emacs.wire.kill());
    await emacs.start(attach, source, [{ line: place }]);
    await say('b\n');
    const stop = await emacs.stopped();
    const order = stop.scopes.find(({ name }) => name === 'Arguments')?.values['order'];
    expect(order).toContain('tea');
    await emacs.leave();
    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });
});
