import { describe, expect, test, vi } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { launch, runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** Function, what its return has to meet, which of its calls do (from 0). */
const returning: readonly (readonly [string, string, readonly number[]])[] = [
  ['slice', 'return.offset != a.offset + start', [3, 6]],
  ['weigh', 'return > 20 && before < 3', [2]],
  ['move', 'return.x > 4', [2, 3]],
  ['mix', 'return.count == 3 || return.scale == 8', [1, 3]],
  ['grow', 'return.id == b->id + 1 && return.id > 3', [2, 3]],
];

describe('what one wants to know', () => {
  const { home, client } = withClient();

  test.each(['-O0', '-O2'])(
    '[trace.when-return] calls are recorded by what they return, with their arguments; all are counted, %s',
    async (level) => {
      const program = buildTarget('e2e/passed.c', [level]);
      for (const [pattern, whenReturn, wanted] of returning) {
        const all = await runToEnd(client, home, program, { patterns: [pattern] });
        const some = await runToEnd(client, home, program, { patterns: [{ pattern, whenReturn }] });
        const calls = await callsOf(client, all.sessionId);
        const plain = ({ arguments: given, returns }: (typeof calls)[number]): string =>
          JSON.stringify([given, returns]).replaceAll(/0x[0-9a-f]+|[\d.]+e-3\d\d/g, '');
        const meeting = await callsOf(client, some.sessionId);
        expect([whenReturn, meeting.map(plain)]).toEqual([
          whenReturn,
          wanted.map((i) => plain(calls[i] ?? expect.fail('no such call'))),
        ]);
        const stats = await client.ok('debug_query', { view: 'stats', sessionId: some.sessionId });
        expect(numberAt(stats.structured, 'rows', 0, 'count')).toBe(calls.length);
        const where = { sessionId: all.sessionId, where: whenReturn };
        const found = await callsOf(client, all.sessionId, { where: whenReturn });
        expect(found.map(({ id }) => id)).toEqual(wanted.map((i) => calls[i]?.id));
        const counted = await client.ok('debug_query', { view: 'stats', ...where });
        expect(numberAt(counted.structured, 'rows', 0, 'count')).toBe(wanted.length);
        const tree = await client.ok('debug_query', { view: 'tree', ...where });
        expect(tree.text).toContain(pattern);
      }
    },
  );

  test('[query.where] a relation that no function has, or that only memory could tell, is an error', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/passed.c'), {
      patterns: ['slice', 'move'],
    });
    const ask = async (where: string): Promise<string> =>
      (await client.refused('debug_query', { view: 'events', sessionId, where })).text;
    expect(await ask('ofset > 3')).toMatch(/No traced function has an argument "ofset"/);
    expect(await ask('a.offset > by')).toMatch(/No traced function has all that/);
    expect(await ask('*(int*)start == 3')).toMatch(/casts an address/);
    expect(await ask('start >')).toMatch(/BAD_EXPRESSION.*ends too early/);
    const named = { argument: [{ name: 'args[1]', equals: 20000 }] };
    expect(await callsOf(client, sessionId, named)).toHaveLength(8);
  });

  test('[trace.undecided] staged for a launch: all calls are recorded, and the first line of the answer says so', async () => {
    await client.ok('debug_trace', {
      pending: true,
      add: [{ pattern: 'slice', when: 'ofset > 3' }, 'move'],
      watches: { add: [{ expr: 'p.z', on: 'move' }] },
    });
    const { sessionId, text } = await runToEnd(client, home, buildTarget('e2e/passed.c'));
    const [first, second] = text.split('\n');
    expect(first).toMatch(/^! when "ofset > 3" cannot be decided in slice: .*All its calls are/);
    expect(second).toMatch(/^! Watch p\.z cannot be watched: /);
    const calls = await callsOf(client, sessionId);
    expect(calls.filter((call) => call.function === 'slice')).toHaveLength(8);
    const changes = await client.ok('debug_query', { view: 'changes', sessionId });
    expect(changes.text).toContain('no watch was accepted');
  });

  test('[trace.undecided] on a running session it is an error, and nothing of the request is done', async () => {
    const { sessionId } = await launch(client, home, buildTarget('e2e/ticker.cpp'), {
      patterns: ['clockwork::wind'],
    });
    const refused = async (request: Readonly<Record<string, unknown>>): Promise<string> => {
      const { text } = await client.refused('debug_trace', { sessionId, ...request });
      expect(text).toContain('Nothing was changed');
      const now = await client.ok('debug_trace', { sessionId });
      expect(listAt(now.structured, 'activePatterns').map((one) => textAt(one, 'pattern'))).toEqual(
        ['clockwork::wind'],
      );
      expect(listAt(now.structured, 'activeWatches')).toEqual([]);
      return text;
    };
    const when = 'rund > 3';
    expect(await refused({ add: [{ pattern: 'clockwork::tick', when }] })).toMatch(
      /BAD_EXPRESSION: when "rund > 3" cannot be decided in clockwork::tick: .*no parameter "rund"/,
    );
    expect(await refused({ add: [{ pattern: 'clockwork::tick', when, trigger: 'stop' }] })).toMatch(
      /the stop trigger's when "rund > 3" cannot be decided/,
    );
    expect(
      await refused({
        add: ['clockwork::tick'],
        remove: ['clockwork::wind'],
        watches: { add: [{ expr: 'round.hand', on: 'clockwork::tick' }] },
      }),
    ).toMatch(/Watch round\.hand cannot be watched: clockwork/);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  test('[query.emptiness] an answer without calls says how many a condition left out', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/passed.c'), {
      patterns: [{ pattern: 'slice', when: 'start > 99999999' }],
    });
    const { text } = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(text).toContain(
      'No call was recorded: slice was called 8 times, and when "start > 99999999" of slice left out all of them.',
    );
    expect(text).not.toContain('none was called');
  });

  test('[query.sql-names] columns have their names of JSON too; a note says when text is compared with a number', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/passed.c'), {
      patterns: ['weigh'],
    });
    const rows = async (sql: string): Promise<unknown> => {
      const { structured } = await client.ok('debug_query', { view: 'sql', sessionId, sql });
      return at(structured, 'rows');
    };
    expect(
      await rows(
        "SELECT functionName, returnValue AS returnValue, function_name_raw FROM calls WHERE functionName = 'weigh' AND timestampNs > 0 ORDER BY timestampNs LIMIT 1",
      ),
    ).toEqual([['weigh', '8', 'weigh']]);
    expect(await rows('SELECT count(*) FROM output WHERE timestampNs >= 0')).toEqual([[0]]);
    const { text } = await client.ok('debug_query', {
      view: 'sql',
      sessionId,
      sql: 'SELECT count(*) FROM calls WHERE threadName = 3',
    });
    expect(text).toContain('threadName is text');
  });

  test('[query.linkage-name] verbose answers have the name of the linker', async () => {
    const { sessionId } = await runToEnd(client, home, buildTarget('e2e/conditions.cpp'), {
      patterns: ['yard::numbers'],
    });
    const asked = { view: 'events', sessionId, eventType: ['call'], limit: 3 };
    const { text, structured } = await client.ok('debug_query', { ...asked, verbose: true });
    expect(textAt(structured, 'events', 0, 'functionNameRaw')).toMatch(/^_ZN4yard7numbers/);
    expect(text).toContain('_ZN4yard7numbers');
    expect((await client.ok('debug_query', asked)).text).not.toContain('_ZN4yard');
  });

  test('[launch.followed] a short program is launched, waited for and shown in one call', async () => {
    const { text, structured } = await client.ok('debug_launch', {
      command: buildTarget('e2e/passed.c'),
      projectRoot: home.project,
      patterns: ['weigh'],
      waitFor: 'exit',
      view: 'events',
    });
    expect(text).toMatch(/exited with 0|exit 0|code 0/);
    expect(text.match(/weigh\(/g)?.length).toBeGreaterThanOrEqual(4);
    expect(at(structured, 'waited', 'happened')).toBe('exit');
    expect(listAt(structured, 'answer', 'events').length).toBeGreaterThanOrEqual(4);
    const late = await client.ok('debug_launch', {
      command: buildTarget('e2e/ticker.cpp'),
      projectRoot: home.project,
      waitFor: 'exit',
      waitMs: 100,
      view: 'output',
    });
    expect(late.text).toContain('exit did not come within 100 ms');
    const sessionId = textAt(late.structured, 'sessionId');
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
