import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { gdbPath, itNeeds, lldbPath } from '../support/needs.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('a step while another thread comes to breakpoints that stop nothing', () => {
  const { home, client } = withClient({
    STROBE_ADAPTERS_GDB: gdbPath,
    STROBE_ADAPTERS_LLDB: lldbPath,
  });
  const lines = readFileSync(targetSource('e2e/stepBeside.c'), 'utf8').split('\n');
  const third = lines.findIndex((line) => line.endsWith('// third')) + 1;

  const begun = async (adapter: string) => {
    const program = buildTarget('e2e/stepBeside.c', ['-O0', '-pthread']);
    const begins = await stopProgram(client, home, program);
    await client.ok('debug_breakpoint', {
      sessionId: begins.sessionId,
      adapter,
      add: [{ function: 'left' }, { function: 'beside', every: 1_000_000 }],
    });
    await begins.say('go');
    let answer = await begins.go('wait');
    const over = async () =>
      (answer = await begins.go('over', { stop: textAt(answer.stop, 'id') }));
    const leave = async (): Promise<void> => {
      await client.ok('debug_breakpoint', { sessionId: begins.sessionId, remove: ['all'] });
      await begins.go('continue', { timeoutMs: 0 });
      await begins.seen('done');
      expect(await begins.end()).toEqual({ kind: 'exited', code: 0 });
    };
    return { over, leave };
  };

  itNeeds('lldbAdapter', '[stop.beside] continues under lldb', async () => {
    const { over, leave } = await begun('lldb');
    await over();
    const { stop, text } = await over();
    expect(placeOf(stop), text).toBe(`stepBeside.c:${third}`);
    await leave();
  });

  itNeeds('gdbAdapter', '[stop.beside] ends early under gdb, which is said', async () => {
    const { over, leave } = await begun('gdb');
    let { text } = await over();
    for (let steps = 0; steps < 5 && !text.includes('cut short'); steps++)
      ({ text } = await over());
    expect(text).toMatch(/^s\d+ stopped · step, cut short by a hit that stops no thread · thread /);
    await leave();
  });
});
