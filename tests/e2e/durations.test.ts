import { describe, expect, test } from 'vitest';
import { callsOf, expectReconciled } from '../support/calls.ts';
import { at, listAt, numberAt } from '../support/read.ts';
import { exitOf, launch, outputSeen, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

const millisecond = 1_000_000;

describe('calls that are recorded by how long they take, and how deep they lie', () => {
  const { home, client } = withClient();

  async function ran(
    patterns: readonly Readonly<Record<string, unknown>>[],
    how = 'return',
    calls: Readonly<Record<string, unknown>> = {},
  ) {
    const program = buildTarget('e2e/durations.cpp');
    const { sessionId, exit } = await runToEnd(client, home, program, { patterns, args: [how] });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expectReconciled(at(stats.structured, 'counters'));
    const counts = new Map<unknown, number>();
    for (const row of listAt(stats.structured, 'rows'))
      counts.set(at(row, 'function'), numberAt(row, 'count'));
    return { sessionId, exit, counts, calls: await callsOf(client, sessionId, calls) };
  }

  test('[trace.min-duration] only calls that take so long are recorded, with their values; all are counted', async () => {
    const { counts, calls } = await ran([
      { pattern: 'works::wait_us', minDurationNs: 4 * millisecond },
      { pattern: 'works::half', minDurationNs: 4 * millisecond },
    ]);
    expect(counts.get('works::wait_us')).toBe(2000 + 100 + 3);
    expect(counts.get('works::half')).toBe(100);
    const long = calls.filter(({ arguments: given }) => given['microseconds'] === 5000);
    expect(long.length).toBe(4 + 2 + 1);
    // A machine under load makes others long, too.
    for (const call of calls) expect(call.durationNs).toBeGreaterThanOrEqual(4 * millisecond);
    const [half] = calls.filter((call) => call.function === 'works::half');
    expect(half?.arguments).toMatchObject({ name: 'name of it', of: 50 });
    expect(half?.returns).toBe(25);
    const inside = calls.filter((call) => call.parent === half?.id);
    expect(inside.map((call) => call.function)).toEqual(['works::wait_us']);
  });

  test('[trace.min-duration] a short call that has recorded calls inside is recorded with them', async () => {
    const { counts, calls } = await ran([
      { pattern: 'works::around', minDurationNs: 3600 * 1000 * millisecond },
      { pattern: 'works::leaf' },
    ]);
    expect(counts.get('works::around')).toBe(100);
    const around = calls.filter((call) => call.function === 'works::around');
    const tens = Array.from({ length: 10 }, (_, i) => i * 10);
    expect(around.map((call) => call.arguments['number'])).toEqual(tens);
    const leaves = calls.filter((call) => call.function === 'works::leaf');
    expect(leaves.map((call) => call.parent)).toEqual(around.map((call) => call.id));
    expect(around.map((call) => call.returns)).toEqual(tens);
  });

  test('[trace.min-duration] calls that are left by exceptions and jumps, or never', async () => {
    const hour = 3600 * 1000 * millisecond;
    const short = [{ pattern: 'works::throws', minDurationNs: 4 * millisecond }];
    const thrown = await ran(short);
    expect(thrown.counts.get('works::throws')).toBe(3);
    expect(thrown.calls.length).toBeGreaterThanOrEqual(1);
    for (const call of thrown.calls) expect(call.durationNs).toBeGreaterThan(4 * millisecond);
    const jumped = await ran([{ pattern: 'works::jumps', minDurationNs: hour }]);
    expect(jumped.calls.length).toBe(5);
    for (const how of ['exit', 'crash']) {
      const ended = await ran([{ pattern: 'works::leaves', minDurationNs: hour }], how);
      expect(ended.calls.map((call) => [call.function, call.durationNs])).toEqual([
        ['works::leaves', null],
      ]);
      expect(ended.exit).toMatchObject(how === 'exit' ? { code: 3 } : { signal: 'SIGSEGV' });
    }
  });

  test('[trace.min-duration] a call that lasts on is shown as open once it has lasted long enough, and once in all', async () => {
    const minDurationNs = 4 * millisecond;
    const { sessionId } = await launch(client, home, buildTarget('e2e/durations.cpp'), {
      patterns: ['works::leaves', 'works::hangs'].map((pattern) => ({ pattern, minDurationNs })),
      args: ['hang'],
      stdin: 'open',
    });
    await outputSeen(client, sessionId, 'hangs');
    let open = await callsOf(client, sessionId);
    for (let asked = 0; open.length < 4 && asked < 400; asked++)
      open = await callsOf(client, sessionId);
    const names = ['works::leaves', 'works::hangs', 'works::hangs', 'works::hangs'];
    expect(open.map((call) => [call.function, call.durationNs])).toEqual(
      names.map((name) => [name, null]),
    );
    expect(open.map((call) => call.arguments['level'])).toEqual([undefined, 2, 1, 0]);
    const tree = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(tree.text).toMatch(
      /works::leaves\(how="hang"\) … still running[\s\S]*works::hangs\(level=0..2\) … still running ×3/,
    );
    await client.ok('debug_session', { action: 'input', sessionId, text: 'x' });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const ended = await callsOf(client, sessionId);
    expect(ended.map((call) => [call.function, call.id])).toEqual(
      open.map((call) => [call.function, call.id]),
    );
    for (const call of ended) expect(call.durationNs).toBeGreaterThan(minDurationNs);
    expect(ended.map((call) => call.returns).slice(1)).toEqual([42, 41, 40]);
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    expectReconciled(at(stats.structured, 'counters'));
    const row = listAt(stats.structured, 'rows').find(
      (one) => at(one, 'function') === 'works::hangs',
    );
    expect(row).toMatchObject({ count: 3 });
  });

  const crowd = [{ pattern: 'crowd_*', minDurationNs: 3600 * 1000 * millisecond }];

  test('[trace.min-duration] it holds for a thousand functions and more', async () => {
    const program = buildTarget('e2e/manyFunctions.c');
    const { sessionId } = await runToEnd(client, home, program, { patterns: crowd });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    const counters = at(stats.structured, 'counters');
    expectReconciled(counters);
    expect(counters).toMatchObject({ stored: 0, sampled: 2 * 1100 });
  });

  test('[trace.min-duration] more functions than can be counted are told, and recorded whole', async () => {
    // What may write small files only has rings that are smaller still.
    const args = ['--fsize=300000', buildTarget('e2e/manyFunctions.c')];
    const { sessionId } = await runToEnd(client, home, 'prlimit', { args, patterns: crowd });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    const refused = /(\d+) functions: .* all calls are recorded, because .* no room to count/.exec(
      stats.text,
    );
    const counters = at(stats.structured, 'counters');
    expectReconciled(counters);
    const unfiltered = Number(refused?.[1]);
    expect(unfiltered).toBeGreaterThan(0);
    expect(numberAt(counters, 'stored')).toBe(unfiltered * 2);
  });

  test('[trace.max-depth] calls below so many levels are counted only', async () => {
    const { counts, calls } = await ran([{ pattern: 'works::dig', maxDepth: 3 }]);
    expect(counts.get('works::dig')).toBe(10 * 101 + 501);
    const depths = calls.map((call) => call.arguments['depth']);
    const tenTimes = Array.from({ length: 10 }, () => [100, 99, 98]).flat();
    expect(depths).toEqual([...tenTimes, 500, 499, 498]);
  });
});
