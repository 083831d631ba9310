import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { callsOf, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, buildWithMusl, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe('breakpoints that record in static programs', () => {
  const { home, client } = withClient();
  const source = 'e2e/breakpoints.c';
  const lines = readFileSync(targetSource(source), 'utf8').split('\n');
  const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
  const file = 'breakpoints.c';

  const expectShop = async (program: string): Promise<void> => {
    const { place, say, end, hits, sessionId } = await breakpointProgram(client, home, program, {
      patterns: ['price'],
    });
    const placed = await place(
      {
        file,
        line: line('total += sum'),
        label: 'sold',
        condition: 'sum > 1000',
        log: '{sum} {total}',
      },
      { file, line: line('total += sum'), label: 'holds', invariant: 'sum < 1000' },
    );
    expect(listAt(placed.structured, 'breakpoints').map((one) => textAt(one, 'state'))).toEqual([
      'bound',
      'bound',
    ]);
    await say('8');
    const messages = async (label: string) =>
      (await hits({ function: { equals: label } })).map((hit) => at(hit, 'message'));
    // Rounds 2 and 6 buy two cups.
    expect(await messages('sold')).toEqual(['1391 250', '1391 2644']);
    const broken = await hits({ function: { equals: 'holds' } });
    expect(broken.map((hit) => at(hit, 'arguments'))).toEqual([{ sum: 1391 }, { sum: 1391 }]);
    const calls = await callsOf(client, sessionId, { function: { equals: 'price' } });
    // Not every build has room for its hook.
    expect([calls[2]?.id, undefined]).toContain(at(broken[0], 'parentEventId'));
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    const [sold] = listAt(structured, 'breakpoints');
    expect(numberAt(sold, 'met')).toBe(2);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  };

  test.for([
    ['-O0', '-static'],
    ['-O2', '-static'],
    ['-O2', '-static-pie'],
  ])(
    '[static.breakpoints] arguments, locals, conditions, counts and invariants, %s',
    async (flags) => expectShop(buildTarget(source, flags)),
  );

  itNeeds('musl', '[static.breakpoints] arguments, locals and counts with musl', async () =>
    expectShop(buildWithMusl(source)),
  );

  test('[static.breakpoints] hits are counted, and a thread is meant by its name', async () => {
    const program = buildTarget(source, ['-O0', '-static']);
    const { place, say, end, hits } = await breakpointProgram(client, home, program);
    await place(
      {
        function: 'price',
        label: 'own',
        thread: basename(program).slice(0, 15),
        log: '{count}',
        every: 2,
      },
      { function: 'price', label: 'other', thread: 'another', log: '{count}' },
    );
    await say('4');
    const messages = async (label: string) =>
      (await hits({ function: { equals: label } })).map((hit) => at(hit, 'message'));
    expect(await messages('own')).toEqual(['1', '3']);
    expect(await messages('other')).toEqual([]);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test.for([
    ['-O0', '-static'],
    ['-O2', '-static-pie'],
  ])(
    '[static.breakpoints-undisturbed] lines of all functions are recorded while threads run, signals come, and exceptions and jumps leave calls, %s',
    async (flags) => {
      const program = buildTarget('e2e/outside.cpp', flags);
      for (const args of [['signals'], []]) {
        const patterns = [
          'add',
          'moved',
          'pick',
          'quiet',
          'many',
          'joined',
          'checked',
          'guarded',
          'leaves',
          'jumps',
          'handler',
          'worker',
          'threads',
          'main',
        ].map((pattern) => ({ pattern, lines: true }));
        const { sessionId } = await launch(client, home, program, { args, patterns });
        const untraced = spawnSync(program, args, { encoding: 'utf8' });
        expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: untraced.status });
        const said = (await linesOf(client, sessionId)).map(({ text }) => text);
        expect(`${said.join('\n')}\n`).toBe(untraced.stdout);
        const { text } = await client.ok('debug_trace', { sessionId });
        const places = [...text.matchAll(/are recorded at (\d+) of (\d+) places?/g)];
        const count = (which: number): number =>
          places.reduce((sum, place) => sum + Number(place[which]), 0);
        expect(count(1) / count(2)).toBeGreaterThan(0.6);
      }
    },
  );
});
