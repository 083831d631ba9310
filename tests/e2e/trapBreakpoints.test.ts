import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { spawnSync } from 'node:child_process';
import { descendantsOf, tracersOf } from '../../src/base/proc.ts';
import { breakpointProgram } from '../support/breakpointProgram.ts';
import { killDaemon, partsOf } from '../support/parts.ts';
import { isAlive, until } from '../support/processes.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, outputSeen, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

/** The program's code as it is in memory. */
function codeOf(pid: number): Buffer {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n');
  const [, start = '0', end = '0'] =
    maps.map((row) => /^(\w+)-(\w+) r-xp .*\/noPlace/.exec(row)).find((row) => row !== null) ?? [];
  const bytes = Buffer.alloc(Number.parseInt(end, 16) - Number.parseInt(start, 16));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  readSync(memory, bytes, 0, bytes.length, Number.parseInt(start, 16));
  closeSync(memory);
  expect(bytes.length).toBeGreaterThan(0);
  return bytes;
}

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('breakpoints without place for a jump', () => {
  const { home, client } = withClient();
  const source = 'e2e/noPlace.c';
  const lines = readFileSync(targetSource(source), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes('/* no place */')) + 1;
  const where = { file: 'noPlace.c', line };
  const started = async () =>
    breakpointProgram(client, home, buildTarget(source, ['-O0', '-pthread']));
  const withChildren = 'e2e/noPlaceChildren.c';
  const inChildren = {
    file: 'noPlaceChildren.c',
    line:
      readFileSync(targetSource(withChildren), 'utf8')
        .split('\n')
        .findIndex((one) => one.includes('/* no place */')) + 1,
  };

  /** With a child that reads what comes. */
  async function startedWithChild() {
    const parent = await breakpointProgram(
      client,
      home,
      buildTarget(withChildren, ['-O0', '-pthread']),
    );
    const { sessionId } = parent;
    const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
    const pid = numberAt(structured, 'session', 'pid');
    await parent.place({ ...inChildren, log: '{i}' });
    const children = (): number[] => descendantsOf(pid, 10).map((one) => one.pid);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'k\n' });
    await until('there is a child', () => children().length === 1);
    const [child = 0] = children();
    await parent.say('p2');
    const hitsNow = async (): Promise<number> => {
      const now = await client.ok('debug_breakpoint', { sessionId });
      return numberAt(now.structured, 'breakpoints', 0, 'hits');
    };
    return { ...parent, pid, child, hitsNow };
  }

  test('[break.trap] a statement without place for a jump is recorded by a trap, with its values, and says what a hit costs', async () => {
    const { place, say, end, hits, sessionId } = await started();
    const { structured, text } = await place({ ...where, condition: 'i % 2 == 1', log: '{sum}' });
    expect(text).toMatch(/b1 noPlace\.c:\d+ bound · trap, 15 to 45 µs a hit/);
    expect(at(structured, 'breakpoints', 0)).toMatchObject({ state: 'bound', means: 'trap' });
    await say('n6');
    expect((await hits()).map((hit) => textAt(hit, 'message'))).toEqual(['1', '6', '15']);
    const counts = await client.ok('debug_breakpoint', { sessionId });
    const [one] = listAt(counts.structured, 'breakpoints');
    expect([numberAt(one, 'hits'), numberAt(one, 'met')]).toEqual([6, 3]);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test("[break.trap] threads that meet it at once are all recorded, in a forked child as well, and the output is the program's own", async () => {
    const { place, say, end, sessionId } = await started();
    await place({ ...where, log: '{i}' });
    await say('t200');
    await say('f5');
    await say('n3');
    const counts = await client.ok('debug_breakpoint', { sessionId });
    expect(numberAt(counts.structured, 'breakpoints', 0, 'hits')).toBe(413);
    const { structured } = await client.ok('debug_query', { view: 'output', sessionId });
    const said = listAt(structured, 'lines').map((one) => textAt(one, 'text'));
    expect(said).toEqual(['ready', '19900 19900', '0 done', '10 2560', '0 done', '3', '0 done']);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] children of every kind are recorded up to their exec, and end as they do untraced', async () => {
    const program = buildTarget(withChildren, ['-O0', '-pthread']);
    const { place, say, end, sessionId } = await breakpointProgram(client, home, program);
    await place({ ...inChildren, log: '{i}' });
    const asked = 'pfgtbevscdmnwu'.split('').map((kind) => `${kind}3`);
    for (const text of asked) await say(text);
    const counts = await client.ok('debug_breakpoint', { sessionId });
    // Twice in families, in those with threads and where a child executes the program; not where no tracer may be.
    const ofChildren = 3 * (asked.length - 1 + 3 - 1);
    expect(numberAt(counts.structured, 'breakpoints', 0, 'hits')).toBe(
      3 * asked.length + ofChildren,
    );
    const { structured } = await client.ok('debug_query', { view: 'output', sessionId });
    const said = listAt(structured, 'lines').map((one) => textAt(one, 'text'));
    const untraced = spawnSync(program, { input: `${asked.join('\n')}\n`, encoding: 'utf8' });
    expect(said).toEqual(untraced.stdout.trimEnd().split('\n'));
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] executed programs are recorded, and the main one when it executes another', async () => {
    const program = buildTarget(withChildren, ['-O0', '-pthread']);
    const { sessionId, exit } = await runToEnd(client, home, '/bin/sh', {
      args: ['-c', `${program} 3; ${program} 4; exec ${program} 5`],
      projectRoot: dirname(program),
      breakpoints: [{ ...inChildren, log: '{i}' }],
    });
    expect(exit).toEqual({ kind: 'exited', code: 10 });
    const { structured, text } = await client.ok('debug_breakpoint', { sessionId });
    expect(text).toContain('trap');
    expect(numberAt(structured, 'breakpoints', 0, 'hits')).toBe(3 + 4 + 5);
  });

  test('[break.trap] a child that is forked in the first moments does not wait for a stopper', async () => {
    const { exit, text } = await runToEnd(
      client,
      home,
      buildTarget(withChildren, ['-O0', '-pthread']),
      {
        stdin: { text: 'f3\ne3\nf3\nx\n' },
        breakpoints: [{ ...inChildren, log: '{i}' }],
        waitFor: 'exit',
        waitMs: 15_000,
      },
    );
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    expect(text).not.toContain('Timed out');
  });

  test('[break.trap] a removed one is taken out of forked children', async () => {
    const { pid, child, sessionId, say, end, hitsNow } = await startedWithChild();
    expect(await hitsNow()).toBe(2);
    expect(codeOf(child).equals(codeOf(pid))).toBe(true);
    await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
    expect(codeOf(child).equals(codeOf(pid))).toBe(true);
    await vi.waitFor(() => expect(tracersOf(child)).toEqual([]), { timeout: 30_000 });
    await say('p2');
    await client.ok('debug_session', { action: 'input', sessionId, text: 'x\n' });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] a forked child survives a stopper that is killed', async () => {
    const { child, sessionId, say, end, hitsNow } = await startedWithChild();
    const [stopper = 0] = tracersOf(child);
    expect(partsOf(home, 'stopper')).toContain(stopper);
    process.kill(stopper, 'SIGKILL');
    await until('it is gone', () => !isAlive(stopper));
    expect(tracersOf(child)).toEqual([]);
    await say('p3');
    expect(await hitsNow()).toBe(2);
    const { text } = await client.ok('debug_session', { action: 'status', sessionId });
    expect(text).toMatch(/children that were forked before have none any more/);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'x\n' });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] it may be taken away and set again, beside one that stops there; each sees every hit', async () => {
    const { place, say, end, hits, sessionId } = await started();
    await place({ ...where, log: 'first' });
    await say('n2');
    await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
    await say('n2');
    const both = await place({ ...where, log: 'again' }, { ...where, condition: 'i == 1' });
    const ways = listAt(both.structured, 'breakpoints').map((one) => textAt(one, 'means'));
    expect(ways).toEqual(['trap', 'trap']);
    const answered = say('n3');
    const stop = await client.ok('debug_continue', {
      sessionId,
      action: 'wait',
      timeoutMs: 40_000,
    });
    expect(stop.text).toMatch(/noPlace\.c:\d+ turns/);
    await client.ok('debug_continue', { sessionId, action: 'continue' });
    await answered;
    await client.ok('debug_breakpoint', { sessionId, remove: ['b3'] });
    await say('n1');
    const messages = (await hits()).map((hit) => textAt(hit, 'message'));
    expect(messages).toEqual(['first', 'first', 'again', 'again', 'again', 'again']);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] several at one statement, a line trace and a hook of its function see every hit, and each may go first', async () => {
    const { place, say, end, sessionId } = await started();
    const hitsNow = async (): Promise<number[]> => {
      const { structured } = await client.ok('debug_breakpoint', { sessionId });
      const all = listAt(structured, 'breakpoints').filter((one) => at(one, 'id') !== 'p1');
      return all.map((one) => numberAt(one, 'hits'));
    };
    await place({ ...where, log: 'one' }, { ...where, log: 'two', condition: 'i == 0' });
    const traced = await client.ok('debug_trace', {
      sessionId,
      add: [{ pattern: 'turns', lines: true }],
    });
    expect(traced.text).toMatch(
      /A jump has no room at 1 of its \d+ places: a trap .* It costs 15 to 45 µs a hit/,
    );
    await say('n3');
    const { text } = await client.ok('debug_query', { sessionId, view: 'tree', lines: true });
    expect(text).toMatch(/turns\(.*\) = 3/);
    expect(text).toContain('/* no place */');
    expect(await hitsNow()).toEqual(expect.arrayContaining([3, 3]));
    await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
    await say('n2');
    expect(await hitsNow()).toContain(5);
    await client.ok('debug_trace', { sessionId, remove: ['turns'] });
    await say('n2');
    expect(await hitsNow()).toContain(7);
    await client.ok('debug_breakpoint', { sessionId, remove: ['b2'] });
    await say('n2');
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] nothing is left in the code when it is removed, and a restarted program has it again', async () => {
    const { place, say, sessionId } = await started();
    const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
    const pid = numberAt(structured, 'session', 'pid');
    const before = codeOf(pid);
    await place({ ...where, log: '{i}' });
    expect(codeOf(pid).equals(before)).toBe(false);
    await say('n2');
    await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
    expect(codeOf(pid).equals(before)).toBe(true);
    await place({ ...where, log: '{i}' });
    const again = await client.ok('debug_session', { action: 'restart', sessionId });
    const restarted = textAt(again.structured, 'sessionId');
    const { cursor } = await outputSeen(client, restarted, 'ready');
    await client.ok('debug_session', { action: 'input', sessionId: restarted, text: 'n3\n' });
    await outputSeen(client, restarted, 'done', cursor);
    const { structured: now } = await client.ok('debug_breakpoint', { sessionId: restarted });
    expect(at(now, 'breakpoints', 0)).toMatchObject({ means: 'trap', hits: 3 });
    await client.ok('debug_session', {
      action: 'input',
      sessionId: restarted,
      text: '',
      eof: true,
    });
    expect(await exitOf(client, restarted)).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] a stopper that is killed harms no program, and traps are set again; a detached program has none', async () => {
    const { place, say, sessionId } = await started();
    const { structured } = await client.ok('debug_session', { action: 'status', sessionId });
    const pid = numberAt(structured, 'session', 'pid');
    const before = codeOf(pid);
    await place({ ...where, log: '{i}' });
    const [stopper = 0] = tracersOf(pid);
    expect(partsOf(home, 'stopper')).toContain(stopper);
    process.kill(stopper, 'SIGKILL');
    await until('it is gone', () => !isAlive(stopper));
    const isPlaced = (): boolean => partsOf(home, 'stopper').includes(tracersOf(pid)[0] ?? 0);
    await until('another has come in', isPlaced);
    await client.ok('debug_breakpoint', { sessionId, change: [{ id: 'b1', enabled: true }] });
    await say('n3');
    const now = await client.ok('debug_breakpoint', { sessionId });
    expect(at(now.structured, 'breakpoints', 0)).toMatchObject({ means: 'trap', hits: 3 });
    await client.ok('debug_session', { action: 'detach', sessionId });
    expect(codeOf(pid).equals(before)).toBe(true);
    expect(tracersOf(pid)).toEqual([]);
    process.kill(pid, 'SIGKILL');
  });

  test('[break.trap] a daemon that is killed leaves no trap, and the next one sets them again', async () => {
    const { place, say, end, sessionId } = await started();
    await place({ ...where, log: '{i}' });
    await killDaemon(home);
    await vi.waitFor(
      async () => {
        const { structured } = await client.ok('debug_breakpoint', { sessionId });
        expect(at(structured, 'breakpoints', 0)).toMatchObject({ state: 'bound', means: 'trap' });
      },
      { timeout: 30_000 },
    );
    await say('n3');
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 3 });
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] a thread that blocks SIGTRAP later is recorded and blocks it afterwards', async () => {
    const { place, say, end, hits, sessionId } = await started();
    await place({ ...where, log: '{i}' });
    await say('b');
    await say('n3');
    expect(await hits()).toHaveLength(3);
    const { structured } = await client.ok('debug_query', { view: 'output', sessionId });
    const said = listAt(structured, 'lines').map((one) => textAt(one, 'text'));
    expect(said).toEqual(['ready', '1 done', '3', '1 done']);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[break.trap] where a thread blocks SIGTRAP there is none, and it says so', async () => {
    const { place, say, end, hits } = await started();
    await say('b');
    const { text } = await place({ ...where, log: '{i}' });
    expect(text).toMatch(
      /b1 noPlace\.c:\d+ failed: No jump has room there, and no trap can be: Thread \d+ blocks SIGTRAP/,
    );
    await say('n3');
    expect(await hits()).toHaveLength(0);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });
});
