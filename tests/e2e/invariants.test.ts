import { describe, expect, test, vi } from 'vitest';
import { at, listAt, numberAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const sorted = 'forall(list.head, it->next, it->key <= next->key)';

describe('invariants', () => {
  const { home, client } = withClient();

  async function started(level: string, patterns: readonly unknown[]) {
    const { sessionId } = await launch(client, home, buildTarget('e2e/invariants.c', [level]), {
      stdin: 'open',
      patterns,
    });
    let { cursor } = await outputSeen(client, sessionId, 'ready');
    const say = async (...lines: readonly string[]): Promise<void> => {
      for (const text of lines) {
        await client.ok('debug_session', { action: 'input', sessionId, text: `${text}\n` });
        ({ cursor } = await outputSeen(client, sessionId, 'done', cursor));
      }
    };
    const end = async (): Promise<unknown> => {
      await client.ok('debug_session', { action: 'input', sessionId, text: '', eof: true });
      return exitOf(client, sessionId);
    };
    const events = async (eventType: readonly string[]) => {
      const { structured, text } = await client.ok('debug_query', {
        view: 'events',
        sessionId,
        eventType,
      });
      return { events: listAt(structured, 'events'), text };
    };
    return { sessionId, say, end, events };
  }

  test.each(['-O0', '-O2'])(
    '[invariant.broken] the call that breaks an invariant is an event below it, and so is each that breaks it again, %s',
    async (level) => {
      const { sessionId, say, end, events } = await started(level, [
        { pattern: 'insert', invariant: 'to->size <= to->room' },
        { pattern: 'move', invariant: sorted },
      ]);
      await say('insert 1', 'insert 2', 'insert 3', 'move 2 2.5', 'move 1 7', 'move 3 4');
      await say('move 7 0', 'move 4 -1', 'insert 5', 'insert 6', 'insert 7');
      const { events: hits, text } = await events(['logpoint']);
      const calls = new Map((await events(['call'])).events.map((one) => [textAt(one, 'id'), one]));
      expect(text).toMatch(
        /✗ after move: forall\(.*\) does not hold {2}it=\{next=.*key=2\.5\}, key=7\.0\}/,
      );
      const by = hits.map((hit) => {
        const call = calls.get(textAt(hit, 'parentEventId'));
        return [textAt(call, 'functionName'), at(call, 'arguments', 'from')];
      });
      expect(by).toEqual([
        ['move', 1],
        ['move', 4],
        ['insert', undefined],
      ]);
      const list = await client.ok('debug_breakpoint', { sessionId });
      expect(list.text).toMatch(
        /i1 to->size <= to->room bound · return · checked 6, held 4, broken 2/,
      );
      expect(list.text).toMatch(/i2 forall\(.*\) bound · return · checked 5, held 2, broken 3/);
      expect(await end()).toEqual({ kind: 'exited', code: 0 });
      expect(numberAt(list.structured, 'breakpoints', 0, 'held')).toBe(4);
    },
  );

  test('[invariant.line] an invariant is checked at a line by its locals, and is removed with its breakpoint', async () => {
    const { sessionId, say, end, events } = await started('-O0', ['insert']);
    const { structured } = await client.ok('debug_breakpoint', {
      sessionId,
      add: [
        {
          file: 'invariants.c',
          statement: 'to->size++;',
          invariant: '!node->next || key < node->next->key',
        },
      ],
    });
    expect(at(structured, 'breakpoints', 0, 'state')).toBe('bound');
    await say('insert 2', 'insert 1', 'insert 2', 'insert 2', 'insert 3');
    const { events: hits, text } = await events(['logpoint']);
    expect(hits).toHaveLength(1);
    expect(text).toMatch(
      /✗ .*invariants\.c: to->size\+\+;: .* does not hold {2}node\.next=.*key=2/,
    );
    const list = await client.ok('debug_breakpoint', { sessionId, remove: ['b1'] });
    expect(list.text).toMatch(/There are no breakpoints/);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });

  test('[invariant.wrong] an invariant that cannot be checked changes nothing and says why', async () => {
    const { sessionId, end } = await started('-O0', ['insert']);
    const refused = async (wanted: unknown): Promise<string> => {
      const { text } = await client.refused('debug_trace', { sessionId, add: [wanted] });
      return text;
    };
    expect(await refused({ pattern: 'move', invariant: 'nonesuch > 0' })).toMatch(
      /invariant nonesuch > 0 cannot be checked: .*nonesuch/,
    );
    expect(
      await refused({ pattern: 'move', invariant: 'forall(list.head, list.head, 1)' }),
    ).toMatch(/steps from `it`/);
    expect(await refused({ pattern: 'move', invariant: '1', firstN: 3 })).toMatch(
      /Leave firstN out/,
    );
    const { text } = await client.ok('debug_trace', { sessionId });
    expect(text).not.toMatch(/move|nonesuch/);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });
});
