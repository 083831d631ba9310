import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { withStage } from '../support/panel.ts';
import { listAt, textAt } from '../support/read.ts';
import { launch } from '../support/runs.ts';
import { packageRoot } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const shop = join(packageRoot, 'tests/targets/ui/shop.html');
const till = join(packageRoot, 'tests/targets/ui/till.html');

describe('pages of Chromium', () => {
  const { home, client } = withClient(withStage);

  itNeeds(
    'chromium',
    '[ui.page] [channel.page] a page is read, pictured and used by what is on it, and says itself what was done',
    async () => {
      const args = ['--headless=new', '--no-sandbox', `file://${shop}?password=abc`];
      const { sessionId } = await launch(client, home, 'chromium', { ui: true, args });
      const asked = async (action: string, more: Readonly<Record<string, unknown>> = {}) =>
        await client.ok('debug_ui', { action, sessionId, ...more });
      const { text: tree, structured } = await asked('tree');
      expect(textAt(structured, 'toolkit')).toMatch(/^Chrome \d/);
      for (const line of [
        '[page "Shop" id=page_shop',
        '[heading "Shop" id=hdg_shop]',
        '[button "Buy" id=btn_buy]',
        '[button "Sold out" id=btn_sold_out disabled]',
        '[status "nothing" id=stat_nothing]',
        '[text "Name" id=txt_name ""]',
        '[text "Word" id=txt_word ""]',
        '[check box "Gift" id=chk_gift]',
        '[slider "Volume" id=sld_volume value=3 (0..10)]',
        '[combo box "Wave" id=cmb_wave "Saw"]',
      ])
        expect(tree).toContain(line);
      expect(tree).not.toMatch(/•|abc/);
      const act = async (
        action: string,
        more: Readonly<Record<string, unknown>>,
        change: string,
      ) => {
        const done = await asked(action, more);
        expect(textAt(done.structured, 'done'), done.text).toBe('confirmed');
        expect(listAt(done.structured, 'delta').join('\n')).toContain(change);
      };
      await act('click', { id: 'btn_buy' }, '~ [status "bought 1" id=stat_nothing]');
      await act('setValue', { id: 'txt_name', value: 'Ada' }, 'id=txt_name focused "Ada"]');
      await act('type', { id: 'txt_name', text: ' ñ €' }, '"Ada ñ €"');
      await act('key', { id: 'txt_name', key: 'BackSpace' }, '"Ada ñ "');
      await act('click', { id: 'chk_gift' }, 'id=chk_gift checked');
      await act('setValue', { id: 'sld_volume', value: 7 }, 'value=7 (0..10)');
      await act('select', { id: 'cmb_wave', item: 'Noise' }, '"Noise"');
      const dragged = await asked('drag', { id: 'sld_volume', right: -30 });
      expect(textAt(dragged.structured, 'done'), dragged.text).toBe('confirmed');
      const volume = /\bvalue=(\d+)/.exec(textAt(dragged.structured, 'element'))?.[1];
      expect(Number(volume), dragged.text).toBeLessThan(5);
      const scrolled = await asked('scroll', { id: 'page_shop', direction: 'down' });
      expect(textAt(scrolled.structured, 'done'), scrolled.text).toBe('confirmed');
      const far = await asked('click', { id: 'btn_far' });
      expect(textAt(far.structured, 'means')).toBe('pointer');
      for (const [id, why] of [
        ['btn_under', /^NOT_ACTIONABLE: div#veil covers the button "Under"/],
        ['btn_sold_out', /^NOT_ACTIONABLE: btn_sold_out is disabled/],
        ['btn_by', /^UNKNOWN_ELEMENT: .*btn_buy/],
      ] as const) {
        const refused = await client.refused('debug_ui', { action: 'click', sessionId, id });
        expect(refused.text).toMatch(why);
      }
      const query = { action: 'query', sessionId, channel: 'page' };
      const events = async (): Promise<string> => (await client.ok('debug_channel', query)).text;
      await asked('click', { id: 'btn_break' });
      await vi.waitFor(
        async () => expect(await events()).toContain('ReferenceError: missing'),
        10_000,
      );
      const said = await events();
      for (const line of [
        'bought 1',
        'name Ada ñ €',
        'gift true',
        'volume 7',
        `volume ${volume}`,
        'scrolled true',
        'wave Noise',
        'reached',
      ])
        expect(said).toContain(`→ console.log ${line}`);
      const run = { action: 'run', sessionId };
      const steps = [
        { do: 'click', role: 'button', name: 'Buy' },
        { wait: { on: 'page', text: 'console.log bought 2' } },
        { assert: { on: 'ui', id: 'stat_nothing', text: 'bought 2' } },
      ];
      const { structured: ran, text: report } = await client.ok('debug_channel', { ...run, steps });
      expect(textAt(ran, 'outcome'), report).toBe('passed');
      const { structured: shot } = await asked('screenshot', { annotate: true });
      const png = readFileSync(textAt(shot, 'path'));
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect(textAt(shot, 'window')).toBe('Shop');
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );

  itNeeds(
    'chromium',
    '[ui.page-parts] frames and further pages are used like the page, and a dialog of a script is shown and answered',
    async () => {
      const args = ['--headless=new', '--no-sandbox', `file://${till}`];
      const { sessionId } = await launch(client, home, 'chromium', { ui: true, args });
      const act = async (
        action: string,
        more: Readonly<Record<string, unknown>>,
        ...seen: readonly string[]
      ) => {
        const { text } = await client.ok('debug_ui', { action, sessionId, ...more });
        for (const one of [': confirmed', ...seen]) expect(text).toContain(one);
      };
      const shown = async (line: string): Promise<void> => {
        const whole = { action: 'tree', sessionId, budget: 4000 };
        await vi.waitFor(
          async () => expect((await client.ok('debug_ui', whole)).text).toContain(line),
          20_000,
        );
      };
      await shown('[status "calm" id=stat_calm]');
      await act('click', { id: 'btn_press' }, '[status "pressed" id=stat_calm]');
      await act('setValue', { id: 'txt_word', value: 'Ada' }, 'id=txt_word focused "Ada"]');

      await act('click', { id: 'btn_tell' }, '+ [dialog "Sold" id=dlg_sold modal "alert"]');
      for (const asked of [{ action: 'click', id: 'btn_ask' }, { action: 'screenshot' }]) {
        const refused = await client.refused('debug_ui', { ...asked, sessionId });
        expect(refused.text).toMatch(/^NOT_ACTIONABLE: .*Sold/);
      }
      await act('click', { id: 'btn_ok' }, '- [dialog "Sold"', '[status "told" id=stat_nothing]');
      await act('click', { id: 'btn_ask' }, '+ [button "Cancel"');
      await act('key', { key: 'Escape' }, '[status "sure false"');
      await act('click', { id: 'btn_ask' }, '[dialog "Buy it?"');
      await act('key', { key: 'Return' }, '[status "sure true"');
      await act('click', { id: 'btn_name' }, '"prompt"]', '"Eve"]');
      await act('type', { text: ' and Bob' }, '"Eve and Bob"]');
      await act('key', { key: 'Return' }, '[status "name Eve and Bob"');

      await client.ok('debug_ui', { action: 'click', sessionId, id: 'btn_popup' });
      await shown('[status "calm" id=stat_calm_2]');
      await act('click', { id: 'btn_press_2' }, '[status "pressed" id=stat_calm_2]');
      const query = { action: 'query', sessionId, channel: 'page' };
      const { text: said } = await client.ok('debug_channel', query);
      for (const line of [
        '→ console.log pressed in a frame',
        '→ console.log word Ada',
        '→ alert Sold',
        '← dialog dismissed',
        '→ console.log pressed in a page',
      ])
        expect(said).toContain(line);
      await client.ok('debug_session', { action: 'stop', sessionId });
    },
  );
});
