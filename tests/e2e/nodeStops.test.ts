import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { startClient } from '../support/client.ts';
import { itNeeds } from '../support/needs.ts';
import { nodes } from '../support/nodes.ts';
import { killDaemon, partsOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { at } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { testHome, withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

const script = targetSource('node/stops.mjs');
const lines = readFileSync(script, 'utf8').split('\n');
const lineOf = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
const placed = (text: string): string => `stops.mjs:${lineOf(text)}`;

describe.each(nodes.map(({ major, path }) => [major, path] as const))(
  'stops in Node %i',
  (_major, path) => {
    const { home, client } = withClient();

    itNeeds(
      'nodes',
      '[stop.node] a thread stops at a line with its variables, steps over, into and out, across an await, shows its stack and values of expressions, and runs nothing of the program',
      async () => {
        const { sessionId, place, say, seen, go, look, end } = await stopProgram(
          client,
          home,
          path,
          { args: [script] },
        );
        const { text } = await place({
          file: 'stops.mjs',
          line: lineOf('const a = twice'),
          condition: 'i == 2',
        });
        expect(text).toMatch(/b1 .*stops\.mjs:\d+ bound · v8/);
        await say('work 1');
        await seen('done 15');
        await say('work 2');
        const first = await go('wait');
        expect(first.stop).toMatchObject({ id: 's1', reason: 'breakpoint', breakpoints: ['b1'] });
        expect(at(first.stop, 'variables')).toMatchObject({ i: '2' });
        expect(first.text).toMatch(/-> \d+ {3}const a = twice\(i\)/);
        // None of ours: it waits for what the daemon asks.
        const { text: threads } = await look('threads');
        expect(threads).toMatch(/ stopped: work \S*stops\.mjs/);
        expect(threads).not.toMatch(/ask\.c|strobe-link/);
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toMatch(/thread \S+ \(\d+\) is held by stop s1/);
        const into = await go('into');
        expect(into.stop).toMatchObject({ function: 'twice', variables: { x: '2' } });
        expect((await look('stack')).text).toMatch(/#0 twice .*\n#1 work /);
        expect((await look('locals', { frame: 1 })).text).toMatch(/argument i=2\n {2}local /);
        expect(placeOf((await go('out')).stop)).toBe(placed('const b = a'));
        const places: string[] = [];
        places.push(placeOf((await go('over')).stop));
        expect(places).toEqual([placed('const names')]);
        expect((await look('value', { expression: 'order.number + a' })).text).toContain('= 13');
        const values = { a: 4, 'order.number': 9, 'order.number + a': 13, 'a + a': 8, i: 2 };
        const asked = Object.keys(values).map(async (expression) => look('value', { expression }));
        const told = (await Promise.all(asked)).map(({ text: value }) => value);
        const right = Object.entries(values).map((pair) => pair.join(' = '));
        expect(told.map((value, i) => value.includes(right[i] ?? '?'))).toEqual(
          right.map(() => true),
        );
        expect((await look('locals')).text).toContain('Order');
        const bad = await client.call('debug_inspect', { view: 'value', expression: 'order.tax' });
        expect(bad.text).toContain('without running code of the program');
        expect(placeOf((await go('until', { to: placed('return a + b') })).stop)).toBe(
          placed('return a + b'),
        );
        expect((await go('continue', { timeoutMs: 0 })).state).toBe('running');
        await seen('done 20');
        await place(placed('const first = await'));
        await say('later 5');
        expect((await go('wait')).stop).toMatchObject({ function: 'later' });
        const over = await go('over');
        expect(placeOf(over.stop)).toBe(placed('const second = work'));
        expect(at(over.stop, 'variables')).toMatchObject({ first: '5' });
        await go('continue', { timeoutMs: 0 });
        await seen('done 35');
        const { structured } = await client.ok('debug_breakpoint', { sessionId });
        expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 3, met: 1 });
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
      },
    );

    itNeeds(
      'nodes',
      '[stop.node-pause] a running program is paused: in its event loop, where it runs nothing, and in the middle of its code',
      async () => {
        const { pid, say, seen, go, look, end } = await stopProgram(client, home, path, {
          args: [script],
        });
        const idle = await go('pause');
        expect(idle.stop).toMatchObject({ reason: 'pause', holds: 'process', thread: pid });
        expect(idle.text).toContain('it is in its event loop, and runs no JavaScript');
        await go('continue', { timeoutMs: 0 });
        await say('spin 1');
        await seen('spinning');
        const busy = await go('pause');
        expect(busy.stop).toMatchObject({ reason: 'pause' });
        expect((await look('stack')).text).toMatch(/ spin .*stops\.mjs/);
        await go('continue', { timeoutMs: 0 });
        await seen('done spinning');
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
      },
    );

    itNeeds(
      'nodes',
      '[stop.node-raise] [stop.node-set] a thread stops where an exception is thrown, by type or where nothing catches it; variables and members are set, each with an event, and JavaScript runs where that is asked for',
      async () => {
        const { sessionId, place, say, seen, go, end } = await stopProgram(client, home, path, {
          args: [script],
        });
        const { text } = await place({ exception: 'js', type: 'TypeError' });
        expect(text).toMatch(/b1 throw TypeError bound · v8/);
        await say('fail 3');
        const { stop } = await go('wait');
        expect(stop).toMatchObject({
          function: 'failing',
          raised: { type: 'TypeError', message: '3 is too much' },
          variables: { x: '3', limit: '1' },
        });
        const memory = async (...steps: readonly unknown[]) =>
          (await client.ok('debug_memory', { sessionId, do: steps })).text.split('\n');
        const said = await memory(
          { write: 'limit', value: 40 },
          { write: 'held.x', value: 'set' },
          { read: 'limit', bytes: 8 },
          { evaluate: '[1, 2].map((k) => k + limit).join()', sideEffects: true },
          { evaluate: 'null.x', sideEffects: true },
        );
        expect(said[0]).toBe('limit: 1 → 40');
        expect(said[1]).toBe('held.x: 3 → "set"');
        expect(said[2]).toContain('have no address to read bytes from');
        expect(said[3]).toMatch(/= "41,42"$/);
        expect(said[4]).toContain('raised TypeError: ');
        const changes = await client.ok('debug_query', { sessionId, view: 'changes' });
        expect(changes.text).toMatch(/limit: 1 → 40 {2}by debug_memory/);
        await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
        const { text: left } = await client.ok('debug_session', { action: 'status', sessionId });
        expect(left).not.toContain('did not return to its event loop');
        await place({ exception: 'js', caught: 'uncaught' });
        await go('continue', { timeoutMs: 0 });
        await seen('caught 3 is too much at most 40');
        await say('fail 4');
        await seen('caught 4');
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
      },
    );
  },
);

describe('stops in Node', () => {
  itNeeds(
    'nodes',
    '[stop.node-owner] a client that goes, and a daemon that is killed, leave no thread stopped',
    async () => {
      const alone = testHome();
      const [owner, other] = await Promise.all([startClient(alone), startClient(alone)]);
      const path = nodes.at(-1)?.path ?? '';
      const { sessionId } = await launch(other, alone, path, { args: [script], stdin: 'open' });
      let { cursor } = await outputSeen(other, sessionId, 'ready');
      const hold = async (holder: typeof owner): Promise<void> => {
        const add = [placed('const a = twice')];
        await holder.ok('debug_breakpoint', { sessionId, takeOver: true, add });
        await other.ok('debug_session', { action: 'input', sessionId, text: 'work 2\n' });
        const wait = { sessionId, action: 'wait', timeoutMs: 20_000 };
        expect((await holder.ok('debug_continue', wait)).text).toContain('stopped · b');
      };
      await hold(owner);
      await owner.close();
      ({ cursor } = await outputSeen(other, sessionId, 'done 20', cursor));
      await hold(other);
      await killDaemon(alone);
      await until('there is another daemon', () => partsOf(alone, 'daemon').length === 1);
      await outputSeen(other, sessionId, 'done 20', cursor);
      await other.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      expect(await exitOf(other, sessionId)).toEqual({ kind: 'exited', code: 0 });
    },
  );
});
