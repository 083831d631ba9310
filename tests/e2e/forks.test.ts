import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callsOf, linesOf, type SeenCall } from '../support/calls.ts';
import { startClient, type TestClient } from '../support/client.ts';
import { at } from '../support/read.ts';
import { openHome, type TestHome } from '../support/home.ts';
import { runToEnd } from '../support/runs.ts';
import { runProgram } from '../support/strobe.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

describe('processes made by fork alone', () => {
  let home: TestHome;
  let client: TestClient;
  let program: string;
  beforeAll(async () => {
    home = openHome();
    client = await startClient(home);
    program = buildTarget('e2e/forks.c', ['-O2', '-pthread']);
  });
  afterAll(async () => {
    await client.close();
    await home.close();
  });

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
    // A loop that calls without end may overrun its ring; in a sandbox no ring can be made.
    if (!['handler', 'sandbox'].includes(way)) expect(counters).toMatchObject({ lost: 0 });
    expect(at(counters, 'seen')).toBe(
      Number(at(counters, 'stored')) + Number(at(counters, 'lost')),
    );
    expect(ringsLeft(traced.sessionId)).toEqual([]);
    const byPid = new Map<number, SeenCall[]>();
    for (const call of calls) byPid.set(call.pid, [...(byPid.get(call.pid) ?? []), call]);
    return [...byPid.values()];
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

  test('[trace.fork] 500 children, each seen, and no ring left behind', async () => {
    const [, ...children] = await alike('fork', 500);
    expect(children).toHaveLength(500);
    expect(children.every((calls) => calls.length === 2)).toBe(true);
  });
});

function ringsLeft(sessionId: string): string[] {
  const folder = `/dev/shm/strobe-${process.getuid?.() ?? 0}/${sessionId}`;
  return existsSync(folder) ? readdirSync(folder) : [];
}
