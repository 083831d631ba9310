import { beforeAll, describe, expect, test } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('questions', () => {
  const { home, client } = withClient();
  let storm: string;
  let till: string;
  let flood: string;
  beforeAll(async () => {
    storm = (
      await runToEnd(client, home, buildTarget('e2e/throws.cpp'), { patterns: ['storm::**'] })
    ).sessionId;
    till = (
      await runToEnd(client, home, buildTarget('e2e/methods.cpp'), { patterns: ['shop::**'] })
    ).sessionId;
    flood = (
      await runToEnd(client, home, buildTarget('e2e/flood.c'), {
        args: ['5000'],
        patterns: ['mix'],
      })
    ).sessionId;
  });

  // throws.cpp: 50 rounds of kinds 0..3; each calls catcher, again, deep and, below them, middle and fail.
  const filters = [
    { title: 'function equals', filter: { function: { equals: 'storm::catcher' } }, count: 200 },
    { title: 'function contains', filter: { function: { contains: 'ATCH' } }, count: 200 },
    {
      title: 'function matches',
      filter: { function: { matches: '^storm::(again|catcher)$' } },
      count: 400,
    },
    { title: 'function pattern', filter: { function: { pattern: 'storm::ag*' } }, count: 200 },
    {
      title: 'sourceFile glob',
      filter: { function: { equals: 'storm::again' }, sourceFile: { glob: '**/throws.cpp' } },
      count: 200,
    },
    {
      title: 'sourceFile contains (none)',
      filter: { sourceFile: { contains: 'other.cpp' } },
      count: 0,
    },
    {
      title: 'returnValue equals',
      filter: { function: { equals: 'storm::fail' }, returnValue: { equals: 0 } },
      count: 100,
    },
    {
      title: 'returnValue lt',
      filter: { function: { equals: 'storm::catcher' }, returnValue: { lt: -1 } },
      count: 100,
    },
    {
      title: 'argument equals',
      filter: { function: { equals: 'storm::again' }, argument: [{ name: 'kind', equals: 2 }] },
      count: 50,
    },
    {
      title: 'argument gt and lt',
      filter: { function: { equals: 'storm::again' }, argument: [{ name: 'kind', gt: 0, lt: 3 }] },
      count: 100,
    },
    {
      title: 'argument by index',
      filter: { function: { equals: 'storm::deep' }, argument: [{ index: 0, equals: 20 }] },
      count: 50,
    },
    {
      title: 'two arguments',
      filter: {
        argument: [
          { name: 'depth', equals: 5 },
          { name: 'kind', equals: 0 },
        ],
      },
      count: 50,
    },
    {
      title: 'threadName',
      filter: { function: { equals: 'storm::again' }, threadName: { equals: 'throws' } },
      count: 200,
    },
    { title: 'threadName (none)', filter: { threadName: { equals: 'nobody' } }, count: 0 },
    { title: 'minDurationNs (none)', filter: { minDurationNs: 60e9 }, count: 0 },
    { title: 'timeTo 0 (none)', filter: { timeTo: 0 }, count: 0 },
    {
      title: 'timeFrom 0',
      filter: { function: { equals: 'storm::again' }, timeFrom: 0 },
      count: 200,
    },
  ];
  for (const { title, filter, count } of filters) {
    test(`[query.filter] ${title}`, async () => {
      const calls = await callsOf(client, storm, filter);
      expect(calls).toHaveLength(count);
      const counted = await client.ok('debug_query', {
        view: 'events',
        sessionId: storm,
        eventType: ['call'],
        ...filter,
        limit: 1,
      });
      // When a page is full counting goes on for milliseconds, on a busy machine not to its end.
      const [, some] = /^≥ (\d+)$/.exec(String(at(counted.structured, 'totalCount'))) ?? [];
      if (some === undefined) expect(at(counted.structured, 'totalCount')).toBe(count);
      else expect(Number(some)).toBeLessThanOrEqual(count);
    });
  }

  test('[query.filter] strings, booleans, enums and null', async () => {
    expect(
      await callsOf(client, till, { argument: [{ name: 'currency', contains: 'EU' }] }),
    ).toHaveLength(1);
    expect(await callsOf(client, till, { returnValue: { equals: false } })).toHaveLength(2);
    expect(
      await callsOf(client, till, { argument: [{ name: 'mode', equals: 'training' }] }),
    ).toHaveLength(1);
    expect(
      await callsOf(client, till, { argument: [{ name: 'this', isNull: true }] }),
    ).toHaveLength(0);
    expect((await callsOf(client, till, { text: 'EUR' })).map((call) => call.function)).toEqual([
      'shop::till::Drawer::in',
    ]);
    expect(
      await callsOf(client, till, { argument: [{ name: 'rate', gt: 0.005, lt: 0.02 }] }),
    ).toHaveLength(1);
  });

  test('[query.cursor] pages reach every call exactly once, in order of time', async () => {
    const rounds: unknown[] = [];
    let cursor: unknown = null;
    do {
      const page = await client.ok('debug_query', {
        view: 'events',
        sessionId: flood,
        eventType: ['call'],
        limit: 333,
        budget: 50_000,
        ...(typeof cursor === 'string' ? { cursor } : {}),
      });
      rounds.push(
        ...listAt(page.structured, 'events').map((event) => at(event, 'arguments', 'round')),
      );
      cursor = at(page.structured, 'hasMore') === true ? textAt(page.structured, 'cursor') : null;
    } while (cursor !== null);
    expect(rounds).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  });

  test('[query.budget] a small budget is kept, and the rest is reached by the cursor', async () => {
    const answer = await client.ok('debug_query', {
      view: 'events',
      sessionId: flood,
      eventType: ['call'],
      limit: 500,
      budget: 600,
    });
    expect(answer.text.length).toBeLessThan(600 * 5);
    expect(at(answer.structured, 'hasMore')).toBe(true);
    const shown = listAt(answer.structured, 'events').length;
    expect(shown).toBeGreaterThan(3);
    const next = await client.ok('debug_query', {
      view: 'events',
      sessionId: flood,
      eventType: ['call'],
      limit: 1,
      cursor: textAt(answer.structured, 'cursor'),
    });
    expect(at(next.structured, 'events', 0, 'arguments', 'round')).toBe(shown);
  });

  test('[query.glance] values are written briefly before an event is left out, in both forms', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/contexts.c'), {
      patterns: ['resize'],
    });
    const calls = { view: 'events', sessionId, eventType: ['call'] };
    const brief = await client.ok('debug_query', { ...calls, budget: 6000 });
    const froms = (text: string) => [...text.matchAll(/\bfrom=(\d+)/g)].map(([, from]) => from);
    const all = Array.from({ length: 40 }, (_, i) => String(i));
    expect(froms(brief.text)).toEqual(all);
    expect(listAt(brief.structured, 'events').map((one) => at(one, 'arguments', 'to'))).toEqual(
      all.map((from) => Number(from) + 100),
    );
    expect(brief.text).toContain('Values are written briefly');
    // What has room is whole, as is what is asked for whole.
    const few = await client.ok('debug_query', { ...calls, limit: 2, budget: 4000 });
    expect(few.text).not.toContain('Values are written briefly');
    expect(few.text).toContain('name="reading"');
    const whole = await client.ok('debug_query', { ...calls, budget: 6000, verbose: true });
    expect(froms(whole.text).length).toBeLessThan(all.length);
    expect(whole.text).not.toContain('Values are written briefly');
  });

  test('[query.counters] every answer says what was seen, stored and lost', async () => {
    for (const view of ['events', 'tree', 'stats', 'output']) {
      const answer = await client.ok('debug_query', { view, sessionId: flood });
      expect(at(answer.structured, 'counters')).toMatchObject({
        seen: 10_000,
        stored: 10_000,
        lost: 0,
      });
      expect(answer.text).toContain(flood);
    }
  });

  test('[query.stats] counts and times per function', async () => {
    const answer = await client.ok('debug_query', {
      view: 'stats',
      sessionId: storm,
      sortBy: 'count',
    });
    const rows = new Map(
      listAt(answer.structured, 'rows').map((row) => [nameOf(row), numberAt(row, 'count')]),
    );
    expect(Object.fromEntries(rows)).toMatchObject({
      'storm::catcher': 200,
      'storm::again': 200,
      'storm::deep': 50 * 21,
      'storm::middle': 250,
      'storm::fail': 250,
    });
    const callers = await client.ok('debug_query', {
      view: 'stats',
      sessionId: storm,
      groupBy: 'caller',
      function: { equals: 'storm::middle' },
    });
    const byCaller = listAt(callers.structured, 'rows').map((row) => [
      textAt(row, 'key'),
      numberAt(row, 'count'),
    ]);
    expect(byCaller).toEqual(
      expect.arrayContaining([
        [expect.stringContaining('storm::again'), 200],
        [expect.stringContaining('storm::deep'), 50],
      ]),
    );
  });

  test('[query.tree] equal siblings are folded', async () => {
    const tree = await client.ok('debug_query', { view: 'tree', sessionId: flood });
    expect(textAt(tree.structured, 'tree')).toMatch(/mix\(value=.*round=.*×4,\d\d\d /);
    expect(tree.text.length).toBeLessThan(4000);
  });

  test('[query.tree] [query.steps] a folded line is opened by its id, and by the request that is named for it', async () => {
    const lineOf = / (?<name>storm::\w+)\(.*?(?: ×(?<times>[\d,]+) .*)? \[(?<id>c\d+\.\d+)\]$/gm;
    const linesOf = (text: string) =>
      [...text.matchAll(lineOf)].map(({ groups }) => ({ ...groups }));
    const text = async (request: unknown): Promise<string> =>
      (await client.ok('debug_query', Object.assign({}, request))).text;
    /** The answer is that one call with all below it. */
    const expectOpened = async (answer: string, line: Record<string, string>): Promise<void> => {
      const below = await callsOf(client, storm, { within: line['id'] });
      expect(answer).toContain(`\n${below.length + 1} calls in 1 thread`);
      const [first, ...others] = linesOf(answer);
      expect([first?.['id'], first?.['name']]).toEqual([line['id'], line['name']]);
      // Recursion is one line also where it is the root.
      if (line['name'] !== 'storm::deep') expect(first?.['times']).toBeUndefined();
      const ids = new Set(below.map(({ id }) => id));
      expect(others.filter(({ id = '' }) => !ids.has(id))).toEqual([]);
      expect(others.length).toBeGreaterThan(0);
    };
    const whole = { view: 'tree', sessionId: storm, function: { matches: 'catcher|again|deep' } };
    const folded = linesOf(await text({ ...whole, maxDepth: 2 })).filter(({ times }) => times);
    expect(new Set(folded.map(({ name }) => name)).size).toBeGreaterThan(1);
    for (const line of folded.filter(({ name }) => name === 'storm::catcher'))
      await expectOpened(await text({ view: 'tree', sessionId: storm, root: line['id'] }), line);

    const hiding = await text({ view: 'tree', sessionId: storm, maxDepth: 1 });
    const [, named = '', times] =
      /^ *debug_query (\{.*\}) +— one of these ([\d,]+) calls, with all below it$/m.exec(hiding) ??
      [];
    const request: unknown = JSON.parse(named);
    const line = linesOf(hiding).find(({ id }) => id === textAt(request, 'root'));
    expect(line?.['times']).toBe(times);
    await expectOpened(await text(request), line ?? {});
  });

  test('[query.steps] what an answer names next can be done: of an ended session a watch for the next launch', async () => {
    const empty = await client.ok('debug_query', { view: 'changes', sessionId: storm });
    expect(empty.text).toContain('No sample was taken');
    expect(empty.text).toContain('debug_trace {"pending":true,"add":[');
    const itself = { view: 'diff', sessionId: storm, other: { sessionId: storm } };
    const same = await client.ok('debug_query', itself);
    expect(same.text).toContain('compared with (there): the same session, all of it\n');
  });

  test('[query.order] calls and output share one timeline', async () => {
    const answer = await client.ok('debug_query', {
      view: 'events',
      sessionId: storm,
      eventType: ['call', 'stdout', 'stderr', 'process'],
      limit: 60,
      budget: 20_000,
    });
    const times = listAt(answer.structured, 'events').map((event) =>
      numberAt(event, 'timestampNs'),
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('[query.order] lines of output that a filter of calls keeps out are told', async () => {
    const asked = { view: 'events', sessionId: storm, limit: 5 };
    const note =
      /^! function, minDurationNs filter calls only, so stdout, process events are left out/m;
    const filter = { function: { contains: 'fail' }, minDurationNs: 1 };
    const eventType = ['call', 'stdout', 'process'];
    const { text } = await client.ok('debug_query', { ...asked, ...filter, eventType });
    expect(text).toMatch(note);
    expect((await client.ok('debug_query', { ...asked, ...filter })).text).not.toMatch(
      /filter calls only/m,
    );
    const passed = await client.ok('debug_query', { ...asked, timeFrom: 0, eventType });
    expect(passed.text).not.toMatch(/filter calls only/m);
  });
});

/** A row's function without its parameters. */
function nameOf(row: unknown): string {
  return textAt(row, at(row, 'function') === undefined ? 'key' : 'function');
}
