import { describe, expect, test, vi } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { expectNothingEarly } from '../support/lateIndex.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withHome } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('waits', () => {
  const home = withHome();

  test('[session.wait] for exit, output, event and idle, and a limit', async () => {
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tock'],
    });
    const wait = async (args: Readonly<Record<string, unknown>>) =>
      (await client.ok('debug_session', { action: 'wait', sessionId, ...args })).structured;
    expect(await wait({ for: ['output'], match: 'round 3' })).toMatchObject({ happened: 'output' });
    expect(await wait({ for: ['event'], match: 'clockwork::tock' })).toMatchObject({
      happened: 'event',
    });
    expect(await wait({ for: ['exit'], timeoutMs: 50 })).toMatchObject({
      happened: 'timeout',
      exit: null,
    });
    expect(await wait({ for: ['output', 'exit'] })).toMatchObject({ happened: 'output' });
    const waiting = wait({ for: ['exit'] });
    await client.ok('debug_session', { action: 'stop', sessionId });
    expect(await waiting).toMatchObject({ happened: 'exit', exit: { kind: 'exited', code: 0 } });
    expect(await wait({ for: ['exit'] })).toMatchObject({ happened: 'exit' });

    const quiet = await launch(client, home, buildTarget('e2e/family.c'));
    const idle = await client.ok('debug_session', {
      action: 'wait',
      sessionId: quiet.sessionId,
      for: ['idle'],
    });
    expect(at(idle.structured, 'happened')).toBe('idle');
    await client.ok('debug_session', { action: 'stop', sessionId: quiet.sessionId, graceMs: 0 });
  });

  test('[session.wait] a call that no hooked function can make is not waited for', async () => {
    const client = await startClient(home);
    const program = buildTarget('e2e/ticker.cpp');
    const { sessionId } = await launch(client, home, program, { patterns: ['clockwork::tock'] });
    const wait = async (match: string) =>
      client.ok('debug_session', { action: 'wait', sessionId, for: ['event'], match });
    const never = await wait('clockwork::nope');
    expect(at(never.structured, 'happened')).toBe('impossible');
    expect(never.text).toContain('no hooked function matches "clockwork::nope"');
    expect(at((await wait('tock')).structured, 'happened')).toBe('event');
    await client.ok('debug_session', { action: 'stop', sessionId });
    const { sessionId: untraced } = await launch(client, home, program);
    const awaited = { action: 'wait', sessionId: untraced, for: ['event'] };
    const none = await client.ok('debug_session', awaited);
    expect(none.text).toContain('no functions are traced');
    const set = async (change: object): Promise<unknown> =>
      client.ok('debug_breakpoint', { sessionId: untraced, ...change });
    await set({ add: [{ function: 'clockwork::nope' }] });
    const stop = await client.ok('debug_session', awaited);
    expect(stop.text).toMatch(/no functions are traced, and a stop is no event/);
    expect(stop.text).toMatch(/debug_continue {"action":"wait"/);
    await set({ change: [{ id: 'b1', enabled: false }] });
    const off = await client.ok('debug_session', awaited);
    expect(off.text).not.toContain('a stop is no event');
    await set({ add: [{ function: 'clockwork::tock', log: 'tock' }] });
    const hit = await client.ok('debug_session', awaited);
    expect(at(hit.structured, 'happened')).toBe('event');
    await client.ok('debug_session', { action: 'stop', sessionId: untraced });
  });

  test('[session.final] on a loaded machine no answer gives counts too early, or says that there was no output', async () => {
    const client = await startClient(home);
    for (const calls of [20_000, 1_000_000]) {
      const { final, behind } = await expectNothingEarly(client, home, calls);
      expect(final + behind).toBe(5);
    }
  });

  test('[session.wait-output] after a prompt the rest of its line, the last lines of many, the last words of a program that has ended', async () => {
    const client = await startClient(home);
    const program = buildTarget('e2e/prompts.c');
    const { sessionId } = await launch(client, home, program, { stdin: 'open' });
    const say = async (text: string, eof = false) =>
      client.ok('debug_session', { action: 'input', sessionId, text, eof });
    const wait = async (args: Readonly<Record<string, unknown>>) =>
      client.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000, ...args });
    const prompt = await outputSeen(client, sessionId, '>');
    await say('1\n');
    const first = await wait({ for: ['output'], match: '= 1', after: prompt.cursor });
    expect(first.structured).toMatchObject({ happened: 'output', output: [{ text: '= 1' }] });
    const next = await wait({ for: ['output'], match: '>', after: prompt.cursor });
    expect(next.structured).toMatchObject({ happened: 'output', output: [{ text: '> ' }] });
    await say('15\n');
    const last = await outputSeen(client, sessionId, '= 30', textAt(next.structured, 'cursor'));
    const many = await wait({ for: ['output'], match: '=', after: prompt.cursor });
    const texts = listAt(many.structured, 'output').map((line) => textAt(line, 'text'));
    expect(texts.at(-1)).toBe('= 30');
    expect(numberAt(many.structured, 'outputLines')).toBe(32);
    expect(many.text).toContain(`that output, the last ${texts.length} of 32 lines:`);
    await say('', true);
    const over = await wait({ for: ['exit'], after: last.cursor });
    expect(textAt(listAt(over.structured, 'output').at(-1), 'text')).toMatch(/^(> )?bye$/);
    const asked = await wait({ for: ['exit'] });
    expect(asked.text).toContain(' of 33 lines:');
    expect(asked.text).not.toContain('"action":"wait"');
    expect(listAt(asked.structured, 'output').at(-1)).toMatchObject({ text: '> bye' });
    const refused = await client.refused('debug_session', {
      action: 'wait',
      sessionId,
      for: ['exit'],
      match: 'bye',
    });
    expect(refused.text).toContain('BAD_PARAMETER: debug_session: match');
  });

  test('[session.wait-input] a wait after an input is for its reaction, which may have come before; an earlier prompt is none', async () => {
    const client = await startClient(home);
    const { sessionId } = await launch(client, home, buildTarget('e2e/prompts.c'), {
      stdin: 'open',
    });
    const wait = async (args: Readonly<Record<string, unknown>>) =>
      (await client.ok('debug_session', { action: 'wait', sessionId, timeoutMs: 20_000, ...args }))
        .structured;
    const say = async (text: string) =>
      (await client.ok('debug_session', { action: 'input', sessionId, text })).structured;
    await outputSeen(client, sessionId, '>');
    await say('1\n');
    const prompt = await wait({ for: ['output'], match: '>' });
    expect(prompt).toMatchObject({ happened: 'output', output: [{ text: '> ' }], outputLines: 1 });
    const typed = await say('2\n');
    await vi.waitFor(
      async () => expect((await linesOf(client, sessionId)).at(-2)?.text).toContain('= 4'),
      { timeout: 20_000 },
    );
    expect(await wait({ for: ['output'] })).toMatchObject({ happened: 'output' });
    const again = await wait({ for: ['output'], match: '=', after: textAt(typed, 'cursor') });
    expect(listAt(again, 'output').map((line) => textAt(line, 'text'))).toEqual([
      '= 1',
      '= 2',
      '= 3',
      '= 4',
    ]);
    // It was answered: what comes next counts.
    expect(await wait({ for: ['output'], timeoutMs: 300 })).toMatchObject({ happened: 'timeout' });
  });
});
