import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { delvePath, gdbPath, itNeeds, lldbPath, pythonPeers } from '../support/needs.ts';
import { listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf } from '../support/runs.ts';
import { stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const python = join(pythonPeers('3.12'), 'bin', 'python');

describe('threads that come to breakpoints at the same moment', () => {
  const { home, client } = withClient({
    STROBE_ADAPTERS_DELVE: delvePath,
    STROBE_ADAPTERS_GDB: gdbPath,
    STROBE_ADAPTERS_LLDB: lldbPath,
    STROBE_ADAPTERS_DEBUGPY: python,
  });

  const hitsBy = async (
    adapter: string,
    [program, ...args]: readonly [string, ...string[]],
    [left, right]: readonly [string, string],
    times: number,
  ): Promise<{ readonly hits: readonly number[]; readonly text: string }> => {
    const { sessionId, say, seen, end } = await stopProgram(client, home, program, { args });
    await client.ok('debug_breakpoint', {
      sessionId,
      adapter,
      add: [
        { function: left, every: 1_000_000 },
        { function: right, every: 1_000_000, condition: 'n % 2 == 0' },
      ],
    });
    await say(String(times));
    await seen(`done ${times}`);
    const { structured, text } = await client.ok('debug_breakpoint', { sessionId });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    return {
      hits: listAt(structured, 'breakpoints').map((one) => numberAt(one, 'hits')),
      text,
    };
  };

  /** Each hit counts, also where a condition decides. */
  const counted = async (...asked: Parameters<typeof hitsBy>): Promise<void> => {
    const { hits } = await hitsBy(...asked);
    expect(hits).toEqual([asked[3], asked[3] / 2]);
  };

  /** Some hits may be missed, which is said; all threads run on. */
  const nearlyCounted = async (...asked: Parameters<typeof hitsBy>): Promise<void> => {
    const { hits, text } = await hitsBy(...asked);
    const [left = 0, right = 0] = hits;
    expect(Math.min(left, right)).toBeGreaterThan(1);
    expect(left).toBeLessThanOrEqual(asked[3]);
    expect(right).toBeLessThanOrEqual(asked[3] / 2);
    expect(text).toMatch(/at one moment one may be neither a stop nor counted/);
  };

  const ofC = (): readonly [string] => [buildTarget('e2e/atOnce.c', ['-O1', '-pthread'])];
  const ofGo = (): string => buildTarget('e2e/atOnce.go', ['-gcflags', 'all=-N -l']);

  itNeeds('delve', '[stop.atonce] Delve', async () => {
    await counted('delve', [ofGo()], ['main.left', 'main.right'], 100);
  });
  itNeeds('gdbAdapter', '[stop.atonce] gdb', async () => {
    await counted('gdb', ofC(), ['left', 'right'], 100);
  });
  itNeeds('lldbAdapter', '[stop.atonce] lldb', async () => {
    await nearlyCounted('lldb', ofC(), ['left', 'right'], 100);
  });
  itNeeds(
    'pythonPeers',
    '[stop.atonce] debugpy lets the first threads after it came run on from each hit, and says that some may be missed',
    async () => {
      const program = [python, targetSource('e2e/atOnce.py')] as const;
      await nearlyCounted('debugpy', program, ['left', 'right'], 20);
    },
  );

  itNeeds('delve', '[stop.atonce] each goroutine has its stop, by Delve', async () => {
    const { sessionId, place, say, end } = await stopProgram(client, home, ofGo());
    await place({ function: 'main.left' }, { function: 'main.right' });
    await say('20');
    const stops = new Set<string>();
    const by = new Map<string, number>();
    let asked: Readonly<Record<string, unknown>> = { action: 'wait' };
    let left: unknown = null;
    while (stops.size < 40) {
      const all = { sessionId, timeoutMs: 20_000, ...asked };
      const { structured, text } = await client.ok('debug_continue', all);
      const told = listAt(structured, 'stops').filter((one) => !stops.has(textAt(one, 'id')));
      expect(told, text).not.toEqual([]);
      const hits = told.filter((one) => textAt(one, 'reason') === 'breakpoint');
      for (const stop of hits) {
        stops.add(textAt(stop, 'id'));
        const name = textAt(stop, 'function');
        by.set(name, (by.get(name) ?? 0) + 1);
      }
      asked = { action: 'continue' };
      const [one, other] = hits.map((stop) => textAt(stop, 'id'));
      if (left !== null || other === undefined) continue;
      // The other goroutine runs on with the one that steps.
      const step = { sessionId, action: 'over', stop: one, timeoutMs: 0 };
      await client.ok('debug_continue', step);
      const stale = await client.refused('debug_continue', { ...step, stop: other });
      left = stale.text;
      expect(left).toMatch(new RegExp(`^STALE_STOP: ${other} was left .* ran on with ${one}\\.`));
      asked = { action: 'wait' };
    }
    expect(left).not.toBeNull();
    expect(Object.fromEntries(by)).toEqual({ 'main.left': 20, 'main.right': 20 });
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await client.ok('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });
});
