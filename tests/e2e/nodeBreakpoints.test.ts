import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { itNeeds } from '../support/needs.ts';
import { nodes } from '../support/nodes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

const script = targetSource('node/inside.mjs');
const lines = readFileSync(script, 'utf8').split('\n');
const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;

describe.each(nodes.map(({ major, path }) => [major, path] as const))(
  'breakpoints in Node %i',
  (major, path) => {
    const { home, client } = withClient();

    const started = async (options: Readonly<Record<string, unknown>> = {}) =>
      breakpointProgram(client, home, path, { args: [script], ...options });

    itNeeds(
      'nodes',
      '[inside.node] locals, closures, fields and module variables are recorded at lines of a running program, in its threads, and nothing of it runs for that',
      async () => {
        const { place, say, end, hits, sessionId } = await started();
        const { text, structured } = await place(
          {
            file: 'inside.mjs',
            line: line('sum += each'),
            condition: 'i == 2',
            log: '{item.name} each={each} sum={sum} rate={gConfig.rate} of {this.owner} first={this.first}',
          },
          {
            function: 'inside.Cart.total.<anonymous>',
            capture: { values: ['one.price', 'scale'] },
          },
          { file: 'inside.mjs', statement: 'sold += sum', invariant: 'sold >= 0' },
          { file: 'inside.mjs', line: line('const got'), capture: { locals: true } },
          { file: 'inside.mjs', line: line('const got'), after: 100, log: 'beside it' },
        );
        expect(text).toMatch(/b1 inside\.mjs:\d+ bound · v8/);
        expect(text).toContain(
          major > 20
            ? '! Its module was loaded before it was set: '
            : '! Another thread reads the ',
        );
        expect(listAt(structured, 'breakpoints').map((one) => at(one, 'state'))).toEqual(
          Array.from({ length: 5 }, () => 'bound'),
        );
        await say('3');
        const output = await client.ok('debug_query', { view: 'output', sessionId });

        expect(output.text.split('7,18,59').length - 1).toBe(2);
        const all = await hits();
        const messages = all
          .filter((hit) => textAt(hit, 'breakpoint') === 'b1')
          .map((hit) => textAt(hit, 'message'));
        expect(messages).toEqual(
          Array.from({ length: 2 }, () => '"n2" each=40 sum=10 rate=2 of "me" first=<getter>'),
        );
        const { structured: told } = await client.ok('debug_breakpoint', { sessionId });
        const counts = listAt(told, 'breakpoints').map((one) => [
          numberAt(one, 'hits'),
          numberAt(one, 'met'),
        ]);
        expect(counts).toEqual([
          [12, 2],
          [12, 12],
          [6, 2],
          [6, 6],
          // It sees them beside the other, and records none.
          [6, 0],
        ]);
        expect(JSON.stringify(all)).not.toContain('secret');
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
      },
    );

    itNeeds(
      'nodes',
      '[inside.returns] invariants are checked at returns, by arguments, results and variables of the module, and lines of calls are recorded',
      async () => {
        const { sessionId, place, say, end, hits } = await started();
        await client.ok('debug_trace', {
          sessionId,
          add: [
            { pattern: 'inside.Cart.total', invariant: 'sold >= 0', lines: true },
            { pattern: 'inside.buy', invariant: 'return < 40' },
          ],
        });
        await place({ file: 'inside.mjs', line: 1000, log: 'x' });
        await say('3');
        const said = (await hits()).map((hit) => textAt(hit, 'breakpoint'));
        expect(said).toEqual(['i1', 'i2', 'i1', 'i2']);
        const { structured, text } = await client.ok('debug_breakpoint', { sessionId });
        expect(text).toContain('inside.mjs has ');
        const counts = listAt(structured, 'breakpoints').map((one) => [
          textAt(one, 'id'),
          numberAt(one, 'hits'),
          numberAt(one, 'met'),
        ]);
        expect(counts).toContainEqual(['i1', 6, 2]);
        expect(counts).toContainEqual(['i2', 6, 2]);
        const tree = await client.ok('debug_query', { sessionId, view: 'tree', lines: true });
        expect(tree.text).toMatch(/:19 sum \+= each;.*×/);
        const missing = await client.call('debug_trace', {
          sessionId,
          add: [{ pattern: 'inside.Cart.total', invariant: 'solt >= 0' }],
        });
        expect(missing.text).toContain('"solt" is not in scope there: in scope are this, scale');
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
      },
    );
  },
);

// Another thread reads the ES modules of Node 20.
const newer = nodes.filter(({ major }) => major > 20);

describe.each(newer.map(({ major, path }) => [major, path] as const))(
  'breakpoints that Node %i is launched with',
  (_major, path) => {
    const { home, client } = withClient();
    const started = async (options: Readonly<Record<string, unknown>> = {}) =>
      breakpointProgram(client, home, path, { args: [script], ...options });

    itNeeds(
      'nodes',
      '[inside.written] breakpoints that are known before the module is loaded record what those of the inspector record, and nothing once they are removed',
      async () => {
        const breakpoints = [
          { file: 'inside.mjs', statement: 'const each', log: '{i} {item.name} {sum}' },
          {
            file: 'inside.mjs',
            statement: 'sum += each',
            condition: 'i == 2',
            log: '{each} {sum}',
          },
          {
            file: 'inside.mjs',
            statement: 'sold -= 100',
            log: '{this.owner} {gConfig.rate} {sold}',
          },
          { function: 'inside.Cart.total.<anonymous>', log: '{one.price} {scale} {this.first}' },
          { file: 'inside.mjs', statement: 'sold += sum', invariant: 'sold >= 0' },
          { file: 'inside.mjs', statement: 'const got', after: 1, every: 2, log: '{round}' },
          {
            file: 'inside.mjs',
            statement: 'const each',
            condition: 'item == undefined',
            log: 'never',
          },
          { file: 'inside.mjs', statement: 'return got', at: 2, log: '{got} {cart.items}' },
        ];
        const allBound = async (sessionId: string): Promise<unknown> =>
          await vi.waitFor(
            async () => {
              const { structured } = await client.ok('debug_breakpoint', { sessionId });
              const states = listAt(structured, 'breakpoints').map((one) => textAt(one, 'state'));
              expect(new Set(states)).toEqual(new Set(['bound']));
              return structured;
            },
            { timeout: 30_000, interval: 200 },
          );
        const recorded = async ({ say, hits, sessionId }: Awaited<ReturnType<typeof started>>) => {
          await say('3');
          const structured = await allBound(sessionId);
          const counts = listAt(structured, 'breakpoints').map((one) => [
            numberAt(one, 'hits'),
            numberAt(one, 'met'),
          ]);
          const all = await hits();
          const messages = all.map((hit) => [textAt(hit, 'breakpoint'), at(hit, 'message')]);
          const means = listAt(structured, 'breakpoints').map((one) => textAt(one, 'means'));
          return { counts, messages, means };
        };
        const later = await started();
        await later.place(...breakpoints);
        const inspected = await recorded(later);
        expect(await later.end()).toEqual({ kind: 'exited', code: 0 });

        const before = await started({ breakpoints, projectRoot: dirname(script) });
        const written = await recorded(before);
        expect(new Set(inspected.means)).toEqual(new Set(['v8']));
        expect(new Set(written.means)).toEqual(new Set(['rewrite']));
        // V8 did not keep `this` of an arrow function that does not use it; what is written into the function reads it.
        const asInspected = JSON.stringify(written.messages).replaceAll('<getter>', '<unset>');
        expect(asInspected).toBe(JSON.stringify(inspected.messages));
        expect(JSON.stringify(written.messages)).toContain('10 2 <getter>');
        expect(written.counts).toEqual(inspected.counts);
        expect(written.messages).toHaveLength(34);
        expect(JSON.stringify(written.messages)).not.toContain('never');

        await client.ok('debug_breakpoint', { sessionId: before.sessionId, remove: ['all'] });
        await before.say('3');
        expect(await before.hits()).toHaveLength(written.messages.length);
        expect(await before.end()).toEqual({ kind: 'exited', code: 0 });
      },
    );

    itNeeds(
      'nodes',
      '[inside.written] a program that is at its end at once has bound what it hit, and names what it never hit',
      async () => {
        const file = join(home.project, 'main.js');
        writeFileSync(file, 'const sold = 7;\nconsole.log(sold);\nif (sold > 9) console.log();\n');
        const { sessionId } = await launch(client, home, path, {
          args: [file],
          breakpoints: [
            { file: 'main.js', line: 2, log: '{sold}' },
            { file: 'main.js', statement: 'console.log();', log: '{sold}' },
          ],
        });
        expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
        const { text, structured } = await client.ok('debug_breakpoint', { sessionId });
        expect(text).toMatch(/b1 main\.js:2 bound .*1 hit/);
        expect(text).toMatch(/never hit: b2 main\.js/);
        expect(at(listAt(structured, 'breakpoints')[0], 'state')).toBe('bound');
      },
    );
  },
);
