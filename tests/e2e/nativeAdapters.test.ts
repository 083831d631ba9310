import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { tracersOf } from '../../src/base/proc.ts';
import { callsOf } from '../support/calls.ts';
import { gdbPath, itNeeds, lldbPath } from '../support/needs.ts';
import { listAt, numberAt, textAt, at } from '../support/read.ts';
import { outputSeen } from '../support/runs.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, lineMarked } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const source = 'e2e/adapterOrders.c';
const lineOf = (mark: string): number => lineMarked(source, mark);

describe('stops by debuggers of others', () => {
  const { home, client } = withClient({
    STROBE_ADAPTERS_GDB: gdbPath,
    STROBE_ADAPTERS_LLDB: lldbPath,
    STROBE_ADAPTERS_NAMED: `mine=${gdbPath} -nx -q --interpreter=dap,dumb=/bin/true`,
  });
  const add = lineOf('add');
  const started = async (options: Readonly<Record<string, unknown>> = {}) =>
    stopProgram(client, home, buildTarget(source, ['-O0', '-pthread']), options);

  /** The same verbs and answers, whichever debugger stops. */
  const all = async (adapter: string, raw: string): Promise<void> => {
    const { sessionId, say, go, look, end, pid, seen } = await started();
    const placed = await client.ok('debug_breakpoint', {
      sessionId,
      adapter,
      add: [{ file: 'adapterOrders.c', line: add, condition: 'item == 1' }],
    });
    expect(placed.text).toMatch(/b1 adapterOrders\.c:\d+ bound .* · if item == 1/);
    expect(placed.text).toMatch(/only hits that meet it are counted/);
    await say('3');
    const first = await go('wait');
    expect(placeOf(first.stop)).toBe(`adapterOrders.c:${add}`);
    expect(first.stop).toMatchObject({ breakpoints: ['b1'], holds: 'process' });
    expect(at(first.stop, 'function')).toBe('price');
    expect(at(first.stop, 'variables')).toMatchObject({ item: '1', factor: '2', sum: '3' });
    // All of it stands still.
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) t /);
    const locals = await look('locals');
    expect(locals.text).toMatch(/name="tea", items=\[1, 2, 3\], password=<redacted>, next=nullptr/);
    const frames = listAt((await look('stack')).structured, 'frames');
    const functions = frames.map((frame) => textAt(frame, 'function'));
    expect(functions.slice(0, 2)).toEqual(['price', 'main']);
    const value = await look('value', { expression: 'o->items[1] + factor' });
    expect(value.text).toMatch(/= 4/);
    const secret = { sessionId, view: 'value', expression: 'o->password' };
    expect((await client.refused('debug_inspect', secret)).text).toMatch(/looks like a secret/);
    expect((await look('registers')).text).toMatch(/rip=0x[0-9a-f]+/);
    // By the kernel's numbers.
    const threads = await look('threads');
    expect(threads.text).toMatch(new RegExp(`thread \\w+ \\(${pid}\\) stopped: price`));
    expect(threads.text).toMatch(/held by s1: idle/);
    const set = await client.ok('debug_memory', { sessionId, do: [{ write: 'sum', value: 100 }] });
    expect(set.text).toMatch(/sum: 3 → 100/);
    // A line of a console means the frame that it is asked of, not the one that was looked at.
    await look('locals', { frame: 1 });
    const printed = await client.ok('debug_memory', {
      sessionId,
      do: [{ evaluate: raw, sideEffects: true }],
    });
    expect(printed.text).toMatch(/factor = 2/);
    expect(printed.text).not.toMatch(/hunter2/);
    const moving = { sessionId, do: [{ evaluate: 'continue', sideEffects: true }] };
    expect((await client.refused('debug_memory', moving)).text).toMatch(/debug_continue does that/);
    const other = { sessionId, adapter: 'strobe' };
    expect((await client.refused('debug_breakpoint', other)).text).toMatch(
      /changes only while all of them run/,
    );
    const next = await go('over');
    expect(placeOf(next.stop)).toBe(`adapterOrders.c:${add + 1}`);
    const out = await go('out');
    expect(at(out.stop, 'function')).toBe('main');
    await go('until', { to: `adapterOrders.c:${lineOf('after')}` });
    await go('continue', { timeoutMs: 0 });
    // 1 + 100 + 5; the signal is the program's own matter.
    await seen('done 106, signals 1');
    const paused = await go('pause');
    expect(at(paused.stop, 'holds')).toBe('process');
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { timeoutMs: 0 });
    await vi.waitFor(() => expect(tracersOf(pid)).toEqual([]), { timeout: 60_000 });
    expect(await end()).toEqual({ kind: 'exited', code: 3 });
  };

  itNeeds(
    'gdbAdapter',
    '[stop.adapter] gdb stops a program with the same verbs and answers',
    async () => all('gdb', 'info locals'),
  );

  itNeeds(
    'lldbAdapter',
    '[stop.adapter] lldb stops a program with the same verbs and answers',
    async () => all('lldb', 'frame variable factor'),
  );

  const shared = async (adapter: string): Promise<void> => {
    const { sessionId, say, go, end, seen } = await started();
    const place = (more: object) => ({ file: 'adapterOrders.c', line: add, ...more });
    const conditions = [{ condition: 'item == 2' }, { at: 1 }, { condition: 'item == none' }];
    const asked = { sessionId, adapter, add: conditions.map(place) };
    const placed = await client.ok('debug_breakpoint', asked);
    expect(placed.text.match(/ bound/g)).toHaveLength(3);
    await say('3');
    expect((await go('wait')).stop).toMatchObject({
      breakpoints: ['b2', 'b3'],
      variables: { item: '0' },
    });
    expect((await go('continue')).stop).toMatchObject({
      breakpoints: ['b1'],
      variables: { item: '2' },
    });
    await go('continue', { timeoutMs: 0 });
    await seen('done 9, signals 1');
    expect(await end()).toEqual({ kind: 'exited', code: 3 });
  };

  itNeeds(
    'gdbAdapter',
    '[stop.shared] several breakpoints at one line each stop where their own condition says, by gdb',
    async () => shared('gdb'),
  );

  itNeeds(
    'lldbAdapter',
    '[stop.shared] several breakpoints at one line each stop where their own condition says, by lldb',
    async () => shared('lldb'),
  );

  itNeeds('gdbAdapter', "[stop.adapter] so does one that only the user's settings name", async () =>
    all('mine', 'info locals'),
  );

  itNeeds(
    'gdbAdapter',
    '[stop.adapter-gap] tracing leaves the program while gdb holds it, says so, and comes back',
    async () => {
      const { sessionId, say, go, end, pid } = await started({ patterns: ['price'] });
      let { cursor } = await outputSeen(client, sessionId, 'ready');
      const traced = async (): Promise<number> => {
        await say('1');
        ({ cursor } = await outputSeen(client, sessionId, 'done', cursor));
        return (await callsOf(client, sessionId)).length;
      };
      expect(await traced()).toBe(1);
      await client.ok('debug_breakpoint', { sessionId, adapter: 'gdb', add: ['price'] });
      await say('1');
      await go('wait');
      const held = await client.ok('debug_session', { action: 'status', sessionId });
      expect(held.text).toMatch(/Tracing has left process \d+, as gdb holds it/);
      // It writes back what it found: nothing of Frida's may have been among it.
      expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).not.toMatch(/frida-agent/);
      const refused = await client.refused('debug_trace', { sessionId, add: ['main'] });
      expect(refused.text).toMatch(/ALREADY_OBSERVED: gdb holds the program/);
      await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
      await go('continue', { timeoutMs: 0 });
      ({ cursor } = await outputSeen(client, sessionId, 'done', cursor));
      const back = async (): Promise<boolean> => {
        const status = await client.ok('debug_session', { action: 'status', sessionId });
        return /gdb has left process \d+, and it is traced again/.test(status.text);
      };
      await vi.waitFor(async () => expect(await back()).toBe(true), { timeout: 60_000 });
      expect(await traced()).toBe(2);
      const { structured } = await client.ok('debug_query', { view: 'stats', sessionId });
      expect(numberAt(structured, 'counters', 'byCause', 'untraced')).toBeGreaterThan(0);
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'gdbAdapter',
    '[stop.adapter-lacks] what gdb cannot do here is refused with who can',
    async () => {
      const { sessionId, end } = await started();
      const asked = {
        sessionId,
        adapter: 'gdb',
        add: [{ data: 'signals' }, { function: 'price' }],
      };
      const { text } = await client.ok('debug_breakpoint', asked);
      expect(text).toMatch(/b1 .*failed[\s\S]*use Strobe's own stopper \("adapter": "strobe"\)/);
      expect(text).toMatch(/b2 price\(\) bound/);
      // The same breakpoint, by who can.
      const own = await client.ok('debug_breakpoint', { sessionId, adapter: 'strobe' });
      expect(own.text).toMatch(/b1 .*bound/);
      await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'gdbAdapter',
    '[stop.adapter] a program that it holds runs on when gdb is killed',
    async () => {
      const { sessionId, say, seen, go, end, pid } = await started();
      await client.ok('debug_breakpoint', { sessionId, adapter: 'gdb' });
      await go('pause');
      const [gdb = 0] = tracersOf(pid);
      process.kill(gdb, 'SIGKILL');
      await say('1');
      await seen('done');
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  test('[stop.adapter-lacks] a debugger without an adapter is refused with the cure', async () => {
    const { sessionId, end } = await started();
    const old = { sessionId, adapter: 'dumb', add: ['price'] };
    const { text } = await client.ok('debug_breakpoint', old);
    expect(text).toMatch(/b1 .*failed: dumb cannot hold process \d+: it has ended/);
    expect(text).toMatch(/The setting adapters\.named says what is started/);
    // Tracing and Strobe's own stopper work on.
    const own = await client.ok('debug_breakpoint', { sessionId, adapter: 'fits' });
    expect(own.text).toMatch(/b1 price\(\) bound/);
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    expect(await end()).toEqual({ kind: 'exited', code: 3 });
  });

  test('[stop.adapter-lacks] a debugger that is not there, or that none knows, is refused with the cure', async () => {
    const { sessionId, end } = await started();
    const unknown = await client.refused('debug_breakpoint', { sessionId, adapter: 'windbg' });
    expect(unknown.text).toMatch(/No debugger is named "windbg"/);
    expect(unknown.text).toMatch(/Known: strobe, gdb, lldb, delve, debugpy, mine, dumb/);
    const nothing = await client.refused('debug_memory', {
      sessionId,
      do: [{ evaluate: 'info locals', sideEffects: true }],
    });
    expect(nothing.text).toMatch(/NOT_STOPPED/);
    expect(await end()).toEqual({ kind: 'exited', code: 3 });
  });
});
