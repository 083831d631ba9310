import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { callsOf, expectReconciled, linesOf, type SeenCall } from '../support/calls.ts';
import { until } from '../support/processes.ts';
import { at, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, ringsLeft, runToEnd } from '../support/runs.ts';
import { Running } from '../support/running.ts';
import { runProgram } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

describe('processes made by fork alone', () => {
  const { home, client } = withClient();
  const program = buildTarget('e2e/forks.c', ['-O2', '-pthread']);

  /** Runs the program traced and untraced, which must do the same; answers the calls by process. */
  async function alike(
    way: string,
    times: number,
    query: Readonly<Record<string, unknown>> = {},
  ): Promise<SeenCall[][]> {
    const args = [way, String(times)];
    const plain = await runProgram({ env: home.env, cwd: home.project }, [program, ...args]);
    const traced = await runToEnd(client, home, program, {
      args,
      patterns: ['work', 'step', 'serve', 'by_*', 'forks'],
    });
    const lines = (await linesOf(client, traced.sessionId)).map((line) => line.text);
    expect(lines).toEqual(plain.stdout.toString().trimEnd().split('\n'));
    expect(traced.exit).toEqual({ kind: 'exited', code: plain.code });
    const calls = await callsOf(client, traced.sessionId, query);
    const answer = await client.ok('debug_query', { view: 'stats', sessionId: traced.sessionId });
    const counters = at(answer.structured, 'counters');
    // A loop that calls without end may overrun its ring; in a sandbox, with no file allowed, or before its parent, there is none.
    if (!['handler', 'sandbox', 'limits', 'before'].includes(way))
      expect(counters).toMatchObject({ lost: 0 });
    expectReconciled(counters);
    expect(ringsLeft(traced.sessionId)).toEqual([]);
    const byPid = new Map<number, SeenCall[]>();
    for (const call of calls) byPid.set(call.pid, [...(byPid.get(call.pid) ?? []), call]);
    return [...byPid.values()];
  }

  /** Waits until so many functions are hooked. */
  async function hooksInPlace(sessionId: string, wanted: number): Promise<void> {
    for (let round = 0; round < 500; round++) {
      const status = await client.ok('debug_session', { action: 'status', sessionId });
      if (numberAt(status.structured, 'hooks', 'hookedFunctions') === wanted) return;
    }
    throw new Error(`${wanted} functions were never hooked`);
  }

  const told = (calls: readonly SeenCall[]) =>
    calls.map(
      (call) =>
        `${call.function}(${call.arguments['a'] === undefined ? '' : JSON.stringify(call.arguments['a'])}) ${call.end}`,
    );
  const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1));
  const ownWork = (a: number) => [`work(${a}) returned`, `step(${a}) returned`];

  test('[trace.fork] each child has its calls under its own pid, and the parent has none of them', async () => {
    const [parent, ...children] = await alike('fork', 5);
    expect(parent?.filter((call) => call.function === 'work')).toHaveLength(1);
    expect(children.map(told)).toEqual([0, 1, 2, 3, 4].map(ownWork));
  });

  test('[trace.fork] a call that began before the fork is the parent’s alone', async () => {
    const [parent, child, ...more] = await alike('return', 1);
    expect(more).toEqual([]);
    expect(child && told(child)).toEqual(ownWork(0));
    expect(parent?.filter((call) => call.function === 'forks')).toMatchObject([
      { end: 'returned' },
    ]);
  });

  test('[trace.fork] a child of a child', async () => {
    const [, ...children] = await alike('double', 2);
    expect(children).toHaveLength(4);
    expect(sorted(children.map((calls) => told(calls).join()))).toEqual(
      sorted([
        [...ownWork(50), 'by_fork() returned', 'step(0) returned'].join(),
        ownWork(0).join(),
        [...ownWork(50), 'by_fork() returned', 'step(0) returned'].join(),
        ownWork(1).join(),
      ]),
    );
  });

  test('[trace.fork] a raw clone', async () => {
    const [, ...children] = await alike('clone', 3);
    expect(children.map(told)).toEqual([0, 1, 2].map(ownWork));
  });

  test('[trace.fork] vfork shares the parent’s memory, and what it calls is in the parent’s thread', async () => {
    const [parent, ...children] = await alike('vfork', 3);
    expect(children).toEqual([]);
    expect(parent?.filter((call) => call.function === 'work')).toHaveLength(1 + 2 * 3);
  });

  test('[trace.fork] a child’s calls are its own, also when a child of it by vfork was before it', async () => {
    const [, ...children] = await alike('before', 3);
    expect(children.map(told)).toEqual([0, 1, 2].map(ownWork));
  });

  test('[trace.fork] fork in threads, and threads in children', async () => {
    const [, ...forked] = await alike('thread', 2);
    expect(sorted(forked.map((calls) => told(calls).join()))).toEqual(
      sorted([0, 1, 2, 1, 2, 3].map((i) => ownWork(i).join())),
    );
    const [, ...threaded] = await alike('threaded', 3);
    expect(threaded.map((calls) => sorted(told(calls)))).toEqual(
      [0, 1, 2].map((i) => sorted([...ownWork(i), 'step(0) returned'])),
    );
  });

  test('[trace.fork] a signal handler that forks while traced functions run', async () => {
    const processes = await alike('handler', 6, { function: { equals: 'work' } });
    // The parent's only call of it may be overwritten.
    const children = processes.filter((calls) => calls[0]?.arguments['a'] !== 0);
    expect(children.map((calls) => calls.map((call) => call.arguments['a']))).toEqual(
      Array.from({ length: 1 + 2 + 3 + 4 + 5 + 6 }, () => [3]),
    );
  });

  test('[trace.fork] a server’s workers', async () => {
    const [, ...workers] = await alike('prefork', 1);
    expect(workers.flat().filter((call) => call.function === 'serve')).toHaveLength(20);
  });

  test('[trace.fork] a child that forbids itself system calls records no more, which is counted', async () => {
    const [, ...children] = await alike('sandbox', 4);
    expect(children.map(told)).toEqual([ownWork(1), ownWork(1)]);
  });

  test('[trace.fork] a hook removed later is off in a child; one added later is not there, and the answer says so', async () => {
    const workers = buildTarget('e2e/workers.c', ['-O2']);
    const { sessionId } = await launch(client, home, workers, {
      stdin: 'open',
      patterns: ['first'],
    });
    const say = async (text: string, answer: string): Promise<void> => {
      await client.ok('debug_session', { action: 'input', sessionId, text });
      await outputSeen(client, sessionId, answer);
    };
    await say('fork\n', 'worker 1');
    await say('10\n', 'served 25');
    const change = await client.ok('debug_trace', { sessionId, add: ['second'] });
    expect(change.text).toMatch(/1 forked process keeps the hooks of the fork \(pid \d+\)/);
    await say('20\n', 'served 45');
    await client.ok('debug_trace', { sessionId, remove: ['first'] });
    await say('30\n', 'served 65');
    await client.ok('debug_trace', { sessionId, add: ['first'] });
    await say('40\n', 'served 85');
    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 4 });
    const calls = await callsOf(client, sessionId);
    const child = calls.find((call) => call.arguments['a'] === 0)?.pid;
    const seen = calls.map((call) => [
      call.pid === child ? 'child' : 'parent',
      `${call.function}(${JSON.stringify(call.arguments['a'])})`,
    ]);
    expect(seen.filter(([who]) => who === 'child').map(([, call]) => call)).toEqual([
      'first(0)',
      'first(11)',
      'first(21)',
      'first(41)',
    ]);
    expect(seen.filter(([who]) => who === 'parent').map(([, call]) => call)).toEqual([
      'first(10)',
      'first(20)',
      'first(40)',
    ]);
  });

  test('[trace.fork] a child runs on as untraced when the session lets go of its parent', async () => {
    const counted = join(home.project, 'counted');
    const { sessionId } = await launch(client, home, buildTarget('e2e/beats.c', ['-O2']), {
      args: [counted],
      patterns: ['beat'],
    });
    await outputSeen(client, sessionId, 'beating');
    const calls = await callsOf(client, sessionId, { limit: 100 });
    expect(new Set(calls.map((call) => call.pid)).size).toBe(2);
    await client.ok('debug_session', { action: 'detach', sessionId });
    expect(ringsLeft(sessionId)).toEqual([]);
    const before = Number(readFileSync(counted, 'utf8'));
    await until('the child has gone on', () => Number(readFileSync(counted, 'utf8')) > before + 50);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[trace.fork] a library in the processes of a Python pool', async () => {
    const library = buildTarget('e2e/geometry.c', ['-shared', '-fPIC'], 'libgeometry.so');
    const { sessionId } = await launch(client, home, realPython(), {
      args: [targetSource('e2e/pool.py'), library],
      stdin: 'open',
      patterns: [{ pattern: 'geometry_area', module: 'libgeometry*' }],
    });
    await outputSeen(client, sessionId, 'ready');
    await hooksInPlace(sessionId, 1);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'go\n', eof: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const lines = (await linesOf(client, sessionId)).map((line) => line.text);
    expect(lines).toEqual(['ready', '3540.0']);
    const calls = await callsOf(client, sessionId);
    expect(calls.map((call) => Number(call.returns)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, side) => side * 2),
    );
  });

  test('[trace.fork] children whose limits allow no ring run on, and their calls are counted as lost', async () => {
    const [, ...children] = await alike('limits', 4);
    expect(children).toEqual([]);
    const { sessionId } = await runToEnd(client, home, program, {
      args: ['limits', '1'],
      patterns: ['work', 'step'],
    });
    const { text } = await client.ok('debug_query', { view: 'events', sessionId });
    expect(text).toContain('LOST 4 (4: a forked process could have no ring');
  });

  test('[trace.fork] two hundred children at the same time', async () => {
    const [, ...children] = await alike('crowd', 1);
    expect(children).toHaveLength(200);
    expect(children.every((calls) => calls.length === 2)).toBe(true);
  });

  test('[trace.fork] what a child has not returned from when it ends, or becomes another program, does not run on', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/leaves.c'), {
      patterns: ['leave', 'become', 'waits'],
      stdin: 'open',
    });
    await outputSeen(client, sessionId, 'waiting');
    // It calls that after it has said so.
    await client.ok('debug_session', { action: 'wait', sessionId, for: ['event'], match: 'waits' });
    for (const view of ['events', 'tree']) {
      const { text } = await client.ok('debug_query', { view, sessionId });
      expect(text).toMatch(/leave\(.*\) … never returned {2}\d/);
      expect(text).toMatch(/become\(.*\) … never returned {2}\d/);
      expect(text).toMatch(/waits\(\) … still running/);
    }
    await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
  });

  test('[trace.fork] a child that dies is explained, by its own file', async () => {
    await alike('crash', 2);
    const { sessionId } = await runToEnd(client, home, program, {
      args: ['crash', '1'],
      patterns: ['work', 'dies'],
    });
    const { text, structured } = await client.ok('debug_query', { view: 'crash', sessionId });
    expect(at(structured, 'crashed')).toBe(true);
    expect(text).toContain('dies');
  });

  test('[trace.fork] of 100 children that live at once all rings together stay small, and none is left behind', async () => {
    const children = 100;
    const alive = buildTarget('e2e/alive.c');
    const options = { args: [String(children)], patterns: ['work'], stdin: 'open' };
    const { sessionId } = await launch(client, home, alive, options);
    await outputSeen(client, sessionId, `all ${children} called`);
    const folder = `/dev/shm/strobe-${process.getuid?.() ?? 0}/${sessionId}`;
    const files = ringsLeft(sessionId).flatMap(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false }) ?? [],
    );
    // Each process has a ring of its own; of its size only what was written to takes memory.
    expect(files.length).toBeGreaterThanOrEqual(children);
    expect(files.reduce((sum, { blocks }) => sum + blocks * 512, 0)).toBeLessThan(64 << 20);
    await client.ok('debug_session', { action: 'input', sessionId, text: '\n' });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const sum = Array.from({ length: children }, (_unused, i) => (i % 100) + 1);
    const [, line] = await linesOf(client, sessionId);
    expect(line?.text).toBe(`sum ${sum.reduce((all, one) => all + one, 0)}`);
    const calls = await callsOf(client, sessionId);
    expect(new Set(calls.map(({ pid }) => pid)).size).toBe(children);
    expect(ringsLeft(sessionId)).toEqual([]);
  });

  test('[trace.fork] 500 children, each seen, and no ring left behind', async () => {
    const [, ...children] = await alike('fork', 500);
    expect(children).toHaveLength(500);
    expect(children.every((calls) => calls.length === 2)).toBe(true);
  });

  test.each(['launched', 'attached to'])(
    '[trace.forked-locks] children that load libraries and set signals end, of a program that is %s',
    async (how) => {
      const forker = buildTarget('e2e/forkedLocks.c', ['-pthread']);
      const wanted = 'ready\ndone\n';
      if (how === 'launched') {
        const stdin = { text: '300\n' };
        const { sessionId } = await runToEnd(client, home, forker, { stdin, patterns: ['step'] });
        const lines = await linesOf(client, sessionId);
        expect(lines.map((line) => `${line.text}\n`).join('')).toBe(wanted);
        return;
      }
      await using running = await Running.start(forker, [], 'ready');
      const { structured } = await client.ok('debug_launch', { pid: running.pid });
      running.write('300\n');
      await until('all are forked', () => running.stdout.includes('done'), 100_000);
      expect(running.stdout).toBe(wanted);
      const sessionId = textAt(structured, 'sessionId');
      await client.ok('debug_session', { action: 'detach', sessionId });
    },
  );
});

/** The interpreter itself, where `python3` is a script that chooses one. */
function realPython(): string {
  return execFileSync('python3', ['-c', 'import sys; print(sys.executable)']).toString().trim();
}
