import { beforeAll, describe, expect, test } from 'vitest';
import { eras, startClient } from '../support/client.ts';
import { processesWith, until } from '../support/processes.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

describe('[query.sql] SQL', () => {
  const { home, client } = withClient();
  let sessionId: string;
  beforeAll(async () => {
    const options = { args: ['10', '120'], patterns: ['orders::*'] };
    ({ sessionId } = await runToEnd(client, home, buildTarget('e2e/orders.cpp'), options));
  });
  const rows = async (
    sql: string,
    params: readonly unknown[] = [],
  ): Promise<readonly unknown[]> => {
    const answer = await client.ok('debug_query', {
      view: 'sql',
      sessionId,
      sql,
      params,
      budget: 8000,
    });
    return listAt(answer.structured, 'rows');
  };

  test('aggregates over calls and their arguments', async () => {
    const perFunction = await rows(
      'SELECT function_name, count(*) FROM calls GROUP BY 1 ORDER BY 2 DESC, 1',
    );
    expect(perFunction).toEqual([
      ['orders::price', 598],
      ['orders::handle', 300],
      ['orders::store', 300],
      ['orders::rebate', 299],
      ['orders::refuse', 1],
    ]);
    const negative = await rows(
      "SELECT json_extract(arguments, '$.order'), end FROM calls('orders::store') WHERE json_extract(arguments, '$.amount') < ?",
      [0],
    );
    expect(negative).toEqual([[120, 'unwound']]);
    const [prices] = await rows(
      "SELECT min(return_value), max(return_value) FROM calls('orders::price')",
    );
    expect(prices).toEqual(['100', '106']);
  });

  test('remarks before a statement are none of it', async () => {
    const sql = '-- how many?\n/* of all * threads */ SELECT count(*) FROM calls';
    expect(await rows(sql)).toEqual([[1498]]);
    const refused = await client.refused('debug_query', {
      view: 'sql',
      sessionId,
      sql: '/* SELECT */ DELETE FROM output',
    });
    expect(refused.text).toMatch(/Only SELECT/);
  });

  test('what an answer leaves out can be had as it says', async () => {
    const asked = { view: 'sql', sessionId, sql: 'SELECT id FROM calls' };
    const few = await client.ok('debug_query', { ...asked, budget: 50_000 });
    expect(few.text).toMatch(/^… more: debug_query .*"limit":500/m);
    const short = await client.ok('debug_query', { ...asked, budget: 1000, limit: 500 });
    expect(short.text).toMatch(/^… more: debug_query .*"budget":4000/m);
    const most = await client.ok('debug_query', { ...asked, budget: 50_000, limit: 500 });
    expect(most.text).toMatch(/^… more: aggregate, or continue with LIMIT and OFFSET/m);
    const all = await client.ok('debug_query', { ...asked, sql: 'SELECT 1' });
    expect(all.text).not.toContain('… more');
  });

  test('a value that is compared as text is told', async () => {
    const told = async (condition: string) =>
      (
        await client.ok('debug_query', {
          view: 'sql',
          sessionId,
          sql: `SELECT count(*) FROM calls('orders::price') WHERE ${condition}`,
        })
      ).text;
    expect(await told('return_value > 100')).toContain('return_value is JSON text');
    expect(await told("return_value ->> '$' > 100")).not.toContain('is JSON text');
  });

  test('a column has its value however it is named', async () => {
    const first = "FROM calls('orders::refuse')";
    const [whole] = await rows(`SELECT c.* ${first} c`);
    const expected = await rows(`SELECT "FUNCTION_NAME", [Depth], \`end\` ${first}`);
    expect(expected).toEqual([['orders::refuse', expect.any(Number), 'returned']]);
    expect(whole).toEqual(expect.arrayContaining(['orders::refuse', 'returned']));
    // Named by the other table only.
    const [joined] = await rows(
      `SELECT count(*) FROM (SELECT pid, thread_name AS name ${first}) NATURAL JOIN threads`,
    );
    expect(joined).toEqual([1]);
    const [natural] = await rows(
      `SELECT count(*) ${first} NATURAL JOIN (SELECT DISTINCT pid FROM threads)`,
    );
    expect(natural).toEqual([1]);
  });

  test('output and functions are tables too', async () => {
    expect(await rows('SELECT text FROM output WHERE stream = 1')).toEqual([['order 120 refused']]);
    const called = await rows(
      'SELECT f.name, c.calls FROM functions f JOIN function_counters c USING (number) WHERE c.unwound > 0',
    );
    expect(called).toEqual([['orders::store', 300]]);
  });

  test.each(eras)(
    '[query.sql-guide] tables and examples are a resource (%s), and each example runs',
    async (era) => {
      const reader = await startClient(home, era);
      const [resource] = await reader.resources();
      expect(resource).toMatchObject({ uri: 'strobe://sql', mimeType: 'text/markdown' });
      const guide = await reader.readResource('strobe://sql');
      const examples = [...guide.matchAll(/```sql\n([\s\S]*?)\n```/g)].map(
        (found) => found[1] ?? '',
      );
      expect(examples.length).toBeGreaterThan(6);
      for (const sql of examples) {
        const found = await rows(sql);
        // Nothing was lost or watched; everything else is there.
        if (!/losses|watch_values/.test(sql)) expect(found.length, sql).toBeGreaterThan(0);
      }
      await expect(reader.readResource('strobe://none')).rejects.toThrow(
        /no resource strobe:\/\/none/,
      );
      await reader.close();
    },
  );

  test('[query.sql] events are a table with everything on one timeline', async () => {
    const found = await rows('SELECT event_type, count(*) FROM events GROUP BY 1 ORDER BY 1');
    expect(found).toContainEqual(['call', 1498]);
    expect(found).toContainEqual(['stdout', 1]);
    const [line] = await rows(
      "SELECT text, function_name, pid > 0, thread_id FROM events WHERE event_type = 'stdout'",
    );
    expect(line).toEqual(['order 120 refused', null, 1, null]);
    const [call] = await rows(
      "SELECT function_name_raw, json_extract(arguments, '$.order'), parent_event_id IS NOT NULL, duration_ns > 0 FROM events('orders::store') ORDER BY timestamp_ns LIMIT 1",
    );
    expect(call).toEqual([expect.stringMatching(/^_ZN6orders5store/), 0, 1, 1]);
    expect(await rows("SELECT count(*) FROM events('', 9e15)")).toEqual([[0]]);
    expect(await rows("SELECT count(*) FROM events('', 0) WHERE event_type = 'call'")).toEqual([
      [1498],
    ]);
  });

  test.each([
    ['DELETE FROM output', /Only SELECT/],
    ["ATTACH '/tmp/x' AS x", /Only SELECT/],
    ['PRAGMA journal_mode = DELETE', /Only SELECT/],
    ['WITH a AS (SELECT 1) DELETE FROM output', /BAD_SQL/],
    ["SELECT load_extension('/tmp/x')", /BAD_SQL/],
    ['SELECT ? + 1', /values were provided[\s\S]*a value for each \? of sql/],
    ['SELECT :more', /a value for each \? of sql/],
    ['SELECT 1; SELECT 2', /Send one statement/],
    ['SELECT cents FROM calls', /no such column: cents[\s\S]*function_pattern/],
    ["SELECT 1 FROM calls('@usercode')", /BAD_PARAMETER.*usercode/],
  ])('%s is refused', async (sql, why) => {
    const refused = await client.refused('debug_query', { view: 'sql', sessionId, sql });
    expect(refused.text).toMatch(why);
    expect(await rows('SELECT count(*) FROM output')).toEqual([[1]]);
  });

  test('the process that waits for the next statement may be killed', async () => {
    const waiting = () =>
      processesWith(`STROBE_HOME=${home.path}`).filter(({ command }) =>
        command.includes('sqlMain'),
      );
    expect(await rows('SELECT 1')).toEqual([[1]]);
    const kept = waiting();
    expect(kept).toHaveLength(1);
    expect(await rows('SELECT 2')).toEqual([[2]]);
    expect(waiting()).toEqual(kept);
    for (const { pid } of kept) process.kill(pid, 'SIGKILL');
    await until('it is gone', () => waiting().length === 0);
    expect(await rows('SELECT 3')).toEqual([[3]]);
  });

  test('more rows than asked for are told', async () => {
    const answer = await client.ok('debug_query', {
      view: 'sql',
      sessionId,
      sql: 'SELECT id FROM calls',
      limit: 10,
    });
    expect(listAt(answer.structured, 'rows')).toHaveLength(10);
    expect(at(answer.structured, 'hasMore')).toBe(true);
  });
});
