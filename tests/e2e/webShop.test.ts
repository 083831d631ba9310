import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { withStage } from '../support/panel.ts';
import { pythons } from '../support/pythons.ts';
import { listAt, textAt } from '../support/read.ts';
import { launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** As its line begins, wherever it is in the tree. */
function depthOf(tree: string, call: string): number {
  const line = tree.split('\n').find((one) => one.trimStart().startsWith(call));
  expect(line, `${call} in\n${tree}`).toBeDefined();
  return (line ?? '').search(/\S/);
}

describe('a web shop that opens its page in $BROWSER', () => {
  const { home, client } = withClient(withStage);

  itNeeds(
    'webShop',
    '[ui.browser] [channel.tree] a click, the server function, its queries and the response are one tree, and one scenario',
    async () => {
      const python = pythons.find(({ isSystem }) => !isSystem)?.path ?? 'python3';
      const { sessionId } = await launch(client, home, python, {
        args: [targetSource('ui/shop.py'), '--headless=new', '--no-sandbox'],
        ui: true,
        follow: 'none',
        patterns: ['shop.*', 'shop.Shop.*', '@net'],
      });
      await vi.waitFor(async () => {
        const { text } = await client.ok('debug_ui', { action: 'tree', sessionId });
        expect(text).toContain('[button "Buy tea" id=btn_buy_tea]');
      }, 60_000);
      const click = { action: 'click', sessionId, id: 'btn_buy_tea' };
      const { text, structured } = await client.ok('debug_ui', click);
      expect(textAt(structured, 'done'), text).toBe('confirmed');
      expect(text).toContain('[status "1 of tea ordered"');
      const [next] = listAt(structured, 'nextSteps');
      const asked: unknown = JSON.parse(String(next).replace('debug_query ', ''));
      if (typeof asked !== 'object') throw new Error(`no question in ${String(next)}`);
      const { text: tree } = await client.ok('debug_query', { ...asked, sessionId, budget: 8000 });
      const at = (call: string): number => depthOf(tree, call);
      const calls = [
        'shop.Shop.do_POST(',
        'shop.place_order(item="tea") = "1 of tea ordered"',
        'shop.query(statement="INSERT INTO orders',
      ];
      expect(calls.map(at)).toEqual([2, 4, 6]);
      expect(at('shop.query(statement="SELECT count')).toBe(6);
      expect(at('shop.Shop.answer(')).toBe(4);
      expect(at('send(')).toBe(6);
      expect(tree).toMatch(/send\(.*data="HTTP\/1\.0 200 OK/);
      const { structured: ran, text: report } = await client.ok('debug_channel', {
        action: 'run',
        sessionId,
        steps: [
          { do: 'click', role: 'button', name: 'Buy tea' },
          { wait: { on: 'ui', role: 'status', text: '2 of tea ordered' } },
          { assert: { on: 'trace', function: 'shop.place_order', count: 1 } },
          { assert: { on: 'net', text: 'POST /orders' } },
          { assert: { on: 'page', text: '/orders answered 200' } },
        ],
      });
      expect(textAt(ran, 'outcome'), report).toBe('passed');
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );
});
