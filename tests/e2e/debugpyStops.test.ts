import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { readOf, tracersOf } from '../../src/base/proc.ts';
import { itNeeds, pythonPeers } from '../support/needs.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { placeOf, stopProgram } from '../support/stopProgram.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const source = targetSource('e2e/orders.py');
const peer = (minor: '3.11' | '3.12'): string => join(pythonPeers(minor), 'bin', 'python');

function lineOf(mark: string): number {
  const lines = readFileSync(source, 'utf8').split('\n');
  return lines.findIndex((line) => line.endsWith(`# ${mark}`)) + 1;
}

describe('debugpy from the start', () => {
  const { home, client } = withClient({
    STROBE_ADAPTERS_DEBUGPY: peer('3.12'),
    STROBE_ADAPTERS_USE: 'debugpy',
  });

  itNeeds(
    'pythonPeers',
    '[stop.debugpy] a program that is launched with breakpoints says that hits of its first moments are missed',
    async () => {
      const breakpoints = [{ file: 'orders.py', line: lineOf('add') }];
      const options = { args: [source], breakpoints };
      const { place, say, go, end, text } = await stopProgram(client, home, peer('3.12'), options);
      expect(text).toMatch(/b1 .*pending: .*hits before that are missed/);
      await vi.waitFor(
        async () => {
          const placed = await place();
          expect(placed.text).toMatch(/ bound[^]*debugpy came in while the program ran already/);
        },
        { timeout: 30_000 },
      );
      await say('order 1');
      expect(placeOf((await go('wait')).stop)).toBe(`orders.py:${lineOf('add')}`);
      await client.ok('debug_breakpoint', { remove: ['all'] });
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds(
    'pythonPeers',
    '[stop.debugpy] an adapter whose program ends while it comes in ends as well, and says why',
    async () => {
      const short = join(home.project, 'short.py');
      writeFileSync(short, endsWithAdapter);
      const { structured } = await client.ok('debug_launch', {
        command: peer('3.12'),
        args: [short, home.path],
        projectRoot: home.project,
        breakpoints: ['short.py:9'],
      });
      const sessionId = textAt(structured, 'sessionId');
      await vi.waitFor(
        async () => {
          const { text } = await client.ok('debug_breakpoint', { sessionId });
          expect(text).toMatch(
            /b1 .* failed: debugpy cannot hold process .*: the program has ended/,
          );
        },
        { timeout: 60_000 },
      );
    },
  );
});

/** It ends when an adapter of the home that it is given runs. */
const endsWithAdapter = `import glob, sys
def is_adapter(folder):
    try:
        here = [open(folder + name, "rb").read() for name in ("/cmdline", "/environ")]
    except OSError:
        return False
    return b"debugpy/adapter" in here[0] and sys.argv[1].encode() in here[1]
while not any(map(is_adapter, glob.glob("/proc/[1-9]*"))): pass
sys.exit(0)
`;

describe('stops by debugpy', () => {
  const { home, client } = withClient({ STROBE_ADAPTERS_DEBUGPY: peer('3.12') });
  const add = lineOf('add');
  const started = async (python = peer('3.12')) =>
    stopProgram(client, home, python, { args: [source] });

  /** Those of this home that run. */
  const adapters = (): string[] =>
    readdirSync('/proc').filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      const isOne = readOf(Number(name), 'cmdline')?.includes('debugpy/adapter') === true;
      return isOne && readOf(Number(name), 'environ')?.includes(home.path) === true;
    });

  /** 3.11: by the trace function; from 3.12 on: by sys.monitoring. */
  const all = async (python: string): Promise<void> => {
    const { sessionId, say, seen, go, look, end, pid } = await started(python);
    await client.ok('debug_trace', { sessionId, add: ['orders.buy'] });
    const placed = await client.ok('debug_breakpoint', {
      sessionId,
      adapter: 'debugpy',
      add: [{ file: 'orders.py', line: add, condition: 'item == 1 && contains(order.items, 2)' }],
    });
    expect(placed.text).toMatch(/b1 orders\.py:\d+ bound · python/);
    expect(placed.text).toMatch(/By debugpy, which runs in the program/);
    expect(placed.text).toMatch(/main process only: child processes run without it/);
    expect(placed.text).not.toMatch(/first moments/);
    await say('order 3');
    const first = await go('wait');
    expect(placeOf(first.stop)).toBe(`orders.py:${add}`);
    expect(first.stop).toMatchObject({ breakpoints: ['b1'], holds: 'process', thread: pid });
    expect(at(first.stop, 'variables')).toMatchObject({ item: '1', factor: '2' });
    const locals = await look('locals');
    expect(locals.text).toMatch(/order=\{items=\[1, 2, 3\], name="tea", password=<redacted>\}/);
    const frames = listAt((await look('stack')).structured, 'frames');
    expect(frames.map((frame) => textAt(frame, 'function')).slice(0, 2)).toEqual(['price', 'buy']);
    expect((await look('value', { expression: 'order.items[1] + factor' })).text).toMatch(/= 4/);
    const secret = { sessionId, view: 'value', expression: 'order.password' };
    expect((await client.refused('debug_inspect', secret)).text).toMatch(/looks like a secret/);
    // debugpy reads the others after that, one after the other.
    const threads = await vi.waitFor(
      async () => {
        const now = await look('threads');
        expect(now.text).toMatch(/held by s1: idle/);
        return now;
      },
      { timeout: 30_000 },
    );
    expect(threads.text).toMatch(new RegExp(`\\(${pid}\\) stopped: price`));
    await client.ok('debug_memory', { sessionId, do: [{ write: 'factor', value: 10 }] });
    const raw = 'sum(order.items)';
    const ran = { sessionId, do: [{ evaluate: raw, sideEffects: true }] };
    expect((await client.ok('debug_memory', ran)).text).toMatch(/6/);
    expect(placeOf((await go('over')).stop)).toBe(`orders.py:${add + 1}`);
    const over = await go('over');
    expect(at(over.stop, 'variables')).toMatchObject({ total: '10' });
    expect(JSON.stringify(over.stop)).not.toMatch(/hunter2/);
    expect(at((await go('out')).stop, 'function')).toBe('buy');
    await go('until', { to: `orders.py:${lineOf('after')}` });
    await go('continue', { timeoutMs: 0 });
    // 0 + 10 + 4.
    await seen('done 14');
    expect(at((await go('pause')).stop, 'holds')).toBe('process');
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { timeoutMs: 0 });
    // Tracing was there all the time, and is.
    await say('order 1');
    await seen('done 0');
    const calls = await client.ok('debug_query', { sessionId, function: 'orders.buy' });
    expect(numberAt(calls.structured, 'totalCount')).toBe(2);
    expect(tracersOf(pid)).toEqual([]);
    expect(await end()).toEqual({ kind: 'exited', code: 3 });
    const output = await client.ok('debug_query', { sessionId, view: 'output' });
    expect(output.text).not.toMatch(/frozen modules|pydevd/i);
  };

  itNeeds('pythonPeers', '[stop.debugpy] debugpy stops Python 3.12 with the same verbs', async () =>
    all(peer('3.12')),
  );

  itNeeds('pythonPeers', '[stop.debugpy] debugpy stops Python 3.11 with the same verbs', async () =>
    all(peer('3.11')),
  );

  for (const minor of ['3.11', '3.12'] as const)
    itNeeds(
      'pythonPeers',
      `[stop.debugpy] a program of Python ${minor} without threading keeps its main thread and its stderr`,
      async () => {
        const alone = join(home.project, `alone${minor}.py`);
        writeFileSync(
          alone,
          'import sys\nprint("ready", flush=True)\nfor line in sys.stdin:\n    print("got", line.strip(), flush=True)\n',
        );
        const { sessionId, say, seen, go, end, pid } = await stopProgram(
          client,
          home,
          peer(minor),
          {
            args: [alone],
          },
        );
        await client.ok('debug_breakpoint', {
          sessionId,
          adapter: 'debugpy',
          add: [{ file: `alone${minor}.py`, line: 4 }],
        });
        await say('tea');
        expect((await go('wait')).stop).toMatchObject({ thread: pid });
        await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
        await go('continue', { timeoutMs: 0 });
        await seen('got tea');
        expect(await end()).toEqual({ kind: 'exited', code: 0 });
        const output = await client.ok('debug_query', { view: 'output', sessionId });
        expect(output.text).not.toContain('err|');
      },
    );

  itNeeds(
    'pythonPeers',
    '[stop.debugpy] exceptions stop by type, caught and uncaught',
    async () => {
      const { sessionId, say, seen, go, end } = await started();
      const exception = 'python';
      await client.ok('debug_breakpoint', {
        sessionId,
        adapter: 'debugpy',
        add: [
          { exception, type: 'Shop*' },
          { exception, caught: 'uncaught' },
          { exception, type: 'TypeError' },
        ],
      });
      await say('refuse');
      const raised = await go('wait');
      expect(placeOf(raised.stop)).toBe(`orders.py:${lineOf('refused')}`);
      expect(raised.stop).toMatchObject({ breakpoints: ['b1'] });
      expect(raised.text).toMatch(/ShopError: no tea|ShopError.*no tea/);
      await go('continue', { timeoutMs: 0 });
      await seen('refused');
      await say('fail');
      const uncaught = await go('wait');
      expect(uncaught.stop).toMatchObject({ breakpoints: ['b2'], function: '<module>' });
      expect(uncaught.text).toMatch(/b2 throws KeyError "'none'" · /);
      expect(placeOf(uncaught.stop)).toBe(`orders.py:${lineOf('uncaught')}`);
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 1 });
      // It goes with the program.
      await vi.waitFor(() => expect(adapters()).toEqual([]), { timeout: 30_000 });
    },
  );

  itNeeds(
    'pythonPeers',
    '[stop.debugpy] when it is killed, the program runs on and stops again',
    async () => {
      const { sessionId, say, seen, go, end } = await started();
      const place = { file: 'orders.py', line: add };
      const before = new Set(adapters());
      const own = (): string[] => adapters().filter((name) => !before.has(name));
      await client.ok('debug_breakpoint', { sessionId, adapter: 'debugpy', add: [place] });
      await say('order 1');
      await go('wait');
      const [adapter = ''] = own();
      process.kill(Number(adapter), 'SIGKILL');
      await vi.waitFor(
        async () => {
          const { text } = await client.ok('debug_session', { action: 'status', sessionId });
          expect(text).toMatch(/was killed: the program ran on, and its breakpoints are set again/);
          expect(own()).not.toContain(adapter);
          expect(own()).toHaveLength(1);
        },
        { timeout: 30_000 },
      );
      await vi.waitFor(
        async () => {
          const { text } = await client.ok('debug_breakpoint', { sessionId });
          expect(text).toMatch(/b1 orders\.py:\d+ bound/);
        },
        { timeout: 30_000 },
      );
      // The order that stood there runs on, whether it meets the breakpoint again or not.
      await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
      await go('wait', { timeoutMs: 0 });
      await client.call('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
      await seen('done 0');
      await client.ok('debug_breakpoint', { sessionId, add: [place] });
      await say('order 1');
      expect((await go('wait')).stop).toMatchObject({ breakpoints: ['b2'] });
      await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds('pythonPeers', '[stop.debugpy] what it cannot do is said', async () => {
    const { sessionId, say, go, end } = await started();
    const placed = await client.ok('debug_breakpoint', {
      sessionId,
      adapter: 'debugpy',
      add: [
        { file: 'orders.py', line: add, condition: 'nosuch > 1' },
        { file: 'orders.py', line: add, condition: 'order.nosuch > 1' },
        { file: 'orders.py', line: add, thread: 'idle' },
      ],
    });
    expect(placed.text).toMatch(/b1 .*failed: .*"nosuch" is not in scope there/);
    expect(placed.text).toMatch(/b3 .*failed: debugpy stops all threads/);
    await say('order 1');
    const open = await go('wait');
    expect(open.stop).toMatchObject({ breakpoints: ['b2'] });
    expect(open.text).toMatch(/nosuch/);
    const other = { sessionId, adapter: 'strobe' };
    expect((await client.refused('debug_breakpoint', other)).text).toMatch(
      /changes only while all of them run/,
    );
    await go('continue', { timeoutMs: 0 });
    expect((await client.ok('debug_breakpoint', { sessionId })).text).toMatch(
      /b2 .*cannot be worked out/,
    );
    // The same breakpoints by Strobe's own code.
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'], adapter: 'strobe' });
    await client.ok('debug_breakpoint', { sessionId, add: [{ file: 'orders.py', line: add }] });
    await say('order 1');
    expect((await go('wait')).stop).toMatchObject({ holds: 'thread' });
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 3 });
  });

  itNeeds(
    'pythonPeers',
    '[stop.debugpy] a shell becomes Python, as the shims of pyenv do',
    async () => {
      const { sessionId, say, go, end } = await stopProgram(client, home, '/bin/sh', {
        args: ['-c', `exec ${peer('3.12')} ${source}`],
      });
      const asked = { sessionId, adapter: 'debugpy', add: [`orders.py:${add}`] };
      expect((await client.ok('debug_breakpoint', asked)).text).toMatch(/By debugpy/);
      await say('order 3');
      expect(placeOf((await go('wait')).stop)).toBe(`orders.py:${add}`);
      await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
      await go('continue', { timeoutMs: 0 });
      expect(await end()).toEqual({ kind: 'exited', code: 3 });
    },
  );

  itNeeds('pythonPeers', '[stop.debugpy] a program that has debugpy in it keeps that', async () => {
    const debugged = join(home.project, 'debugged.py');
    writeFileSync(
      debugged,
      'import debugpy, sys\ndebugpy.listen(("127.0.0.1", 0))\nprint("ready", flush=True)\nfor line in sys.stdin:\n    print("got", line.strip(), flush=True)\n',
    );
    const { sessionId, say, seen, end } = await stopProgram(client, home, peer('3.12'), {
      args: [debugged],
      env: { PYDEVD_DISABLE_FILE_VALIDATION: '1' },
    });
    const asked = { sessionId, adapter: 'debugpy', add: ['debugged.py:5'] };
    const { text } = await client.call('debug_breakpoint', asked);
    expect(text).toMatch(/Another debugger, which uses debugpy or pydevd, is in the program/);
    await say('tea');
    await seen('got tea');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  itNeeds('pythonPeers', '[stop.debugpy] a program of machine code is refused', async () => {
    const { structured } = await client.ok('debug_launch', {
      command: '/bin/sleep',
      args: ['60'],
      projectRoot: home.path,
    });
    const sessionId = textAt(structured, 'sessionId');
    const asked = { sessionId, adapter: 'debugpy' };
    expect((await client.refused('debug_breakpoint', asked)).text).toMatch(
      /debugpy stops programs of Python, and sleep is none/,
    );
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
