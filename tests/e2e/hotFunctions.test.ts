import { describe, expect, test } from 'vitest';
import { expectReconciled, linesOf } from '../support/calls.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('functions that are called very often', () => {
  const { home, client } = withClient({ STROBE_SAMPLING_CALLS_PER_SECOND: '5000' });

  /** Runs the program that counts; what it printed and what the tracer counted, by function. */
  async function counted(
    rounds: number,
    patterns: readonly unknown[],
  ): Promise<{
    readonly told: ReadonlyMap<string, number>;
    readonly rows: ReadonlyMap<string, unknown>;
    readonly stats: { readonly text: string; readonly structured: unknown };
    readonly sessionId: string;
  }> {
    const { sessionId, exit } = await runToEnd(client, home, buildTarget('e2e/counting.cpp'), {
      args: [String(rounds)],
      patterns,
    });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const told = new Map<string, number>();
    for (const { text } of await linesOf(client, sessionId)) {
      const [name = '', calls = ''] = text.split(' ');
      told.set(name, Number(calls));
    }
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    const rows = listAt(stats.structured, 'rows').map(
      (row) => [textAt(row, 'function'), row] as const,
    );
    return { told, rows: new Map(rows), stats, sessionId };
  }

  test('[hot.exact] counts are those of the program, whatever was recorded of them', async () => {
    const { told, rows, stats } = await counted(60_000, ['hot::*']);
    expect(told.get('hot::leaf')).toBe(360_000);
    for (const [name, calls] of told)
      expect([name, rows.get(name)]).toMatchObject([name, { count: calls }]);
    for (const row of rows.values()) {
      expect(numberAt(row, 'totalNs')).toBeGreaterThan(0);
      expect(numberAt(row, 'maxNs')).toBeLessThanOrEqual(numberAt(row, 'totalNs'));
    }
    const counters = at(stats.structured, 'counters');
    expect(at(counters, 'lost')).toBe(0);
    expect(at(counters, 'sampled')).toBeGreaterThan(1_000_000);
    expectReconciled(counters);
  });

  test('[hot.told] the answer names the functions, why, and how to have all their calls', async () => {
    const { stats } = await counted(60_000, ['hot::leaf']);
    expect(stats.text).toMatch(/[\d,]+ calls counted, not recorded, most of hot::leaf: too fast /);
    expect(stats.text).toContain('"sampling": "off"');
  });

  test('[hot.quiet] a function that is not called often keeps every call', async () => {
    const { told, sessionId } = await counted(60_000, ['hot::*']);
    const { structured } = await client.ok('debug_query', {
      view: 'events',
      sessionId,
      eventType: ['call'],
      function: { equals: 'hot::quiet' },
      limit: 500,
    });
    expect(at(structured, 'totalCount')).toBe(told.get('hot::quiet'));
  });

  test('[hot.hits] hits of a breakpoint that records are sampled alike, and counted exactly', async () => {
    const { sessionId, exit } = await runToEnd(client, home, buildTarget('e2e/counting.cpp'), {
      args: ['60000'],
      breakpoints: [{ function: 'hot::leaf', log: 'of {value}' }],
    });
    expect(exit).toEqual({ kind: 'exited', code: 0 });
    const { structured } = await client.ok('debug_breakpoint', { sessionId });
    expect(at(structured, 'breakpoints', 0)).toMatchObject({ hits: 360_000, met: 360_000 });
    const stats = await client.ok('debug_query', { view: 'stats', sessionId });
    const counters = at(stats.structured, 'counters');
    const [stored, sampled] = ['stored', 'sampled'].map((name) => numberAt(counters, name));
    expect(counters).toMatchObject({ seen: 360_000, lost: 0 });
    expect(Number(stored) + Number(sampled)).toBe(360_000);
    expect(sampled).toBeGreaterThan(100_000);
  });

  test('[hot.pairs] what is recorded is whole: each call has its end, and its parent', async () => {
    const { sessionId, rows } = await counted(60_000, ['hot::*']);
    for (const row of rows.values()) expect(at(row, 'open') ?? 0).toBe(0);
    const tree = await client.ok('debug_query', { view: 'tree', sessionId, root: 'hot::first' });
    expect(tree.text).toContain('hot::first');
    expect(at(tree.structured, 'counters', 'byCause', 'unpaired') ?? 0).toBe(0);
  });

  test('[hot.overridden] a pattern says which share is recorded, or that all is', async () => {
    const all = await counted(20_000, [{ pattern: 'hot::leaf', sampling: 'off' }]);
    expect(at(all.stats.structured, 'counters')).toMatchObject({ sampled: 0 });
    expect(all.rows.get('hot::leaf')).toMatchObject({ count: 120_000 });
    const tenth = await counted(20_000, [{ pattern: 'hot::leaf', sampling: 0.1 }]);
    expect(tenth.rows.get('hot::leaf')).toMatchObject({ count: 120_000 });
    const stored = numberAt(tenth.stats.structured, 'counters', 'stored');
    expect(stored).toBeGreaterThanOrEqual(24_000);
    expect(stored).toBeLessThan(24_100);
  });

  test('[hot.running] the share can be changed while the program runs', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::tick'],
    });
    const changed = await client.ok('debug_trace', {
      sessionId,
      add: [{ pattern: 'clockwork::tick', sampling: 0.5 }],
    });
    expect(at(changed.structured, 'hookedFunctions')).toBe(1);
    for (let asked = 0; ; asked++) {
      const { structured } = await client.ok('debug_query', { view: 'stats', sessionId });
      if (numberAt(structured, 'counters', 'sampled') > 3) break;
      if (asked === 400) throw new Error('no call was passed over');
    }
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[hot.running] a function that is let go while it is sampled, and traced again, is sampled again', async () => {
    const program = buildTarget('engine/hot.c', ['-O2', '-pthread']);
    const patterns = ['add'];
    const { sessionId } = await launch(client, home, program, { patterns, stdin: 'open' });
    const sampled = async (): Promise<number> => {
      const { structured } = await client.ok('debug_query', { view: 'stats', sessionId });
      return numberAt(structured, 'counters', 'sampled');
    };
    const sampledBeyond = async (count: number): Promise<void> => {
      for (let asked = 0; (await sampled()) <= count; asked++)
        if (asked === 400) throw new Error('no call was passed over');
    };
    await sampledBeyond(0);
    await client.ok('debug_trace', { sessionId, remove: patterns });
    const before = await sampled();
    await client.ok('debug_trace', { sessionId, add: patterns });
    await sampledBeyond(before);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
