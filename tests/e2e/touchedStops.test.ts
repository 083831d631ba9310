import { describe, expect, vi } from 'vitest';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { itNeeds } from '../support/needs.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('stops where data is touched', () => {
  const { home, client } = withClient();

  async function started() {
    const program = buildTarget('e2e/touched.cpp', ['-O0', '-pthread']);
    const { sessionId, structured } = await launch(client, home, program, { stdin: 'open' });
    await outputSeen(client, sessionId, 'ready');
    const say = async (text: string) =>
      client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
    const wait = async () => {
      const asked = { sessionId, action: 'wait', timeoutMs: 20_000 };
      const { structured: answer, text } = await client.ok('debug_continue', asked);
      const [stop] = listAt(answer, 'stops');
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
    return { sessionId, pid: numberAt(structured, 'pid'), say, wait, run, breakpoint, end };
  }

  itNeeds(
    'debugRegisters',
    '[stop.data] a thread stops where it writes a variable, with the value before and after: the main thread, another, and one that begins later',
    async () => {
      const { sessionId, pid, say, wait, run, breakpoint, end } = await started();
      const { text } = await breakpoint({ add: [{ data: 'stock' }] });
      expect(text).toMatch(/b1 write stock bound · trap/);
      const threads: number[] = [];
      for (const [order, change] of [
        ['m', 'stock 0 → 10'],
        ['c', 'stock 10 → 20'],
        ['n', 'stock 20 → 30'],
      ] as const) {
        await say(order);
        const { stop, text: shown } = await wait();
        expect(shown).toContain(`stopped · b1 ${change}`);
        expect(stop).toMatchObject({ function: 'put', breakpoints: ['b1'] });
        threads.push(numberAt(stop, 'thread'));
        await run();
        await outputSeen(client, sessionId, `done ${change.split(' ')[3]} `);
      }
      expect(threads[0]).toBe(pid);
      expect(new Set(threads).size).toBe(3);
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'debugRegisters',
    '[stop.data-condition] writes that do not meet the condition go on and are counted; reads stop, too, when they are asked for; locals by a frame',
    async () => {
      const { sessionId, say, wait, run, breakpoint, end } = await started();
      await breakpoint({ add: [{ data: 'stock', condition: 'stock > 25' }] });
      for (const order of ['m', 'm', 'n']) await say(order);
      expect((await wait()).text).toContain('b1 stock 10 → 30');
      await run();
      await outputSeen(client, sessionId, 'done 30');
      const { structured } = await breakpoint({});
      expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 3, met: 1 });
      await breakpoint({ remove: ['all'], add: [{ data: 'price', access: 'access' }] });
      await say('r');
      const read = await wait();
      expect(read.text).toContain('b2 price = 2.5');
      expect(textAt(read.stop, 'function')).toBe('cost');
      await client.ok('debug_continue', { sessionId, action: 'out', timeoutMs: 20_000 });
      const { text } = await breakpoint({ remove: ['all'], add: [{ data: 'local' }] });
      expect(text).toMatch(/b3 write local bound/);
      await run();
      expect((await wait()).text).toContain('b3 local 114 → 115');
      const wrong = await breakpoint({ remove: ['all'], add: [{ data: 'nosuch' }] });
      expect(wrong.text).toMatch(/b4 write nosuch failed: .*nosuch/);
      await run();
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );
});
