import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { delvePath, gdbPath, itNeeds, lldbPath, pythonPeers } from '../support/needs.ts';
import { listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf } from '../support/runs.ts';
import { stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const pythonOf = (minor: '3.11' | '3.12'): string => join(pythonPeers(minor), 'bin', 'python');

const ofPython = (minor: '3.11' | '3.12'): readonly [string, string] => [
  pythonOf(minor),
  targetSource('e2e/atOnce.py'),
];

type Suite = ReturnType<typeof withClient>;

/** Each hit of two functions counts, also where a condition decides. */
async function counted(
  { client, home }: Suite,
  adapter: string,
  [program, ...args]: readonly [string, ...string[]],
  [left, right]: readonly [string, string],
  times: number,
): Promise<void> {
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
  const { structured } = await client.ok('debug_breakpoint', { sessionId });
  expect(await end()).toEqual({ kind: 'exited', code: 0 });
  const hits = listAt(structured, 'breakpoints').map((one) => numberAt(one, 'hits'));
  expect(hits).toEqual([times, times / 2]);
}

describe('threads that come to breakpoints at the same moment', () => {
  const suite = withClient({
    STROBE_ADAPTERS_DELVE: delvePath,
    STROBE_ADAPTERS_GDB: gdbPath,
    STROBE_ADAPTERS_LLDB: lldbPath,
    STROBE_ADAPTERS_DEBUGPY: pythonOf('3.12'),
  });
  const { home, client } = suite;

  const ofC = (): readonly [string] => [buildTarget('e2e/atOnce.c', ['-O1', '-pthread'])];
  const ofGo = (): string => buildTarget('e2e/atOnce.go', ['-gcflags', 'all=-N -l']);

  itNeeds('delve', '[stop.atonce] Delve', async () => {
    await counted(suite, 'delve', [ofGo()], ['main.left', 'main.right'], 100);
  });
  itNeeds('gdbAdapter', '[stop.atonce] gdb', async () => {
    await counted(suite, 'gdb', ofC(), ['left', 'right'], 100);
  });
  itNeeds('lldbAdapter', '[stop.atonce] lldb', async () => {
    await counted(suite, 'lldb', ofC(), ['left', 'right'], 100);
  });
  itNeeds('pythonPeers', '[stop.atonce] debugpy', async () => {
    await counted(suite, 'debugpy', ofPython('3.12'), ['left', 'right'], 20);
  });

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

describe('a debugpy that does not say which breakpoint was hit', () => {
  const suite = withClient({ STROBE_ADAPTERS_DEBUGPY: pythonOf('3.11') });

  itNeeds('pythonPeers', '[stop.atonce] stops all the same', async () => {
    await counted(suite, 'debugpy', ofPython('3.11'), ['left', 'right'], 20);
  });
});
