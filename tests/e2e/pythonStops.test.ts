import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { startClient, type TestClient } from '../support/client.ts';
import { itNeeds, underProof } from '../support/needs.ts';
import { killDaemon, partsOf } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { pythons } from '../support/pythons.ts';
import { at } from '../support/read.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { testHome, withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 60_000 });

/** By trace functions and by sys.monitoring, each at the ends of its range; all by proof. */
const tried = new Set([9, 14]);
const script = targetSource('python/stops.py');
const lines = readFileSync(script, 'utf8').split('\n');
const lineOf = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
const placed = (text: string): string => `stops.py:${lineOf(text)}`;

const all = pythons.filter(({ isSystem }) => !isSystem);

describe.each(
  all.filter(({ minor }) => minor === 11).map(({ name, path }) => [name, path] as const),
)('a variable is set in Python %s', (_name, path) => {
  const { home, client } = withClient();

  itNeeds(
    'cpython',
    '[stop.python-set] after a variable was set the program runs on to its next breakpoints',
    async () => {
      const { sessionId, place, say, seen, go, end } = await stopProgram(client, home, path, {
        args: [script],
      });
      const set = await place(placed('a = twice(i)'));
      expect(set.text).toMatch(/next:\n.*"action":"wait"/);
      await say('work 2');
      await go('wait');
      await client.ok('debug_memory', { sessionId, do: [{ write: 'i', value: 3 }] });
      await go('continue', { timeoutMs: 0 });
      await seen('done');
      await say('work 3');
      expect((await go('wait')).stop).toMatchObject({ variables: { i: '3' } });
      await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
      await go('continue', { timeoutMs: 0 });
      await seen('done');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );
});

describe.each(
  all
    .filter(({ minor }) => underProof || tried.has(minor))
    .map(({ name, path }) => [name, path] as const),
)('stops in Python %s', (_name, path) => {
  const { home, client } = withClient();
  const started = async () => stopProgram(client, home, path, { args: [script] });

  itNeeds(
    'cpython',
    '[stop.python] a thread stops at a line with its variables while others run, steps over, into and out, shows its stack and values of expressions, and runs nothing of the program',
    async () => {
      const { place, say, seen, go, look, end } = await started();
      const { text } = await place(placed('a = twice(i)'));
      expect(text).toMatch(/b1 .*stops\.py:\d+ bound · python/);
      await say('work 2');
      const first = await go('wait');
      expect(first.stop).toMatchObject({ id: 's1', reason: 'breakpoint', breakpoints: ['b1'] });
      expect(at(first.stop, 'variables')).toMatchObject({ i: '2' });
      expect(first.text).toMatch(/-> \d+ {5}a = twice\(i\)/);
      const into = await go('into');
      expect(into.stop).toMatchObject({ function: 'twice', variables: { x: '2' } });
      expect((await look('stack')).text).toMatch(/#0 twice .*\n#1 work .*\n#2 <module> /);
      const out = await go('out');
      expect(placeOf(out.stop)).toBe(placed('a = twice(i)'));
      expect(out.stop).toMatchObject({ variables: { returned: '4' } });
      const places: string[] = [];
      for (let step = 0; step < 2; step++) places.push(placeOf((await go('over')).stop));
      expect(places).toEqual([placed('b = a +'), placed('names = [')]);
      expect((await look('value', { expression: 'order.number + a' })).text).toContain('= 13');
      expect((await look('value', { expression: 'command', frame: 1 })).text).toContain('"work"');
      const bad = await client.call('debug_inspect', {
        view: 'value',
        expression: 'order.tax',
      });
      expect(bad.text).toContain('without running code of the program');
      expect((await go('until', { to: placed('return a + b') })).stop).toMatchObject({
        variables: { a: '4', b: '26' },
      });
      expect((await go('continue', { timeoutMs: 0 })).state).toBe('running');
      await seen('done 30');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[stop.python-pause] a running program is paused as a whole or by one thread, where its threads run and where they wait in native code, and a breakpoint stops all of them',
    async () => {
      const { sessionId, pid, place, say, seen, go, look, end } = await started();
      const paused = await go('pause');
      expect(paused.stop).toMatchObject({ reason: 'pause', holds: 'process', thread: pid });
      expect((await look('stack')).text).toContain('<module> ');
      const threads = (await look('threads')).text
        .split('\n')
        .filter((line) => /^ +(s\d+ )?thread /.test(line));
      expect(threads).toEqual([
        expect.stringMatching(new RegExp(`^ {2}s1 thread .*\\(${pid}\\) stopped: <module> `)),
        expect.stringMatching(/held by s1: \w/),
      ]);
      const ticks = async (): Promise<string> =>
        (await look('value', { expression: 'ticks' })).text.split('\n').find(hasTicks) ?? '';
      const before = await ticks();
      expect(await ticks()).toBe(before);
      await say('work 2');
      await go('continue', { timeoutMs: 0 });
      await seen('done 30');
      const { text } = await place({ function: 'stops.work', stop: 'process' });
      expect(text).toContain('bound');
      await say('work 3');
      const whole = await go('wait');
      expect(whole.stop).toMatchObject({ reason: 'breakpoint', holds: 'process' });
      const then = await ticks();
      expect((await go('over')).stop).toMatchObject({ reason: 'step' });
      expect(then).toMatch(/ticks = \d+/);
      await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
      await go('continue', { timeoutMs: 0 });
      await seen('done 35');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[stop.python-raise] a thread stops where an exception comes to code of no library, of a type or of all, and where nothing catches one, with the variables of its frames',
    async () => {
      const { sessionId, place, say, go, seen, look, end } = await started();
      const { text } = await place({ exception: 'python', type: 'ValueError' });
      expect(text).toMatch(/b1 raise ValueError bound · python/);
      await say('work 2');
      const { stop } = await go('wait');
      expect(stop).toMatchObject({
        function: 'failing',
        raised: { type: 'ValueError', message: '2 is too much' },
        variables: { x: '2' },
      });
      await go('continue', { timeoutMs: 0 });
      await seen('done');
      await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
      await place(
        { exception: 'python', type: 'KeyError' },
        { exception: 'python', caught: 'uncaught' },
      );
      await say('work 3');
      await seen('done');
      await say('thread x');
      const uncaught = await go('wait');
      expect(uncaught.stop).toMatchObject({ breakpoints: ['b3'], raised: { type: 'ValueError' } });
      expect((await look('stack')).text).toMatch(/#0 <lambda> /);
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[stop.python-set] where a thread stands variables, members and elements are set, each with an event, and expressions and statements of Python run where that is asked for',
    async () => {
      const { sessionId, place, say, go, seen, end } = await started();
      await place(placed('b = a + order'));
      await say('work 2');
      await go('wait');
      const memory = async (...steps: readonly unknown[]) =>
        (await client.ok('debug_memory', { sessionId, do: steps })).text;
      const text = await memory(
        { read: 'a' },
        { write: 'a', value: 40 },
        { write: 'order.number', value: 2 },
        { write: 'ticks', value: -5 },
        { read: 'a', bytes: 8 },
        { write: 'nowhere', value: 1 },
        { evaluate: 'sum(k + a for k in range(3))', sideEffects: true },
        { evaluate: 'i = 1', sideEffects: true },
        { evaluate: 'fresh = 1', sideEffects: true },
        { evaluate: 'order.tax', sideEffects: true },
        { evaluate: '1 / 0', sideEffects: true },
      );
      const said = text.split('\n');
      expect(said[0]).toBe('a = 4');
      expect(said[1]).toBe('a: 4 → 40');
      expect(said[2]).toBe('order.number: 9 → 2');
      expect(said[3]).toMatch(/^ticks: \d+ → -\d+$/);
      expect(said[4]).toContain('have no address to read bytes from');
      expect(said[5]).toMatch(/^! nowhere: /);
      expect(said[6]).toBe('sum(k + a for k in range(3)) = 123');
      expect(said[7]).toBe('i = 1 ran');
      expect(said[8]).toContain('has no variable fresh');
      expect(said[9]).toBe('order.tax = 1.25');
      expect(said[10]).toBe('1 / 0 raised ZeroDivisionError: division by zero');
      await seen('a property ran');
      const changes = await client.ok('debug_query', { sessionId, view: 'changes' });
      expect(changes.text).toMatch(/a: 4 → 40 {2}by debug_memory/);
      await go('continue', { timeoutMs: 0 });
      await seen('done 95');
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );
});

function hasTicks(line: string): boolean {
  return line.includes('ticks = ');
}

describe('stops in Python', () => {
  const { home, client } = withClient();
  const path = all.find(({ minor }) => minor === 12)?.path ?? '';

  itNeeds(
    'cpython',
    '[stop.python] only hits that meet a condition stop, in any thread, all are counted, and other threads run meanwhile',
    async () => {
      const { sessionId, place, say, seen, go, look, end } = await stopProgram(client, home, path, {
        args: [script],
      });
      await place({ function: 'stops.work', condition: 'i == 3' });
      for (const command of ['work 1', 'thread 2', 'thread 3']) await say(command);
      const { stop } = await go('wait');
      expect(stop).toMatchObject({ function: 'work', variables: { i: '3' } });
      const ticks = async (): Promise<string> =>
        (await look('value', { expression: 'ticks' })).text;
      const before = await ticks();
      await vi.waitFor(async () => expect(await ticks()).not.toBe(before), 5000);
      const stale = await client.call('debug_continue', { sessionId, action: 'over', stop: 's9' });
      expect(stale.text).toContain('There is no stop s9');
      await go('continue', { timeoutMs: 0 });
      await seen('done 35');
      const { structured } = await client.ok('debug_breakpoint', { sessionId });
      expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 3, met: 1 });
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
    },
  );

  itNeeds(
    'cpython',
    '[stop.python-owner] a client that goes, and a daemon that is killed, leave no thread stopped',
    async () => {
      const alone = testHome();
      const [owner, other] = await Promise.all([startClient(alone), startClient(alone)]);
      const { sessionId } = await launch(other, alone, path, { args: [script], stdin: 'open' });
      let { cursor } = await outputSeen(other, sessionId, 'ready');
      const hold = async (holder: TestClient): Promise<void> => {
        const add = [placed('a = twice(i)')];
        await holder.ok('debug_breakpoint', { sessionId, takeOver: true, add });
        await other.ok('debug_session', { action: 'input', sessionId, text: 'work 2\n' });
        const wait = { sessionId, action: 'wait', timeoutMs: 20_000 };
        const { text } = await holder.ok('debug_continue', wait);
        expect(text).toContain('stopped · b');
      };
      await hold(owner);
      await owner.close();
      ({ cursor } = await outputSeen(other, sessionId, 'done 30', cursor));
      expect((await other.ok('debug_breakpoint', { sessionId })).text).toMatch(/no breakpoints/);
      await hold(other);
      await killDaemon(alone);
      await until('there is another daemon', () => partsOf(alone, 'daemon').length === 1);
      await outputSeen(other, sessionId, 'done 30', cursor);
      await other.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      expect(await exitOf(other, sessionId)).toEqual({ kind: 'exited', code: 0 });
    },
  );
});
