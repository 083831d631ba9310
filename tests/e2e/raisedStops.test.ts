import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { pythons } from '../support/pythons.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('stops where exceptions are raised', () => {
  const { home, client } = withClient();

  async function started(program: string, options: Readonly<Record<string, unknown>> = {}) {
    const { sessionId } = await launch(client, home, program, { stdin: 'open', ...options });
    await outputSeen(client, sessionId, 'ready');
    const say = async (text: string) =>
      client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
    const go = async (action: string) => {
      const asked = { sessionId, action, timeoutMs: 20_000 };
      const { structured, text } = await client.ok('debug_continue', asked);
      const [stop] = listAt(structured, 'stops');
      return { stop, text };
    };
    const run = async () =>
      client.ok('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
    const breakpoint = async (more: Readonly<Record<string, unknown>>) =>
      client.ok('debug_breakpoint', { sessionId, ...more });
    const end = async (): Promise<unknown> => {
      await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      return exitOf(client, sessionId);
    };
    return { sessionId, say, go, run, breakpoint, end };
  }

  test('[stop.throw] a thread stops where C++ throws, with type and message; by type also at those that are derived from it', async () => {
    const { sessionId, say, go, run, breakpoint, end } = await started(
      buildTarget('e2e/raises.cpp', ['-O0']),
    );
    const { text } = await breakpoint({ add: [{ exception: 'cpp' }] });
    expect(text).toMatch(/b1 throw bound · trap/);
    await say('number');
    const number = await go('wait');
    expect(number.stop).toMatchObject({
      breakpoints: ['b1'],
      raised: { type: 'int', message: '42' },
      function: 'sell',
    });
    await run();
    await outputSeen(client, sessionId, 'number 1');
    await breakpoint({ remove: ['b1'], add: [{ exception: 'cpp', type: 'std::runtime_error' }] });
    for (const what of ['number', 'range', 'range', 'coin']) await say(what);
    const refused = await go('wait');
    expect(refused.stop).toMatchObject({
      raised: { type: 'shop::Refused', message: 'refused: coin' },
    });
    expect(textAt(refused.stop, 'variables', 'what')).toContain('"coin"');
    expect(refused.text).toMatch(/s2 stopped · b2 throws shop::Refused "refused: coin"/);
    await run();
    await outputSeen(client, sessionId, 'coin 1');
    const { structured } = await breakpoint({});
    expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 4, met: 1 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.panic] a thread stops where Rust panics, before its stack is unwound', async () => {
    const { sessionId, say, go, run, breakpoint, end } = await started(
      buildTarget('e2e/panics.rs'),
    );
    const { text } = await breakpoint({ add: [{ exception: 'panic' }, { exception: 'cpp' }] });
    expect(text).toMatch(/b1 panic bound · trap/);
    expect(text).toMatch(/b2 throw pending: No loaded file throws exceptions of C\+\+/);
    await say('long line');
    const { stop } = await go('wait');
    expect(stop).toMatchObject({ breakpoints: ['b1'] });
    expect(textAt(stop, 'function')).toMatch(/shelf$/);
    await run();
    await outputSeen(client, sessionId, 'long line false');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  itNeeds(
    'cpython',
    '[stop.throw] exceptions of machine code name how to stop at those of the language that runs; a wrong name its nearest',
    async () => {
      const python = pythons.find(({ isSystem }) => !isSystem);
      const programs: readonly (readonly [string | undefined, string, string, string])[] = [
        [python?.path, targetSource('python/stops.py'), 'python', 'stops.wrok'],
        [process.execPath, targetSource('node/stops.mjs'), 'js', 'stops.wrok'],
      ];
      for (const [program = '', script, exception, wrong] of programs) {
        const { sessionId, end } = await started(program, { args: [script] });
        const asked = { sessionId, add: [{ exception: 'cpp' }, { function: wrong }] };
        const { text, structured } = await client.ok('debug_breakpoint', asked);
        const call = `debug_breakpoint {"add":[{"exception":"${exception}"}]}`;
        expect(at(structured, 'warnings', 0)).toContain(call);
        expect(text).toMatch(/^b2 stops\.wrok failed: .* Nearest: stops\.work/m);
        await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
      }
    },
  );
});
