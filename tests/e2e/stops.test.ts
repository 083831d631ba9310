import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { readOf, statFields, tracersOf } from '../../src/base/proc.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { killDaemon, partsOf } from '../support/parts.ts';
import { isAlive, until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { testHome, withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const source = 'e2e/stops.cpp';
const lines = readFileSync(targetSource(source), 'utf8').split('\n');
const line = (text: string): number => lines.findIndex((one) => one.includes(text)) + 1;
const at22 = (text: string): string => `stops.cpp:${line(text)}`;

describe('stops', () => {
  const { home, client } = withClient();

  async function started(
    level: string,
    options: Readonly<Record<string, unknown>> = {},
    { from, says } = { from: source, says: 'ready' },
  ) {
    const program = buildTarget(from, [level, '-pthread']);
    const how = { stdin: 'open', ...options };
    const { sessionId, structured } = await launch(client, home, program, how);
    await outputSeen(client, sessionId, says);
    const place = async (...add: readonly unknown[]) =>
      client.ok('debug_breakpoint', { sessionId, add });
    const say = async (text: string) =>
      client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
    const go = async (action: string, more: Readonly<Record<string, unknown>> = {}) => {
      const asked = { sessionId, action, timeoutMs: 20_000, ...more };
      const { structured: answer, text } = await client.ok('debug_continue', asked);
      const [stop] = listAt(answer, 'stops');
      return { stop, text, state: textAt(answer, 'state') };
    };
    const look = async (view: string, more: Readonly<Record<string, unknown>> = {}) =>
      client.ok('debug_inspect', { sessionId, view, ...more });
    const end = async (): Promise<unknown> => {
      await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      return exitOf(client, sessionId);
    };
    return { sessionId, pid: numberAt(structured, 'pid'), place, say, go, look, end };
  }

  async function allStand(
    pid: number,
    { go, look }: Pick<Awaited<ReturnType<typeof started>>, 'go' | 'look'>,
  ) {
    expect((await go('wait')).stop).toMatchObject({ holds: 'process' });
    const threads = listAt((await look('threads')).structured, 'threads');
    expect(threads.length).toBeGreaterThan(1);
    for (const one of threads)
      expect(readOf(pid, `task/${numberAt(one, 'thread')}/stat`)).toMatch(/\) t /);
  }

  const placeOf = (stop: unknown): string => textAt(stop, 'place').replace(/.*\//, '');

  test('[stop.line] a thread stops at a line with its arguments and locals while the other threads run; it steps over, into and out', async () => {
    const { pid, place, say, go, look, end } = await started('-O0');
    const { text } = await place(at22('int a = twice(i)'));
    expect(text).toMatch(/b1 .*stops\.cpp:\d+ bound · trap/);
    await say('a');
    const first = await go('wait');
    expect(first.stop).toMatchObject({ id: 's1', reason: 'breakpoint', breakpoints: ['b1'] });
    expect(at(first.stop, 'variables')).toMatchObject({ i: '0' });
    expect(first.text).toMatch(/-> \d+ {3}int a = twice\(i\);/);
    const threads = (await look('threads')).text;
    expect(threads).toMatch(/s1 thread stops \(\d+\) stopped: work/);
    expect(statFields(pid)?.[0]).toBe('t');
    const into = await go('into');
    expect(into.stop).toMatchObject({ function: 'twice', variables: { x: '0' } });
    const out = await go('out');
    expect(placeOf(out.stop)).toBe(at22('int a = twice(i)'));
    const places: string[] = [];
    for (let step = 0; step < 3; step++) places.push(placeOf((await go('over')).stop));
    expect(places).toEqual([
      at22('int b = added'),
      at22('if (i % 2 == 1)'),
      at22('for (int k = 0'),
    ]);
    expect((await look('stack')).text).toMatch(/#0 work .*\n#1 main /);
    expect((await look('locals', { frame: 1 })).text).toMatch(
      /local Order order=\{id=7, total=12.5, name="tea"\}/,
    );
    expect((await go('continue', { timeoutMs: 0 })).state).toBe('running');
    await say('b');
    expect((await go('wait')).stop).toMatchObject({ variables: { i: '1' } });
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.inlined] in optimised code a stop shows inlined calls, and steps pass over them', async () => {
    const { place, say, go, look, end } = await started('-O2');
    await place(at22('int sum = a + b'));
    await say('a');
    const { stop } = await go('wait');
    expect(textAt(stop, 'function')).toContain('added');
    expect((await look('stack')).text).toMatch(/#0 added.*\(inlined\)\n#1 work/);
    const out = await go('out');
    expect(textAt(out.stop, 'function')).toContain('work');
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.conditions] only hits that meet the condition stop, and all are counted', async () => {
    const { sessionId, place, say, go, end } = await started('-O0');
    await place({
      file: 'stops.cpp',
      line: line('int b = added'),
      condition: 'a == 4 && order.id > 8',
    });
    for (const text of ['a', 'b', 'c', 'd']) await say(text);
    expect((await go('wait')).stop).toMatchObject({ variables: { i: '2', a: '4' } });
    await go('continue', { timeoutMs: 0 });
    await outputSeen(client, sessionId, 'done 129');
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 4, met: 1 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.traced] stops work in traced functions, and tracing goes on while a thread is stopped', async () => {
    const { sessionId, place, say, go, look, end } = await started('-O0', {
      patterns: ['work', 'twice'],
    });
    await place(at22('int a = twice(i)'));
    await say('a');
    const { stop } = await go('wait');
    expect(stop).toMatchObject({ variables: { i: '0' } });
    expect((await look('stack')).text).toMatch(/#0 work .*\n#1 main /);
    await client.ok('debug_trace', { sessionId, add: ['depth'], remove: ['twice'] });
    expect(placeOf((await go('over')).stop)).toBe(at22('int b = added'));
    const out = await go('out');
    expect(placeOf(out.stop)).toBe(at22('int sum = work'));
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    const { text } = await client.ok('debug_query', { sessionId, view: 'tree' });
    expect(text).toMatch(/work\(/);
    expect(text).toMatch(/depth\(/);
  });

  test('[stop.pause] a running program is paused as a whole and goes on', async () => {
    const { pid, go, look, end } = await started('-O0');
    const { stop, text } = await go('pause');
    expect(stop).toMatchObject({ reason: 'pause', holds: 'process' });
    expect(text).toMatch(/stops\.cpp:\d+ main/);
    expect(statFields(pid)?.[0]).toBe('t');
    await look('context');
    await go('continue', { timeoutMs: 0 });
    expect(statFields(pid)?.[0]).not.toBe('t');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.pause] where a thread of a paused program is let go, the stop says that other threads run', async () => {
    const { sessionId, place, say, go, look, end } = await started('-O0');
    await place({ function: 'work' });
    await say('a');
    const alone = await go('wait');
    expect(alone.stop).toMatchObject({ holds: 'thread' });
    const paused = await go('pause');
    expect(paused.stop).toMatchObject({ holds: 'process' });
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { stop: textAt(alone.stop, 'id'), timeoutMs: 0 });
    const { text } = await look('context', { stop: textAt(paused.stop, 'id') });
    expect(text).toContain('other threads run');
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.numbers] a stop that was left is refused by its number, and one that nobody saw is not passed', async () => {
    const { sessionId, place, say, go, end } = await started('-O0');
    await place('twice', 'depth');
    await say('a');
    await go('wait');
    // It comes to depth(3) by itself.
    const { stop } = await go('continue');
    expect(stop).toMatchObject({ id: 's2', variables: { n: '3' } });
    const stale = await client.refused('debug_continue', { sessionId, action: 'over', stop: 's1' });
    expect(at(stale.structured, 'error', 'code')).toBe('STALE_STOP');
    await go('continue', { timeoutMs: 0 });
    const unseen = await go('wait');
    expect(unseen.stop).toMatchObject({ id: 's3' });
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.enter] a program whose threads stand still is not entered: breakpoints are set, tracing is refused with the stop, and works when it runs', async () => {
    const { sessionId, place, say, go, end } = await started('-O0');
    const { stop } = await go('pause');
    expect(stop).toMatchObject({ id: 's1', reason: 'pause' });
    const { text } = await place('twice');
    expect(text).toMatch(/b1 twice\(\) bound · trap/);
    expect(text).toMatch(/Strobe is not loaded in the program/);
    const trace = { sessionId, add: ['work'] };
    const refused = await client.refused('debug_trace', trace);
    expect(at(refused.structured, 'error', 'code')).toBe('ALREADY_OBSERVED');
    expect(refused.text).toMatch(/cannot while threads are stopped \(s1\)/);
    await client.refused('debug_breakpoint', {
      sessionId,
      add: [{ function: 'work', log: 'i={i}' }],
    });
    expect(
      listAt((await client.ok('debug_breakpoint', { sessionId })).structured, 'breakpoints'),
    ).toHaveLength(1);
    await go('continue', { timeoutMs: 0 });
    await client.ok('debug_trace', trace);
    await say('a');
    expect((await go('wait')).stop).toMatchObject({ breakpoints: ['b1'], function: 'twice' });
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { timeoutMs: 0 });
    await outputSeen(client, sessionId, 'done 14');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    expect((await client.ok('debug_query', { sessionId, view: 'tree' })).text).toMatch(/work\(/);
  });

  test('[stop.truth] of many threads that run on together the first stops the whole process: all stand still, as the answer says', async () => {
    const many = { from: 'e2e/heldCrowd.c', says: 'running' };
    const { pid, sessionId, place, go, look, end } = await started('-O0', {}, many);
    expect((await go('pause')).stop).toMatchObject({ holds: 'process' });
    await place({ function: 'beat', stop: 'process' });
    await go('continue', { timeoutMs: 0 });
    await allStand(pid, { go, look });
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.line] arguments and locals of the deepest callers are shown', async () => {
    const { place, say, go, look, end } = await started('-O0');
    await place({ function: 'depth', condition: 'n == 0' });
    await say('a');
    expect((await go('wait')).stop).toMatchObject({ variables: { n: '0' } });
    for (const [frame, text] of [/int n=1\n/, /int n=2\n/, /int n=3\n/, /int sum=/].entries())
      expect((await look('locals', { frame: frame + 1 })).text).toMatch(text);
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.end] a session whose threads all stand still, as the answer says, is ended at once', async () => {
    const { sessionId, pid, place, say, go, look } = await started('-O0');
    await place({ function: 'work', stop: 'process' });
    await say('a');
    await allStand(pid, { go, look });
    const { structured } = await client.ok('debug_session', { action: 'stop', sessionId });
    expect(at(structured, 'how')).toBe('terminated');
  });

  test('[stop.killed] a killed stopper costs the stops alone: the program runs on and breakpoints are set again', async () => {
    const { sessionId, pid, place, say, go, end } = await started('-O0');
    const { text } = await place({ function: 'work', condition: 'i != 2' }, 'twice');
    expect(text).not.toMatch(/ends at its next hit/);
    const killed = async (): Promise<void> => {
      const [stopper = 0] = tracersOf(pid);
      expect(partsOf(home, 'stopper')).toContain(stopper);
      process.kill(stopper, 'SIGKILL');
      await until('it is gone', () => !isAlive(stopper));
      const isPlaced = (): boolean => partsOf(home, 'stopper').includes(tracersOf(pid)[0] ?? 0);
      await until('it has come in', isPlaced);
      // What it was told before that is done.
      await client.ok('debug_breakpoint', { sessionId, change: [{ id: 'b1', enabled: true }] });
      await client.ok('debug_breakpoint', { sessionId });
    };
    const runs = (): boolean => /^[RS]$/.test(statFields(pid)?.[0] ?? '');
    await say('a');
    expect((await go('wait')).stop).toMatchObject({ function: 'work' });
    await killed();
    await outputSeen(client, sessionId, 'done 14');
    await until('the thread waits for a line', runs);
    await say('b');
    expect((await go('wait')).stop).toMatchObject({ function: 'work' });
    await go('over');
    await killed();
    await outputSeen(client, sessionId, 'done 119');
    await client.ok('debug_breakpoint', { sessionId, remove: ['all'] });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.evaluate] [stop.disassembly] expressions and instructions are shown where a thread stands', async () => {
    const { sessionId, place, say, go, look, end } = await started('-O0');
    await place(at22('int b = added'));
    await say('a');
    await go('wait');
    const value = async (expression: string, more: Readonly<Record<string, unknown>> = {}) => {
      const { text } = await look('value', { expression, ...more });
      return text.split('\n')[1]?.replace(/ {2}(?:at 0x[0-9a-f]+|in a register)$/, '');
    };
    expect(await value('order.name')).toBe('string order.name = "tea"');
    expect(await value('order.total')).toBe('double order.total = 12.5');
    expect(await value('order.id * 2 + i == 14')).toBe('order.id * 2 + i == 14 = 1');
    expect(await value('len(order.name)')).toBe('len(order.name) = 3');
    expect(await value('counter')).toMatch(/int counter = 0$/);
    expect(await value('line', { frame: 1, count: 4 })).toMatch(/line = "a/);
    expect(await value('line[0]', { frame: 1 })).toMatch(/char line\[0\] = 'a'/);
    const { structured } = await look('value', { expression: 'order' });
    const address = textAt(at(structured, 'value'), 'address');
    expect(await value(`((Order*)${address})->id`)).toMatch(/int .* = 7$/);
    expect(await value(`*(double*)(${address} + 8)`)).toMatch(/double .* = 12\.5$/);
    const wrong = async (expression: string) =>
      (await client.call('debug_inspect', { sessionId, view: 'value', expression })).text;
    expect(await wrong('nosuch')).toMatch(/no variable.*nosuch: there are i, order, a/);
    expect(await wrong('order.nosuch')).toMatch(/no member nosuch: it has id, total, name/);
    expect(await wrong('*(int*)8')).toMatch(/nothing can be read at 0x8/);
    const code = (await look('disassembly')).text;
    expect(code).toMatch(new RegExp(`stops\\.cpp:${line('int b = added')}\n-> 0x[0-9a-f]+ mov `));
    expect(code).toMatch(/call .*<twice\(int\)>/);
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.set] variables are set where a thread stands, with an event each; what cannot be set says why', async () => {
    const { sessionId, place, say, go, end } = await started('-O0');
    await place(at22('int b = added'));
    await say('a');
    await go('wait');
    const { text, structured } = await client.ok('debug_memory', {
      sessionId,
      do: [
        { write: 'order.total', value: 2.5 },
        { write: 'a', value: 100 },
        { write: 'order.name', value: 'coffee' },
        { write: 'a', value: 5_000_000_000 },
        { read: 'a' },
        { read: 'order.total', bytes: 8 },
        { read: '0x10', bytes: 8 },
      ],
    });
    expect(text.split('\n').map((one) => one.replaceAll(/0x[0-9a-f]+/g, '0x…'))).toEqual([
      'order.total: 12.5 → 2.5',
      'a: 0 → 100',
      '! order.name: It is no number, character, enumerator or pointer.',
      '! a: int holds -2147483648 to 2147483647, not 5000000000.',
      'int a = 100  at 0x…',
      `0x…  ${'00 00 00 00 00 00 04 40'.padEnd(47)}  .......@`,
      '! 0x…: No memory of the program is at 0x….',
    ]);
    expect(listAt(structured, 'results')).toHaveLength(7);
    expect((await go('over')).stop).toMatchObject({ variables: { a: '100', b: '107' } });
    const asked = { sessionId, view: 'changes' };
    const changes = (await client.ok('debug_query', asked)).text;
    expect(changes).toMatch(/order\.total[\s\S]*12\.5 → 2\.5[\s\S]*debug_memory/);
    await go('continue', { timeoutMs: 0 });
    await outputSeen(client, sessionId, 'done 214');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.cli] the command line steps and looks by the words of debuggers', async () => {
    const { sessionId, say, end } = await started('-O0');
    const strobe = async (...args: readonly string[]): Promise<string> => {
      const ran = await runStrobe({ env: home.env, cwd: home.project }, args);
      expect(ran.stderr).toBe('');
      return ran.stdout.toString();
    };
    const own = ['--session-id', sessionId, '--take-over'];
    expect(await strobe('break', 'add', 'work', ...own)).toMatch(/b1 work\(\) bound · trap/);
    await say('a');
    expect(await strobe('await', '--timeout-ms', '20000', ...own)).toMatch(/s1 stopped · b1/);
    expect(await strobe('next', ...own)).toMatch(/s2 stopped · step[\s\S]*-> \d+ {3}int b = added/);
    expect(await strobe('where', '--session-id', sessionId)).toMatch(/s2 stopped/);
    expect(await strobe('bt', '--session-id', sessionId)).toMatch(/#0 work .*\n#1 main /);
    expect(await strobe('locals', '--session-id', sessionId)).toMatch(/local int a=0/);
    expect(await strobe('until', at22('for (int k = 0'), ...own)).toMatch(/s3 stopped/);
    expect(await strobe('finish', ...own)).toMatch(/s4 stopped[\s\S]*main\(/);
    await strobe('c', '--timeout-ms', '0', ...own);
    await strobe('break', 'remove', '--all', ...own);
    const hit = ['b', 'add', at22('int b = added'), '--condition', 'a == 2', ...own];
    expect(await strobe(...hit)).toMatch(/b2 stops\.cpp:\d+ bound/);
    await say('b');
    expect(await strobe('await', '--timeout', '20', ...own)).toMatch(/stopped · b2/);
    expect(await strobe('set', 'a', '100', ...own)).toMatch(/a: 2 → 100/);
    expect(await strobe('p', 'a + 1', '--session-id', sessionId)).toMatch(/a \+ 1 = 101/);
    expect(await strobe('frame', '1', '--session-id', sessionId)).toMatch(/order=/);
    await strobe('c', '--timeout-ms', '0', ...own);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[stop.until] a thread runs to a line, or to where its function returns', async () => {
    const { place, say, go, end } = await started('-O0');
    await place('work');
    await say('b');
    await go('wait');
    const to = await go('until', { to: at22('for (int k = 0') });
    expect(placeOf(to.stop)).toBe(at22('for (int k = 0'));
    const returned = await go('until', { to: at22('b += 100') });
    expect(placeOf(returned.stop)).toBe(at22('int sum = work'));
    await go('continue', { timeoutMs: 0 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });
});

describe('stops from the first moment', () => {
  const { home, client } = withClient();

  test('[stop.early] breakpoints of a launch stop in what runs before main, and at the start of main', async () => {
    const { sessionId, structured, text } = await launch(
      client,
      home,
      buildTarget('e2e/early.cpp', ['-O0']),
      { breakpoints: ['main', 'Early::Early', { function: 'nosuch' }] },
    );
    expect(text).toMatch(/b1 main\(\) bound · trap/);
    expect(text).toMatch(/b2 Early::Early\(\) bound · trap/);
    expect(text).toMatch(/b3 nosuch (failed|pending)/);
    expect(at(structured, 'breakpoints', 1)).toMatchObject({ id: 'b2', state: 'bound' });
    const go = async (action: string) => {
      const asked = { sessionId, action, timeoutMs: 20_000 };
      return (await client.ok('debug_continue', asked)).structured;
    };
    expect(listAt(await go('wait'), 'stops')).toMatchObject([{ id: 's1', breakpoints: ['b2'] }]);
    expect(listAt(await go('out'), 'stops')).toMatchObject([{ id: 's2', reason: 'step' }]);
    expect(listAt(await go('continue'), 'stops')).toMatchObject([
      { function: 'main', breakpoints: ['b1'] },
    ]);
    await client.ok('debug_continue', { sessionId, action: 'continue', timeoutMs: 0 });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 42 });
    const asked = {
      command: buildTarget('e2e/early.cpp', ['-O0']),
      projectRoot: home.project,
      breakpoints: [{ function: 'main', condition: 'a +' }],
    };
    const refused = await client.refused('debug_launch', asked);
    expect(at(refused.structured, 'error', 'code')).toBe('BAD_EXPRESSION');
  });
});

describe('stops and who holds them', () => {
  test('[stop.owner] a client that goes, and a daemon that is killed, leave no thread stopped and no breakpoint in the program', async () => {
    const home = testHome();
    const [owner, other] = await Promise.all([startClient(home), startClient(home)]);
    const program = buildTarget(source, ['-O0', '-pthread']);
    const { sessionId, structured } = await launch(other, home, program, { stdin: 'open' });
    const pid = numberAt(structured, 'pid');
    await outputSeen(other, sessionId, 'ready');
    const hold = async (client: TestClient): Promise<void> => {
      const takeOver = { sessionId, takeOver: true };
      await client.ok('debug_breakpoint', { ...takeOver, add: ['work'] });
      await other.ok('debug_session', { action: 'input', sessionId, text: 'a\n' });
      await client.ok('debug_continue', { sessionId, action: 'wait', timeoutMs: 20_000 });
      expect(statFields(pid)?.[0]).toBe('t');
    };
    const runsOn = (): boolean => /^[RS]$/.test(statFields(pid)?.[0] ?? '');
    await hold(owner);
    await owner.close();
    await until('the thread runs on', runsOn);
    await outputSeen(other, sessionId, 'done');
    const { text } = await other.ok('debug_breakpoint', { sessionId });
    expect(text).toMatch(/There are no breakpoints/);
    const more = [
      { function: 'work', condition: 'i == 99' },
      { function: 'nowhere' },
      { function: 'work', log: '{i}', condition: 'i < 0' },
    ];
    await other.ok('debug_breakpoint', { sessionId, takeOver: true, add: more });
    await hold(other);
    await killDaemon(home);
    await until('the thread runs on', runsOn);
    await until('there is another daemon', () => partsOf(home, 'daemon').length === 1);
    const heads = async (): Promise<string[]> => {
      const { text: listing } = await other.ok('debug_breakpoint', { sessionId });
      return listing.split('\n').filter((row) => /^b\d/.test(row));
    };
    const [stopping = '', nowhere, recording, held] = await heads();
    expect(stopping).toMatch(/^b2 work\(\) off · if i == 99/);
    expect(nowhere).toMatch(/^b3 nowhere\(\)? off/);
    expect(recording).toMatch(/^b4 work\(\) (?:pending|bound).* · if i < 0/);
    expect(held).toMatch(/^b5 work\(\) off/);
    const { text: told } = await other.ok('debug_session', { action: 'status', sessionId });
    expect(told).toMatch(/switched off what stops them: b2 work\(\), b3 nowhere\(\), b5 work\(\)/);
    await vi.waitUntil(async () => / bound /.test((await heads())[2] ?? ''), 20_000);
    const change = [{ id: 'b5', enabled: true }];
    await other.ok('debug_breakpoint', { sessionId, takeOver: true, change });
    await other.ok('debug_session', { action: 'input', sessionId, text: 'a\n' });
    const stop = await other.ok('debug_continue', { sessionId, action: 'wait', timeoutMs: 20_000 });
    expect(stop.text).toMatch(/^s\d+ stopped · b5 /);
    await other.ok('debug_breakpoint', { sessionId, takeOver: true, remove: ['all'] });
    await other.ok('debug_continue', { sessionId, action: 'continue' });
    await other.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    expect(await exitOf(other, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });
});
