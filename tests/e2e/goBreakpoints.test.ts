import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { callsOf, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe('breakpoints that record in functions of Go', () => {
  const { home, client } = withClient();
  const source = 'e2e/shop.go';
  const text = readFileSync(targetSource(source), 'utf8').split('\n');
  const line = (mark: string): number => text.findIndex((one) => one.includes(`/* ${mark} */`)) + 1;

  const builds = [
    { what: 'optimised', flags: [] },
    { what: 'not optimised', flags: ['-gcflags', 'all=-N -l'] },
  ];

  itNeeds(
    'go',
    '[go.breakpoints] an invariant or a watch of a function that cannot be hooked is refused with that reason',
    async () => {
      const patterns = ['main.priceOf'];
      const { end, sessionId } = await breakpointProgram(
        client,
        home,
        buildTarget('e2e/faultsFirst.go'),
        {
          patterns,
        },
      );
      const why = /main\.priceOf cannot be hooked: its first instructions may fault/;
      const invariant = { pattern: 'main.priceOf', invariant: 'return > 5' };
      const watches = { add: [{ expr: 'thing', on: 'main.priceOf' }] };
      for (const asked of [{ add: [invariant] }, { watches }]) {
        const refused = await client.refused('debug_trace', { sessionId, ...asked });
        expect(refused.text).toMatch(why);
      }
      const some = { pattern: 'main.*', invariant: 'return > 5' };
      const { text: traced } = await client.ok('debug_trace', { sessionId, add: [some] });
      expect(traced).toMatch(/is checked at every return of \d+ functions?\./);
      expect(traced).toMatch(why);
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  for (const { what, flags } of builds) {
    itNeeds(
      'go',
      `[go.breakpoints] arguments, locals, conditions and invariants, ${what}`,
      async () => {
        const program = buildTarget(source, flags);
        const { place, say, end, hits, sessionId } = await breakpointProgram(
          client,
          home,
          program,
          { patterns: ['main.*'] },
        );
        const here = { file: 'shop.go' };
        const placed = await place(
          {
            ...here,
            line: line('add'),
            label: 'add',
            condition: 'each > 30',
            log: '{each} {count}',
          },
          {
            ...here,
            line: line('bought'),
            label: 'bought',
            log: '{thing.Name} {count} {left} {len(thing.Tags)} {s.total}',
          },
          { ...here, line: line('bought'), label: 'holds', invariant: 's.total < 60' },
          {
            function: 'main.split',
            label: 'split',
            capture: { values: ['text', 'parts', 'scale', 'args[0]'] },
          },
          { function: 'main.half', label: 'half', log: '{n}' },
          { ...here, line: line('bought'), label: 'secret', log: '{thing.password}' },
        );
        const states = listAt(placed.structured, 'breakpoints').map((one) => textAt(one, 'state'));
        expect(states).toEqual(['bound', 'bound', 'bound', 'bound', 'bound', 'failed']);
        await say('3');
        const messages = async (label: string) =>
          (await hits({ function: { equals: label } })).map((hit) => at(hit, 'message'));
        // The third buys three for 30, 31 and 32.
        expect(await messages('add')).toEqual(['31 3', '32 3']);
        expect(await messages('bought')).toEqual([
          '"tea1" 1 1 2 10',
          '"tea2" 2 2 2 51',
          '"tea0" 3 3 2 144',
        ]);
        expect(await messages('half')).toEqual(['3']);
        const [broken, another] = await hits({ function: { equals: 'holds' } });
        expect(at(broken, 'arguments')).toMatchObject({ 's.total': 144 });
        expect(another).toBeUndefined();
        const [split] = await hits({ function: { equals: 'split' } });
        expect(at(split, 'arguments')).toEqual({
          text: 'x',
          parts: ['p', 'q'],
          scale: 1.5,
          'args[0]': 'x',
        });
        const [first] = await hits({ function: { equals: 'add' } });
        const buys = await callsOf(client, sessionId, { function: { equals: 'main.(*shop).buy' } });
        expect(
          buys.find(({ id }) => id === textAt(first, 'parentEventId'))?.arguments,
        ).toMatchObject({
          count: 3,
        });
        const { structured } = await client.ok('debug_breakpoint', { sessionId });
        const counts = listAt(structured, 'breakpoints').map((one) => [
          numberAt(one, 'hits'),
          numberAt(one, 'met'),
        ]);
        expect(counts.slice(0, 2)).toEqual([
          [6, 2],
          [3, 3],
        ]);
        expect(await end()).toEqual({ kind: 'exited', code: 3 });
      },
    );

    itNeeds(
      'go',
      `[go.breakpoints-undisturbed] a function that a breakpoint is in is hooked afterwards, with its lines, ${what}`,
      async () => {
        const { place, say, end, sessionId } = await breakpointProgram(
          client,
          home,
          buildTarget('e2e/orders.go', flags),
        );
        for (const name of ['main.ship', 'main.handle']) {
          await place({ function: name, label: name, log: 'in' });
          await client.ok('debug_trace', { sessionId, add: [{ pattern: name, lines: true }] });
          await say('2');
        }
        const { structured } = await client.ok('debug_breakpoint', { sessionId });
        const hits = listAt(structured, 'breakpoints')
          .filter((one) => textAt(one, 'id').startsWith('b'))
          .map((one) => numberAt(one, 'hits'));
        expect(hits).toEqual([4, 2]);
        expect(await end()).toEqual({ kind: 'exited', code: 3 });
      },
    );

    itNeeds(
      'go',
      `[go.breakpoints] what hits, invariants and watches are stands when the program has ended, ${what}`,
      async () => {
        const { place, say, end, sessionId } = await breakpointProgram(
          client,
          home,
          buildTarget(source, flags),
          { patterns: [{ pattern: 'main.half', invariant: 'return >= 0' }] },
        );
        await place({ function: 'main.half', label: 'half', log: '{n}' });
        const watches = { add: [{ expr: 'n', on: 'main.half' }] };
        await client.ok('debug_trace', { sessionId, watches });
        await say('3');
        const lines = async (): Promise<readonly string[]> => {
          const { text: traced } = await client.ok('debug_trace', { sessionId });
          const { text: placed } = await client.ok('debug_breakpoint', { sessionId });
          return `${traced}\n${placed}`
            .split('\n')
            .filter((one) => /^(watch|Invariant|b1) /.test(one));
        };
        const before = await lines();
        expect(before.join('\n')).toMatch(
          /checked at every return of 1 function[\s\S]*watch n: int, at enter and return of 1 function[\s\S]*b1 half bound/,
        );
        expect(await end()).toEqual({ kind: 'exited', code: 3 });
        expect(await lines()).toEqual(before);
      },
    );

    itNeeds(
      'go',
      `[go.breakpoints-undisturbed] lines of all functions come and go while goroutines run, ${what}`,
      async () => {
        const program = buildTarget(source, flags);
        const { say, end, sessionId } = await breakpointProgram(client, home, program);
        const lines = { pattern: 'main.*', lines: true };
        let [bound, all] = [0, 0];
        for (let round = 0; round < 3; round++) {
          const comeAndGo = async (): Promise<string> => {
            await client.ok('debug_trace', { sessionId, add: [lines] });
            const { text: now } = await client.ok('debug_trace', { sessionId });
            await client.ok('debug_trace', { sessionId, remove: ['main.*'] });
            return now;
          };
          const [state] = await Promise.all([comeAndGo(), say(`busy ${200 + round}`)]);
          const [, here = '0', there = '0'] =
            /are recorded at (\d+) of (\d+) places/.exec(state) ?? [];
          [bound, all] = [Number(here), Number(there)];
        }
        expect(bound / all).toBeGreaterThan(0.9);
        expect(await end()).toEqual({ kind: 'exited', code: 3 });
        const said = (await linesOf(client, sessionId)).map((one) => one.text);
        const input = [200, 201, 202].map((rounds) => `busy ${rounds}\n`).join('');
        const untraced = spawnSync(program, { input, encoding: 'utf8' });
        expect(`${said.join('\n')}\n`).toBe(untraced.stdout);
      },
    );
  }
});
