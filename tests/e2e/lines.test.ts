import { describe, expect, test, vi } from 'vitest';
import { listAt, textAt } from '../support/read.ts';
import { exitOf, launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('lines', () => {
  const { home, client } = withClient();

  async function started(level: string, patterns: readonly unknown[]) {
    const program = buildTarget('e2e/invariants.c', [level]);
    const answer = await launch(client, home, program, { stdin: 'open', patterns });
    const { sessionId } = answer;
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
    return { sessionId, say, end };
  }

  async function calls(sessionId: string, equals: string): Promise<readonly unknown[]> {
    const asked = { view: 'events', sessionId, eventType: ['call'], function: { equals } };
    return listAt((await client.ok('debug_query', asked)).structured, 'events');
  }

  test('[lines.source] one call is shown as its source: which lines ran, how often, and what they left', async () => {
    const { sessionId, say, end } = await started('-O0', [
      { pattern: 'insert', lines: true },
      { pattern: 'move', lines: true },
    ]);
    const { text: state } = await client.ok('debug_trace', { sessionId });
    expect(state).toMatch(/The lines of move are recorded at \d+ of \d+ places/);
    await say('insert 3', 'insert 1', 'insert 2', 'move 1 4', 'move 9 1');
    const sources: string[] = [];
    for (const call of await calls(sessionId, 'move')) {
      const asked = { view: 'tree', sessionId, lines: true, root: textAt(call, 'id') };
      sources.push((await client.ok('debug_query', asked)).text);
    }
    const [found, missed] = sources;
    expect(found).toMatch(/×1 {2}struct node \*node = in->head; {3}→ node=0x\w+\n/);
    expect(found).toMatch(/×1 {2}node->key = to;/);
    expect(missed).toMatch(/×4 {2}while .* → node=0x\w+, 0x\w+, nullptr\n/);
    expect(missed).toMatch(/ - {2}node->key = to;/);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    const { text: ended } = await client.ok('debug_trace', { sessionId });
    expect(ended).toMatch(/The lines of move are recorded at \d+ of \d+ places/);
  });

  test('[lines.source] a line with inlined calls is counted once each time that it runs', async () => {
    const program = buildTarget('e2e/inlinedLines.c', ['-O0']);
    const { sessionId } = await launch(client, home, program, {
      patterns: [{ pattern: 'work', lines: true }],
    });
    expect(await exitOf(client, sessionId)).toEqual({ kind: 'exited', code: 0 });
    const [call] = await calls(sessionId, 'work');
    const asked = { view: 'tree', sessionId, lines: true, root: textAt(call, 'id') };
    const { text } = await client.ok('debug_query', asked);
    const shown = /^ *\d+ ×(\d+) {2}([^→\n]*?)(?: {3}→.*)?$/gm;
    const times: Record<string, number> = {};
    for (const [, ran, line = ''] of text.matchAll(shown)) times[line] = Number(ran);
    expect(times).toMatchObject({
      'int sum = 0;': 1,
      'for (int i = 0; i < count; i++)': 4,
      'sum += twice(i);': 3,
      'sum = more(sum) + more(count);': 1,
      'int sum = number + 1;': 2,
      'if (sum > 3)': 2,
      'sum += twice(sum);': 2,
      'sum += twice(1);': 1,
      'return number * 2;': 7,
    });
  });

  test('[lines.tree] lines are folded with their counts below their calls where they are asked for, in optimised code too', async () => {
    const { sessionId, say, end } = await started('-O2', [{ pattern: 'move', lines: true }]);
    await say('insert 3', 'insert 1', 'insert 2', 'move 9 4', 'move 2 1');
    const plain = await client.ok('debug_query', { view: 'tree', sessionId });
    expect(plain.text).not.toMatch(/node->key = to/);
    const { text } = await client.ok('debug_query', { view: 'tree', sessionId, lines: true });
    expect(text).toMatch(/ :32 node->key = to;/);
    expect(text).toMatch(/ :30 while .* ×\d/);
    await client.ok('debug_trace', { sessionId, remove: ['move'] });
    await say('move 1 4');
    expect(await calls(sessionId, 'move')).toHaveLength(2);
    const wrong = await client.refused('debug_trace', {
      sessionId,
      add: [{ pattern: 'move', lines: true, when: 'to > 1' }],
    });
    expect(wrong.text).toMatch(/lines needs every call.*\n.*Leave when out/);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
  });
});
