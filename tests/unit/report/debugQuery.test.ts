import { expect, test } from 'vitest';
import { answerTokens } from '../../support/tokens.ts';
import { Exports } from '../../../src/daemon/export/exports.ts';
import { makeDebugQuery } from '../../../src/daemon/tools/debugQuery.ts';
import type { Query, QueryAnswer, QuestionKind } from '../../../src/db/queryMessages.ts';
import type { Queries } from '../../../src/daemon/queries.ts';
import type { RequestContext } from '../../../src/daemon/request.ts';
import type { EventView } from '../../../src/model/questions/eventView.ts';
import type { EventsQuery, OutputQuery } from '../../../src/model/questions/query.ts';
import type { TreeQuery } from '../../../src/model/questions/treeResult.ts';
import type { StatsQuery } from '../../../src/model/questions/statsResult.ts';
import type { SessionView } from '../../../src/model/session.ts';
import { debugQuery } from '../../../src/protocol/tools/debugQuery.ts';
import { call, ended, line, session, summary } from './samples.ts';

const context: RequestContext = {
  client: { id: 'a', kind: 'mcp', cwd: '/', env: {}, umask: 0o22 },
  signal: new AbortController().signal,
  progress: () => undefined,
};

/** A store of a few hundred events in memory; the cursor is the index of the next one. */
function memoryStore() {
  const asked: {
    events: EventsQuery[];
    tree: TreeQuery[];
    stats: StatsQuery[];
    output: OutputQuery[];
  } = { events: [], tree: [], stats: [], output: [] };
  const calls = Array.from({ length: 230 }, (_, at): EventView => {
    const made = call(at, at % 5 === 0 ? 'settle::Queue::take' : 'settle::Ledger::book');
    return { type: 'call', time: made.time, call: made };
  });
  const written = Array.from({ length: 120 }, (_, at) => line(at, `batch ${at} settled`));
  const page = { cursors: [], cursor: null, hasMore: false, total: 0, complete: true, pids: [] };
  const answers: { readonly [K in QuestionKind]: (query: Query<K>) => QueryAnswer<K> } = {
    summary: () => summary({ calls: 230 }),
    threads: () => [],
    events(query) {
      asked.events.push(query);
      const start = Number(query.cursor ?? 0);
      const events = query.filter.function ? [] : calls.slice(start, start + query.limit);
      const end = start + events.length;
      const hasMore = events.length > 0 && end < calls.length;
      return {
        events,
        cursors: events.map((_, at) => String(start + at + 1)),
        cursor: hasMore ? String(end) : null,
        hasMore,
        total: query.filter.function ? 0 : calls.length,
        totalIsExact: true,
        pids: [4711],
        complete: true,
        lookedUntil: query.until,
      };
    },
    callLines: () => ({ call: call(0, 'main'), places: [], hits: [], isCut: false }),
    changes: (query) => ({
      ...page,
      changes: [],
      watches: [],
      accepted: 0,
      lookedUntil: query.until,
    }),
    channel: () => ({
      events: [],
      connections: [],
      isKnown: true,
      total: 0,
      unknown: { calls: 0, fds: [] },
      functions: 0,
      part: 0,
      next: null,
    }),
    tree(query) {
      asked.tree.push(query);
      return { threads: [], calls: 0, complete: true, uncompared: 0 };
    },
    stats(query) {
      asked.stats.push(query);
      return { rows: [], groups: 0, source: 'counters', complete: true };
    },
    crashes: () => [],
    lastCalls: () => [],
    callView: () => null,
    diff: () => ({
      rows: [],
      different: 0,
      functions: 0,
      tracedHereOnly: [],
      tracedThereOnly: [],
      threads: [],
      writes: [],
      complete: true,
    }),
    output(query) {
      asked.output.push(query);
      const start = Number(query.cursor ?? 0);
      const lines =
        query.tail === null
          ? written.slice(start, start + query.limit)
          : written.slice(-query.tail);
      const end = start + lines.length;
      const hasMore = query.tail === null && end < written.length;
      return {
        lines,
        cursors: lines.map((_, at) => String(start + at + 1)),
        cursor: hasMore ? String(end) : null,
        hasMore,
        total: written.length,
      };
    },
  };
  const answer: Queries['ask'] = (kind, _path, query) => Promise.resolve(answers[kind](query));
  return { asked, ask: answer };
}

function ask(store: Queries, view: SessionView = session()) {
  const handler = makeDebugQuery({
    resolve: () => ({
      view,
      storePath: '/s',
      settle: () =>
        Promise.resolve({ until: 12_000_000_000, indexedTo: 12_000_000_000, complete: true }),
    }),
    queries: store,
    exporting: { exports: new Exports('/nowhere'), home: '/nowhere', version: '0' },
    codeNames: () => Promise.resolve(new Map()),
    runSql: () => Promise.resolve({ columns: [], rows: [], hasMore: false }),
  });
  return async (input: Record<string, unknown>) => {
    const answer = await handler(debugQuery.input.parse(input), context);
    return { answer, structured: debugQuery.output.parse(answer.structured) };
  };
}

test.each([300, 600, 2000])(
  'with a budget of %i the cursor reaches every event exactly once',
  async (budget) => {
    const query = ask(memoryStore());
    const seen: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 230; page += 1) {
      const { answer, structured } = await query({
        view: 'events',
        budget,
        ...(cursor === null ? {} : { cursor }),
      });
      if (structured.view !== 'events') throw new Error('another view');
      expect(answerTokens(answer).larger).toBeLessThanOrEqual(budget);
      seen.push(...structured.events.map((event) => event.id));
      cursor = structured.cursor;
      if (cursor === null) break;
    }
    expect(seen).toEqual(Array.from({ length: 230 }, (_, at) => `c2.${at}`));
  },
);

test('with a small budget the cursor reaches every line of output exactly once', async () => {
  const query = ask(memoryStore());
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 120; page += 1) {
    const { structured } = await query({
      view: 'output',
      budget: 400,
      ...(cursor === null ? {} : { cursor }),
    });
    if (structured.view !== 'output') throw new Error('another view');
    seen.push(...structured.lines.map((one) => one.text));
    cursor = structured.cursor;
    if (cursor === null) break;
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, at) => `batch ${at} settled`));
});

test('times count from the start as answers write them, or back from now, or from the end of an ended session', async () => {
  const running = memoryStore();
  await ask(running)({ view: 'events', timeFrom: '-5s', timeTo: 12_000_000_000 });
  expect(running.asked.events[0]?.filter).toEqual({
    timeFrom: 7_400_000_000,
    timeTo: 12_000_000_000,
  });
  const over = memoryStore();
  await ask(over, session({ state: ended }))({ view: 'tree', timeFrom: '-200ms' });
  expect(over.asked.tree[0]?.filter).toEqual({ timeFrom: 9_000_000_000 });
  await ask(over)({ view: 'tree', timeFrom: '3s', timeTo: '+8.558368s' });
  expect(over.asked.tree[1]?.filter).toEqual({ timeFrom: 3_000_000_000, timeTo: 8_558_368_000 });
});

test('a time range that is upside down is refused', async () => {
  await expect(
    ask(memoryStore())({ view: 'output', timeFrom: 5, timeTo: 4 }),
  ).rejects.toMatchObject({ code: 'BAD_PARAMETER' });
});

test('every filter reaches the store', async () => {
  const store = memoryStore();
  const filters = {
    function: { pattern: 'settle::*' },
    sourceFile: { glob: '*.cpp' },
    returnValue: { equals: false },
    argument: [{ name: 'cents', gt: 3 }],
    threadId: 4713,
    threadName: { contains: 'work' },
    minDurationNs: 10,
    text: 'Miete',
    within: 'c2.1',
    parent: 'c2.2',
    pid: 4711,
  };
  await ask(store)({ view: 'stats', ...filters, sortBy: 'p99', groupBy: 'caller', limit: 7 });
  expect(store.asked.stats[0]).toMatchObject({
    filter: filters,
    sortBy: 'p99',
    groupBy: 'caller',
    limit: 7,
    until: 12_000_000_000,
  });
  await ask(store)({ view: 'tree', thread: 'worker-1', root: 'settle::*', maxDepth: 3 });
  expect(store.asked.tree[0]).toMatchObject({
    filter: { threadName: { equals: 'worker-1' } },
    root: 'settle::*',
    maxDepth: 3,
  });
  await ask(store)({ view: 'output', stream: 'stderr', tail: 80, match: 'x', pid: 1 });
  expect(store.asked.output[0]).toMatchObject({
    stream: 'stderr',
    tail: 80,
    match: 'x',
    pid: 1,
    limit: 80,
  });
});

test('what to ask next repeats the filters and leaves defaults out', async () => {
  const { answer } = await ask(memoryStore())({
    view: 'events',
    minDurationNs: 10,
    limit: 50,
    order: 'time',
    budget: 400,
  });
  expect(answer.text).toMatch(
    /… more: debug_query \{"sessionId":"settle-2026-02-05-14h32-k7f2","view":"events","budget":400,"minDurationNs":10,"cursor":"\d+"\}/,
  );
});

test('nothing found: the nearest called function is looked for only when there are calls', async () => {
  const store = memoryStore();
  const { answer } = await ask(store)({ view: 'events', function: { equals: 'nope' } });
  expect(store.asked.stats).toHaveLength(1);
  expect(answer.text).toContain('No call matches function {"equals":"nope"}');
});
