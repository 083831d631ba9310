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
});

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
      const whole = await place({ function: 'stops.work', stop: 'process' });
      expect(whole.text).toContain('All threads cannot be stopped in Python yet');
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
