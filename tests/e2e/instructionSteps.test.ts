import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { gdbPath, itNeeds } from '../support/needs.ts';
import { at } from '../support/read.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const source = 'e2e/stops.cpp';
const lines = readFileSync(targetSource(source), 'utf8').split('\n');
/** The line that calls `twice`. */
const calling = lines.findIndex((line) => line.includes('int a = twice(i)')) + 1;

describe('steps by lines', () => {
  const { home, client } = withClient();

  test('[stop.line] a step over a line of Rust ends at the next line, not in code that belongs to none', async () => {
    const from = 'e2e/vectors.rs';
    const rust = readFileSync(targetSource(from), 'utf8').split('\n');
    const after = rust.findIndex((line) => line.includes('/* after */')) + 1;
    const { place, say, go, end } = await stopProgram(
      client,
      home,
      buildTarget(from, ['-C', 'opt-level=0']),
    );
    await place({ file: 'vectors.rs', line: after - 1 });
    await say('a');
    await go('wait');
    const { stop } = await go('over');
    expect(placeOf(stop)).toBe(`vectors.rs:${after}`);
    expect(at(stop, 'variables')).toMatchObject({ number: '1' });
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });
});

describe('steps by instructions', () => {
  const { home, client } = withClient({ STROBE_ADAPTERS_GDB: gdbPath });

  async function stepsOverAndIntoCalls(adapter: string): Promise<void> {
    const program = buildTarget(source, ['-O0', '-pthread']);
    const { sessionId, say, go, look, end } = await stopProgram(client, home, program);
    const add = [{ file: 'stops.cpp', line: calling }];
    await client.ok('debug_breakpoint', { sessionId, adapter, add });
    /** The instruction where the thread stands, and the one below it. */
    const shown = async (): Promise<readonly string[]> => {
      const { text } = await look('disassembly');
      const instructions = text.split('\n').filter((line) => /^(?:->| {2}) 0x/.test(line));
      const here = instructions.findIndex((line) => line.startsWith('->'));
      return instructions.slice(here, here + 2).map((line) => line.slice(3));
    };
    /** To the call of `twice`; the address behind it. */
    const toTheCall = async (): Promise<string | undefined> => {
      for (let steps = 0; steps < 10; steps++) {
        const [here = '', next] = await shown();
        if (here.includes('call') && here.includes('twice')) return next?.split(' ')[0];
        await go('overInstruction');
      }
      return 'no call';
    };
    await say('a');
    await go('wait');
    const behind = await toTheCall();
    const over = await go('overInstruction');
    expect(at(over.stop, 'function')).toBe('work');
    expect(over.text).toContain(`stopped · step to ${behind} · thread`);
    expect(over.text).toContain('"action":"overInstruction"');
    expect(over.text).toContain('"view":"disassembly"');
    await go('continue', { timeoutMs: 0 });
    await say('b');
    await go('wait');
    await toTheCall();
    expect(at((await go('instruction')).stop, 'function')).toBe('twice');
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  }

  test('[stop.instruction] steps go by one instruction, over a call or into it, and say where they lead', async () =>
    stepsOverAndIntoCalls('strobe'));

  itNeeds('gdbAdapter', '[stop.instruction] gdb steps by instructions as Strobe does', async () =>
    stepsOverAndIntoCalls('gdb'),
  );
});
