import { readFileSync } from 'node:fs';
import { describe, expect, vi } from 'vitest';
import { tracersOf } from '../../src/base/proc.ts';
import { callsOf } from '../support/calls.ts';
import { delvePath, itNeeds } from '../support/needs.ts';
import { killDaemon } from '../support/parts.ts';
import { until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, lineMarked, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const source = 'e2e/orders.go';
const lineOf = (mark: string): number => lineMarked(source, mark);

describe('stops in programs of Go, by Delve', () => {
  const { home, client } = withClient({ STROBE_ADAPTERS_DELVE: delvePath });
  const started = async (options: Readonly<Record<string, unknown>> = {}) =>
    stopProgram(client, home, buildTarget(source, ['-gcflags', 'all=-N -l']), options);
  const add = lineOf('add');

  itNeeds(
    'delve',
    '[stop.go] a goroutine stops at a line, with its variables, and continues',
    async () => {
      const { place, say, go, look, end, pid, seen } = await started();
      const placed = await place({ file: 'orders.go', line: add, condition: 'item == 3' });
      expect(placed.text).toMatch(/b1 orders\.go:\d+ bound/);
      await say('2');
      const first = await go('wait');
      expect(placeOf(first.stop)).toBe(`orders.go:${add}`);
      expect(first.stop).toMatchObject({
        reason: 'breakpoint',
        breakpoints: ['b1'],
        holds: 'process',
      });
      expect(at(first.stop, 'function')).toBe('main.price');
      expect(at(first.stop, 'variables')).toMatchObject({ item: '3', factor: '2' });
      expect(textAt(first.stop, 'variables', 'o')).toMatch(
        /id=1, name="order 1", items=\[1, 2, 3\], password=<redacted>, stock=\{"tea": 1\}/,
      );
      expect((await look('locals')).text).toMatch(
        /argument \S+ o=.*\n.*argument int factor=2\n(?:.*\n)*?.*local int sum=6/,
      );
      // All of it stands still.
      expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) t /);
      const frames = listAt((await look('stack')).structured, 'frames');
      expect(frames.map((frame) => textAt(frame, 'function')).slice(0, 2)).toEqual([
        'main.price',
        'main.handle',
      ]);
      const caller = await look('locals', { frame: 1 });
      expect(caller.text).toMatch(/argument int n=1\n.*local /);
      const beyond = await look('locals', { frame: 99 });
      expect(beyond.text).toMatch(/no frame 99: the stack has 0 to \d+\.\nnext:\n.*"view":"stack"/);
      const value = await look('value', { expression: 'o.items[1] + factor' });
      expect(value.text).toMatch(/= 4/);
      const secret = await client.refused('debug_inspect', {
        view: 'value',
        expression: 'o.password',
      });
      expect(secret.text).toMatch(/looks like a secret/);
      const goroutines = await look('threads');
      expect(goroutines.text).toMatch(/thread goroutine \(1\) held by s1: main\.main/);
      const next = await go('over');
      expect(next.text).toMatch(/changed: sum 6 → 12/);
      const out = await go('out');
      expect(at(out.stop, 'function')).toBe('main.handle');
      const after = await go('until', { to: `orders.go:${lineOf('after')}` });
      expect(at(after.stop, 'variables')).toMatchObject({ total: '12' });
      // The second order has an item of 3 as well.
      const second = await go('continue');
      expect(textAt(second.stop, 'variables', 'o')).toMatch(/id=2/);
      await go('continue', { timeoutMs: 0 });
      await seen('done 32');
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go] what the compiler keeps for a deferred call is no variable of its frame',
    async () => {
      const { place, say, go, look, end } = await started();
      await place(`orders.go:${lineOf('settle')}`);
      await say('9');
      expect((await go('wait')).stop).toMatchObject({ variables: { count: '18' } });
      const wrapper = await look('locals', { frame: 1 });
      expect(wrapper.text).toMatch(/^#1 main\.leave\.deferwrap1 /m);
      expect(wrapper.text).not.toContain('.autotmp_');
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.shared] several breakpoints at one line each stop where their own condition says',
    async () => {
      const { place, say, go, end, seen } = await started();
      const there = (more: object) => ({ file: 'orders.go', line: add, ...more });
      const conditions = [{ condition: 'item == 3' }, { at: 1 }, { condition: 'item == none' }];
      const placed = await place(...conditions.map(there));
      expect(placed.text.match(/ bound/g)).toHaveLength(3);
      await say('1');
      expect((await go('wait')).stop).toMatchObject({
        breakpoints: ['b2', 'b3'],
        variables: { item: '1' },
      });
      expect((await go('continue')).stop).toMatchObject({
        breakpoints: ['b1'],
        variables: { item: '3' },
      });
      await go('continue', { timeoutMs: 0 });
      await seen('done 13');
      expect((await place()).text).toMatch(/b3 (?:.*\n)*?.*cannot be worked out/);
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go] a deferred call is one place, and a result that is not set yet has no value',
    async () => {
      const { place, say, go, seen, end } = await started();
      const placed = await place(
        { file: 'orders.go', line: lineOf('ship') },
        { file: 'orders.go', line: lineOf('unlock') },
      );
      expect(placed.text).not.toMatch(/2 places/);
      await say('1');
      expect(at((await go('wait')).stop, 'variables')).toMatchObject({ sent: '<unset>' });
      const second = await go('continue');
      expect(second.stop).toMatchObject({ breakpoints: ['b2'], variables: { sent: '0' } });
      await go('continue', { timeoutMs: 0 });
      await seen('done 13');
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go] breakpoints before main and in its first line are met by a launch, which says that they are bound',
    async () => {
      const program = buildTarget(source, ['-gcflags', 'all=-N -l']);
      const text = readFileSync(targetSource(source), 'utf8').split('\n');
      const line = text.findIndex((one) => one.includes('"ready"')) + 1;
      const { sessionId, structured } = await launch(client, home, program, {
        stdin: 'open',
        breakpoints: [
          { file: 'orders.go', line },
          { file: 'orders.go', line: lineOf('value') },
        ],
      });
      const placed = listAt(structured, 'breakpoints').map((one) => textAt(one, 'state'));
      expect(placed).toEqual(['bound', 'bound']);
      const stopAfter = async (action: string): Promise<unknown> => {
        const asked = { sessionId, action, timeoutMs: 20_000 };
        return at((await client.ok('debug_continue', asked)).structured, 'stops', 0);
      };
      // Delve itself knows no line of it.
      const value = await stopAfter('wait');
      expect(value).toMatchObject({ function: 'main.init' });
      expect(placeOf(value)).toBe(`orders.go:${lineOf('value')}`);
      expect(placeOf(await stopAfter('continue'))).toBe(`orders.go:${line}`);
      const linesNow = async (): Promise<unknown[]> => {
        const asked = { view: 'output', sessionId };
        const { structured: told } = await client.ok('debug_query', asked);
        return listAt(told, 'lines').map((one) => at(one, 'text'));
      };
      expect(await linesNow()).toEqual([]);
      await client.ok('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
      await outputSeen(client, sessionId, 'ready');
      await client.ok('debug_session', { action: 'input', sessionId, text: '2\n', eof: true });
      expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 3 });
      expect(await linesNow()).toEqual(['ready', 'done 32']);
    },
  );

  itNeeds(
    'delve',
    '[stop.go] a condition that Delve cannot work out stops once, says why, and stops again with another condition',
    async () => {
      const { sessionId, place, say, go, seen, end } = await started();
      const placed = await place({ file: 'orders.go', line: add, condition: 'itm == 3' });
      expect(placed.text).toMatch(/b1 orders\.go:\d+ bound/);
      await say('1');
      const first = await go('wait');
      expect(first.text).toMatch(/stopped · b1 its condition cannot be worked out: .*itm/);
      expect(first.stop).toMatchObject({ breakpoints: ['b1'] });
      await vi.waitFor(async () => {
        const { text } = await client.ok('debug_breakpoint', { sessionId });
        expect(text).toMatch(/b1 .* failed: Its condition cannot be worked out: .*itm/);
      });
      await go('continue', { timeoutMs: 0 });
      await seen('done 13');
      await client.ok('debug_breakpoint', {
        sessionId,
        change: [{ id: 'b1', condition: 'item == 2' }],
      });
      await say('1');
      expect(at((await go('wait')).stop, 'variables')).toMatchObject({ item: '2' });
      await go('continue', { timeoutMs: 0 });
      await seen('done 13');
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go] a breakpoint ends the step that comes to it: steps from there lead where they are to',
    async () => {
      const { place, say, go, seen, end } = await started();
      await place({ file: 'orders.go', line: lineOf('call') }, { file: 'orders.go', line: add });
      await say('1');
      expect(placeOf((await go('wait')).stop)).toBe(`orders.go:${lineOf('call')}`);
      const met = await go('over');
      expect(met.stop).toMatchObject({ reason: 'breakpoint', breakpoints: ['b2'] });
      const over = await go('over');
      expect(over.stop).toMatchObject({ reason: 'step', function: 'main.price' });
      expect(placeOf(over.stop)).toBe(`orders.go:${add - 1}`);
      const again = await go('continue');
      expect(again.stop).toMatchObject({ reason: 'breakpoint', breakpoints: ['b2'] });
      const out = await go('out');
      expect(out.stop).toMatchObject({ reason: 'breakpoint', breakpoints: ['b2'] });
      // The steps that were cut short end nowhere.
      await go('continue', { timeoutMs: 0 });
      await seen('done 13');
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go] a breakpoint is not set where Delve does not answer: the request is refused with the reason',
    async () => {
      const { sessionId, place, say, go, pid, seen, end } = await started();
      await place('main.price');
      const [delve = 0] = tracersOf(pid);
      process.kill(delve, 'SIGSTOP');
      const asked = { sessionId, add: ['main.handle'] };
      const refused = await client.refused('debug_breakpoint', asked);
      process.kill(delve, 'SIGCONT');
      expect(refused.text).toMatch(/^CANNOT_DEBUG: Delve: it did not answer/);
      const { text } = await client.ok('debug_breakpoint', { sessionId });
      expect(text).toMatch(/b1 /);
      expect(text).not.toMatch(/b2 /);
      await say('1');
      expect((await go('wait')).stop).toMatchObject({ function: 'main.price' });
      await go('continue', { timeoutMs: 0 });
      await seen('done 13');
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go-gap] tracing leaves the program while Delve holds it, says so, and comes back',
    async () => {
      const { sessionId, place, say, go, pid, end } = await started({ patterns: ['main.price'] });
      let { cursor } = await outputSeen(client, sessionId, 'ready');
      const traced = async (): Promise<number> => {
        await say('1');
        ({ cursor } = await outputSeen(client, sessionId, 'done', cursor));
        return (await callsOf(client, sessionId)).length;
      };
      expect(await traced()).toBe(1);
      await place(
        { function: 'main.price', label: 'asked', log: '{factor}' },
        { function: 'main.ship', label: 'holds', invariant: 'o.id > 1' },
      );
      const lines = { pattern: 'main.ship', lines: true };
      const invariant = { pattern: 'main.price', invariant: 'return > 100' };
      await client.ok('debug_trace', { sessionId, add: [lines, invariant] });
      const recorded = async () =>
        listAt((await client.ok('debug_breakpoint', { sessionId })).structured, 'breakpoints')
          .filter((one) => at(one, 'stops') !== true)
          .map((one) => [textAt(one, 'state'), numberAt(one, 'hits')] as const);
      expect(await traced()).toBe(3);
      const before = await recorded();
      expect(before.map(([state]) => state)).toEqual(['bound', 'bound', 'bound', 'bound']);
      const { text } = await place('main.handle');
      expect(text).toMatch(/By Delve: .* if its process is killed, the program ends/);
      await say('1');
      await go('wait');
      const held = await client.ok('debug_session', { action: 'status', sessionId });
      expect(held.text).toMatch(/Tracing has left process \d+, as Delve holds it/);
      const refused = await client.refused('debug_trace', { sessionId, add: ['main.handle'] });
      expect(refused.text).toMatch(/ALREADY_OBSERVED: Delve holds the program/);
      await client.ok('debug_breakpoint', { sessionId, remove: ['b3'] });
      await go('continue', { timeoutMs: 0 });
      ({ cursor } = await outputSeen(client, sessionId, 'done', cursor));
      const back = async (): Promise<boolean> => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        return /Delve has left process \d+, and it is traced again/.test(status.text);
      };
      await vi.waitFor(async () => expect(await back()).toBe(true), { timeout: 60_000 });
      expect(tracersOf(pid)).toEqual([]);
      expect(await traced()).toBe(5);
      expect(await recorded()).toEqual(before.map(([state, hits]) => [state, 2 * hits]));
      const { structured } = await client.ok('debug_query', { view: 'stats', sessionId });
      expect(numberAt(structured, 'counters', 'byCause', 'untraced')).toBeGreaterThan(0);
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go-pause] a running program is paused as a whole and continues; a daemon that is killed leaves it running',
    async () => {
      const { place, say, go, pid, sessionId } = await started();
      const paused = await go('pause');
      expect(paused.stop).toMatchObject({
        reason: 'pause',
        holds: 'process',
        function: 'main.main',
      });
      // They are read when they are asked for: where a goroutine waits it stands in Go's runtime.
      const rip = { sessionId, do: [{ read: '$rip' }] };
      const [, inMemory] =
        /\$rip\W+(0x[0-9a-f]+)/.exec((await client.ok('debug_memory', rip)).text) ?? [];
      const looked = { sessionId, view: 'registers' };
      const { text: registers } = await client.ok('debug_inspect', looked);
      expect(registers).toContain(`rip=${inMemory} `);
      expect(registers).toMatch(/ rsp=0x[0-9a-f]{6,} /);
      await go('continue', { timeoutMs: 0 });
      await place({ file: 'orders.go', line: add });
      await say('1');
      await go('wait');
      await killDaemon(home);
      await until('nobody holds it', () => tracersOf(pid).length === 0);
      // The first request may reach the daemon that has just died.
      await vi.waitFor(
        async () => {
          const { text } = await client.ok('debug_query', { view: 'output', sessionId });
          expect(text).toContain('done');
        },
        { timeout: 60_000 },
      );
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );

  itNeeds(
    'delve',
    '[stop.go-pause] requests that come at once have one Delve: a pause beside breakpoints, and beside what lets it go',
    async () => {
      const { place, go, look, end, pid } = await started();
      // Each of them needs Delve, which is not there yet.
      await Promise.all([
        go('pause', { timeoutMs: 0 }),
        place('main.price'),
        place({ file: 'orders.go', line: add }),
      ]);
      await until('it stands still', () => tracersOf(pid).length === 1);
      for (let i = 0; i < 5; i++) {
        await go('wait', { timeoutMs: 0 });
        const [gone] = await Promise.allSettled([
          go('continue', { stop: `s${i + 1}`, timeoutMs: 0 }),
          go('pause', { timeoutMs: 0 }),
        ]);
        expect(gone.status).toBe('fulfilled');
        // What the pause says stands still does, whichever came first.
        const { stop } = await go('pause', { timeoutMs: 0 });
        if (stop) expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) t /);
        expect((await look('threads')).text).toContain(`held by s${i + 2}`);
      }
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'delve',
    '[stop.go-pause] whichever goroutine a pause shows, it steps and lets the program go',
    async () => {
      const { sessionId } = await launch(
        client,
        home,
        buildTarget('e2e/manyGoroutines.go', ['-gcflags', 'all=-N -l']),
      );
      await outputSeen(client, sessionId, 'ready');
      const ask = async (action: string): Promise<unknown> => {
        const asked = { sessionId, action, timeoutMs: 20_000 };
        const { structured } = await client.ok('debug_continue', asked);
        return listAt(structured, 'stops')[0];
      };
      for (let i = 0; i < 3; i++) {
        const paused = await ask('pause');
        expect(paused).toMatchObject({ reason: 'pause', holds: 'process' });
        const thread = numberAt(paused, 'thread');
        expect(await ask('over')).toMatchObject({ reason: 'step', thread });
        const gone = { sessionId, action: 'continue', timeoutMs: 0 };
        expect((await client.ok('debug_continue', gone)).text).toMatch(/running/);
        const { cursor } = await outputSeen(client, sessionId, 'round');
        await outputSeen(client, sessionId, 'round', cursor);
      }
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );

  itNeeds(
    'delve',
    '[stop.go-pause] when Delve is killed, the answer says what ended the program',
    async () => {
      const { place, say, go, pid, sessionId } = await started();
      await place({ file: 'orders.go', line: add });
      await say('1');
      await go('wait');
      const [delve = 0] = tracersOf(pid);
      process.kill(delve, 'SIGKILL');
      await exitOf(client, sessionId);
      await vi.waitFor(
        async () => {
          const { text } = await client.ok('debug_session', { action: 'status', sessionId });
          expect(text).toMatch(/The debugger that held the program was killed/);
        },
        { timeout: 30_000 },
      );
    },
  );

  itNeeds('delve', '[stop.go] one with C in it stops as well, and is traced again', async () => {
    const program = buildTarget('e2e/goAndC.go', ['-gcflags', 'all=-N -l']);
    const { sessionId } = await launch(client, home, program, {
      args: ['calm'],
      stdin: 'open',
      patterns: ['main.price', 'twice'],
    });
    await outputSeen(client, sessionId, '21010');
    const placed = await client.ok('debug_breakpoint', {
      sessionId,
      add: [{ function: 'main.price', condition: 'order.Count > 3' }],
    });
    expect(placed.text).toMatch(/bound[\s\S]*By Delve/);
    const waited = await client.ok('debug_continue', {
      sessionId,
      action: 'wait',
      timeoutMs: 20_000,
    });
    const [stop] = listAt(waited.structured, 'stops');
    expect(textAt(stop, 'function')).toBe('main.price');
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await client.ok('debug_continue', { sessionId, action: 'continue', stop: textAt(stop, 'id') });
    const { text } = await vi.waitFor(
      async () => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        expect(status.text).toContain('it is traced again');
        return status;
      },
      { timeout: 60_000 },
    );
    expect(text).toContain('2 of 2 matched functions hooked');
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
