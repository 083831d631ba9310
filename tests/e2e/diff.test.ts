import { beforeAll, describe, expect, test } from 'vitest';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('[query.diff] comparing', () => {
  const { home, client } = withClient();
  const sessions = { usual: '', again: '', rebate: '', refused: '', narrow: '' };
  beforeAll(async () => {
    const run = async (args: readonly string[], pattern = 'orders::*'): Promise<string> =>
      (await runToEnd(client, home, buildTarget('e2e/orders.cpp'), { args, patterns: [pattern] }))
        .sessionId;
    sessions.usual = await run(['10']);
    sessions.again = await run(['10']);
    sessions.rebate = await run(['20']);
    sessions.refused = await run(['10', '120']);
    sessions.narrow = await run(['10', '120'], 'orders::re*');
  });
  const diff = async (sessionId: string, other: unknown, more: Record<string, unknown> = {}) =>
    client.ok('debug_query', { view: 'diff', sessionId, other, ...more });
  const thread = (structured: unknown): unknown => listAt(structured, 'threads')[0];

  test('two equal runs have no difference', async () => {
    const { structured, text } = await diff(sessions.usual, { sessionId: sessions.again });
    expect(text).toContain('No difference');
    expect(numberAt(thread(structured), 'compared')).toBe(300 * 5);
    expect(at(thread(structured), 'order')).toBeUndefined();
    expect(at(thread(structured), 'values')).toBeUndefined();
  });

  test('[crash.story] a crash of either is told, with where to read it', async () => {
    const crashed = await runToEnd(client, home, buildTarget('crash/ledger.cpp'), {
      patterns: ['settle'],
    });
    const says =
      'SIGSEGV in covers (ledger.cpp:23): null pointer: customer->account->balance at null + 0x10 (Account* is null)';
    const here = await diff(crashed.sessionId, { sessionId: sessions.usual });
    expect(here.text).toContain(`! CRASHED: ${says}. Read it with debug_query {"view": "crash"}.`);
    const there = await diff(sessions.usual, { sessionId: crashed.sessionId });
    const request = `{"view":"crash","sessionId":"${crashed.sessionId}"}`;
    const note = `there: CRASHED: ${says}. Read it with debug_query ${request}.`;
    expect(there.text).toContain(`! ${note}`);
    expect(listAt(there.structured, 'notes')).toContain(note);
    expect(there.text).not.toContain('! CRASHED');
  });

  test('the first different value is shown with both calls', async () => {
    const { structured, text } = await diff(sessions.rebate, { sessionId: sessions.usual });
    const one = thread(structured);
    expect(at(one, 'order')).toBeUndefined();
    // The 51st order is the first with another rebate: store, rebate and price follow handle.
    expect(numberAt(one, 'values', 'alike')).toBe(50 * 5);
    expect(at(one, 'values', 'here', 'arguments')).toMatchObject({ order: 50, percent: 20 });
    expect(at(one, 'values', 'names')).toEqual(['percent']);
    expect(at(one, 'values', 'there', 'arguments')).toMatchObject({ order: 50, percent: 10 });
    expect(text).toMatch(/here +.*handle\(order=50, percent=20/);
    expect(text).toMatch(/there +.*handle\(order=50, percent=10/);
  });

  test('where the order parts is shown with the last common call, and what only one side called', async () => {
    const { structured, text } = await diff(sessions.refused, { sessionId: sessions.usual });
    const one = thread(structured);
    expect(at(one, 'order', 'here', 'functionName')).toBe('orders::store');
    expect(at(one, 'order', 'there', 'functionName')).toBe('orders::price');
    expect(numberAt(one, 'order', 'alike')).toBe(120 * 5 + 1);
    const rows = listAt(structured, 'rows');
    expect(textAt(rows[0], 'key')).toContain('orders::refuse');
    expect(at(rows[0], 'there')).toBeNull();
    expect(text).toMatch(/✗ unwound 1 here, 0 there/);
  });

  test('functions traced on one side only do not make an order differ', async () => {
    const { structured, text } = await diff(sessions.narrow, { sessionId: sessions.refused });
    expect(at(thread(structured), 'order')).toBeUndefined();
    expect(numberAt(thread(structured), 'compared')).toBe(299 + 1);
    expect(text).toMatch(/Traced only there.*orders::(handle|price|store)/);
  });

  test('two time ranges of one session', async () => {
    const calls = await client.ok('debug_query', {
      view: 'events',
      sessionId: sessions.refused,
      function: { equals: 'orders::handle' },
      argument: [{ name: 'order', equals: 100 }],
      eventType: ['call'],
    });
    const middle = numberAt(listAt(calls.structured, 'events')[0], 'timestampNs');
    const { structured } = await diff(
      sessions.refused,
      { timeTo: middle - 1 },
      { timeFrom: middle, function: { equals: 'orders::refuse' } },
    );
    expect(textAt(structured, 'other')).toContain('the same session');
    expect(listAt(structured, 'rows')).toHaveLength(1);
  });

  test('two sides without a call are not told as equal', async () => {
    const { text } = await diff(sessions.refused, { timeTo: 1 }, { timeFrom: 2, timeTo: 3 });
    expect(text).toContain('Nothing was compared: neither side has a call that fits.');
    expect(text).not.toContain('No difference');
  });

  test('nothing to compare with is an error that says what to give', async () => {
    const nothing = await client.refused('debug_query', {
      view: 'diff',
      sessionId: sessions.usual,
      other: {},
    });
    expect(nothing.text).toMatch(/other\.sessionId/);
  });
});
