import { describe, expect, test, vi } from 'vitest';
import { callsOf } from '../support/calls.ts';
import { at, listAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** Function, condition, how many of its calls meet it. */
const conditions: readonly (readonly [string, string, number])[] = [
  ['slice', 'a.offset + start > 65535', 2],
  ['slice', 'a.kind == 6 && a.size == 69998', 1],
  ['slice', '(unsigned short)(a.offset + start) < start', 2],
  ['slice', '(signed char)(a.kind + 250) == 0', 8],
  ['weigh', 'b.views[2].size > 10', 2],
  ['weigh', 'b.name == "first" && b.weight > 2', 4],
  ['weigh', 'after == 7 && before == b.id - 1', 4],
  ['weigh', 'b.views[after - 6].offset == 3', 1],
  ['move', 'p.x > 3', 2],
  ['move', 'p.y == -2 && by == 1', 4],
  ['mix', 'm.count == 3', 1],
  ['mix', 'm.scale >= 2', 2],
  ['grow', 'b->views[1].offset == 2', 1],
  ['rank', 'l->header->level[0].forward->level[0].forward->score > 15', 2],
  ['rank', 'l->header->level[1].forward->score == 10', 1],
  ['rank', 'l->header->level[index].forward->name == "two"', 2],
  ['rank', '*(double*)((char*)l->header->level[1].forward + 8) == 20', 1],
  ['rank', '((struct node*)l->header)->level[0].forward->level[0].span == 5', 4],
  ['rank', '(l->header->level[0].forward + 1) - l->header->level[0].forward == 1', 4],
  ['rank', 'contains((char*)l->header->level[0].forward->name + 1, "ne")', 4],
];

/** Function, watch, what each of its calls left. */
const watches: readonly (readonly [string, string, string, readonly unknown[]])[] = [
  ['slice', 'a.offset', 'enter', [0, 20000, 40000, 60000, 14464, 34464, 54464, 8928]],
  ['slice', 'return.offset', 'return', [20000, 40000, 60000, 14464, 34464, 54464, 8928, 28928]],
  ['slice', 'return.offset - a.offset - start', 'return', [0, 0, 0, -65536, 0, 0, -65536, 0]],
  ['weigh', 'b.views[2].size', 'enter', [0, 10, 20, 30]],
  ['weigh', 'b.name', 'enter', ['first', 'first', 'first', 'first']],
  ['weigh', 'return', 'return', [8, 20, 32, 44]],
  ['move', 'p', 'enter', [1.5, 2.5, 3.5, 4.5].map((x) => ({ x, y: -2 }))],
  ['move', 'return.x', 'return', [2.5, 3.5, 4.5, 5.5]],
  ['mix', 'return.scale', 'return', [1, 2, 4, 8]],
  ['mix', 'return.count', 'return', [2, 3, 4, 5]],
  ['grow', 'return.id', 'return', [2, 3, 4, 5]],
  ['rank', 'l->header->level[1].forward->score', 'enter', [0, 10, 20, 30]],
  ['rank', 'l->header->level[0].span', 'enter', [0, 0, 0, 0]],
];

describe('values passed as they are', () => {
  const { home, client } = withClient();

  test.each(['-O0', '-O2'])(
    '[trace.by-value] [trace.flexible] [trace.casts] conditions name their fields, elements of flexible arrays and what casts lead to, %s',
    async (level) => {
      const program = buildTarget('e2e/passed.c', [level]);
      for (const [pattern, when, wanted] of conditions) {
        const { sessionId } = await runToEnd(client, home, program, {
          patterns: [{ pattern, when }],
        });
        expect([when, (await callsOf(client, sessionId)).length]).toEqual([when, wanted]);
      }
    },
  );

  test.each(['-O0', '-O2'])(
    '[watch.by-value] [watch.results] watches show their fields, and those of results, %s',
    async (level) => {
      await client.ok('debug_trace', {
        pending: true,
        add: [...new Set(watches.map(([on]) => on))],
        watches: {
          add: watches.map(([on, expr, moment], i) => ({ on, expr, label: `w${i}`, at: moment })),
        },
      });
      const { sessionId } = await runToEnd(client, home, buildTarget('e2e/passed.c', [level]));
      for (const [i, [pattern, expr, , wanted]] of watches.entries()) {
        const { structured } = await client.ok('debug_query', {
          view: 'events',
          sessionId,
          eventType: ['variable_snapshot'],
          watched: { label: `w${i}` },
          budget: 20_000,
        });
        const seen = listAt(structured, 'events').map((event) => at(event, 'watchValues', `w${i}`));
        expect([pattern, expr, seen]).toEqual([pattern, expr, wanted]);
      }
    },
  );
});
