import { beforeAll, describe, expect, test, vi } from 'vitest';
import { expectReconciled, linesOf } from '../support/calls.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const endless =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

/** Heavy ones of every view; `round` keeps them from being asked twice alike. */
function questions(round: number): readonly Readonly<Record<string, unknown>>[] {
  const argument = (value: unknown) => ({ argument: [{ name: 'round', equals: value }] });
  const calls = { eventType: ['call'] };
  return [
    { view: 'events', ...calls, ...argument(-1 - round) },
    { view: 'events', ...calls, text: 'seldomer', order: 'thread', limit: 500, budget: 20_000 },
    { view: 'events', ...calls, returnValue: { contains: `x${round}` } },
    { view: 'events', eventType: ['function_exit', 'stdout', 'loss'], minDurationNs: 50_000 },
    { view: 'tree', selfTime: true, maxDepth: 3 },
    { view: 'tree', argument: [{ name: 'name', contains: 'seldom' }] },
    { view: 'stats', groupBy: 'caller', argument: [{ name: 'round', gt: round }] },
    { view: 'stats', groupBy: 'thread', timeFrom: 1, sortBy: 'p99' },
    { view: 'diff', timeTo: '-2s', other: { timeFrom: '-2s' } },
    { view: 'sql', sql: 'SELECT function_name, count(*), sum(duration_ns) FROM calls GROUP BY 1' },
    { view: 'sql', sql: `SELECT count(*) FROM calls WHERE duration_ns > ${round}` },
    { view: 'output', match: '/nothing|calling/' },
    { view: 'changes' },
    { view: 'crash' },
    { action: 'export', format: 'perfetto' },
    { action: 'export', format: 'csv', threadName: { equals: 'left' } },
  ];
}

describe('capture beside questions', () => {
  const { home, client } = withClient();
  let sessionId: string;
  beforeAll(async () => {
    ({ sessionId } = await launch(
      client,
      home,
      buildTarget('e2e/untilTold.c', ['-O1', '-pthread']),
      {
        args: ['40000'],
        patterns: ['turn', 'weigh'].map((pattern) => ({ pattern, sampling: 'off' })),
        stdin: 'open',
      },
    ));
    await outputSeen(client, sessionId, 'calling');
  });

  const storedSoFar = async (): Promise<number> => {
    const status = await client.ok('debug_session', { action: 'status', sessionId });
    return numberAt(status.structured, 'counters', 'stored');
  };

  /** What was stored at each look, from when a question is asked until it is answered. */
  async function storedWhile(asked: Promise<unknown>): Promise<number[]> {
    const waiting = new AbortController();
    const answered = asked.finally(() => waiting.abort());
    const seen: number[] = [];
    while (!waiting.signal.aborted) seen.push(await storedSoFar());
    await answered;
    return seen;
  }

  test('[query.beside] what is asked, however heavy, neither holds capture up nor costs an event', async () => {
    const stored: number[] = [];
    for (let round = 0; round < 2; round++) {
      const answers = questions(round).map(async (question) =>
        client.ok('action' in question ? 'debug_session' : 'debug_query', {
          sessionId,
          ...question,
        }),
      );
      const seen = await storedWhile(Promise.all(answers));
      for (const { structured } of await Promise.all(answers))
        expect(numberAt(structured, 'counters', 'lost')).toBe(0);
      stored.push(...seen);
    }
    // One question that lasts to its limit: calls are stored meanwhile, look after look.
    const during = await storedWhile(
      client.refused('debug_query', { view: 'sql', sessionId, sql: endless }),
    );
    expect(during.length).toBeGreaterThan(2);
    expect(during.at(-1)).toBeGreaterThan(during[0] ?? 0);
    stored.push(...during);
    expect(stored).toEqual(stored.toSorted((a, b) => a - b));

    await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const told = (await linesOf(client, sessionId))
      .map(({ text }) => /^(left|right) (\d+) /.exec(text))
      .flatMap((line) => (line ? [{ name: line[1], rounds: Number(line[2]) }] : []));
    expect(told).toHaveLength(2);
    const all = told.reduce((sum, { rounds }) => sum + rounds, 0);
    for (const { name, rounds } of told) {
      const answer = await client.ok('debug_query', {
        view: 'stats',
        sessionId,
        threadName: { equals: name },
        // By values: a scan of the calls themselves, not of the counters.
        argument: [{ name: 'round', gt: -1, lt: rounds }],
      });
      expect(at(answer.structured, 'source')).toBe('scan');
      const rows = listAt(answer.structured, 'rows').map((row) => [
        textAt(row, 'function').replace(/\(.*/, ''),
        numberAt(row, 'count'),
      ]);
      expect(Object.fromEntries(rows)).toEqual({ turn: rounds, weigh: rounds });
      const counters = at(answer.structured, 'counters');
      expectReconciled(counters);
      expect(counters).toMatchObject({ seen: 4 * all, stored: 4 * all, lost: 0 });
    }
  });

  test('[query.beside-fast] a million calls a second are stored whole while SQL over all calls and trees are asked without pause', async () => {
    // Fewer than the rings hold: also a reader that gets no processor loses none.
    const rounds = 800_000;
    const fast = await launch(client, home, buildTarget('e2e/untilTold.c', ['-O1', '-pthread']), {
      args: ['1000000', String(rounds)],
      patterns: ['turn', 'weigh'].map((pattern) => ({ pattern, sampling: 'off' })),
    });
    const asked = { sessionId: fast.sessionId };
    const over = new AbortController();
    const askAgain = async (question: Readonly<Record<string, unknown>>): Promise<void> => {
      do {
        const { structured } = await client.ok('debug_query', { ...asked, ...question });
        expect(numberAt(structured, 'counters', 'lost')).toBe(0);
      } while (!over.signal.aborted);
    };
    const asking = Promise.all(
      [
        { view: 'sql', sql: 'SELECT duration_ns, count(*) FROM calls GROUP BY 1 ORDER BY 2 DESC' },
        { view: 'sql', sql: 'SELECT parent_id, max(duration_ns) FROM calls GROUP BY 1' },
        { view: 'tree', selfTime: true },
        { view: 'tree', function: { contains: 'weigh' } },
      ].map(askAgain),
    );
    const ended = exitOf(client, fast.sessionId).finally(() => over.abort());
    const [exit] = await Promise.all([ended, asking]);
    expect(exit).toEqual({ kind: 'exited', code: 0 });

    let stats = await client.ok('debug_query', { ...asked, view: 'stats' });
    // What rings still hold after the end is stored as the index comes to it.
    while (stats.text.includes('The index has reached'))
      stats = await client.ok('debug_query', { ...asked, view: 'stats' });
    const counters = at(stats.structured, 'counters');
    expectReconciled(counters);
    expect(counters).toMatchObject({ seen: 8 * rounds, stored: 8 * rounds, lost: 0 });
    const counts = listAt(stats.structured, 'rows').map((row) => numberAt(row, 'count'));
    expect(counts).toEqual([2 * rounds, 2 * rounds]);
    const told = (await linesOf(client, fast.sessionId)).map(({ text }) => text);
    for (const name of ['left', 'right'])
      expect(told).toContainEqual(expect.stringMatching(new RegExp(`^${name} ${rounds} `)));
    const sql = 'SELECT count(*), count(duration_ns) FROM calls';
    const rows = await client.ok('debug_query', { ...asked, view: 'sql', sql });
    expect(listAt(rows.structured, 'rows')).toEqual([[4 * rounds, 4 * rounds]]);
  });
});
