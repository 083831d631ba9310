import { expect, vi } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { buildKeys, withStage } from '../support/panel.ts';
import { listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const KEYS = 50;
const ROUNDS = 20;
const { home, client } = withClient(withStage);

itNeeds(
  'stage',
  '[ui.tree] fifty ids are the same after a hundred actions: names that change, widgets made anew, a dialog that opens and closes',
  async () => {
    const { sessionId } = await launch(client, home, buildKeys(), { ui: true });
    await outputSeen(client, sessionId, 'ready');
    const idsOfKeys = async (): Promise<Map<number, string>> => {
      const asked = { action: 'tree', sessionId, budget: 10_000 };
      const { structured } = await client.ok('debug_ui', asked);
      const lines = listAt(structured, 'elements').map(String);
      const keys = lines.map((line) => /"Key (\d+)[^"]*" id=(\w+)/.exec(line));
      return new Map(
        keys.filter((key) => key !== null).map(([, key, id]) => [Number(key), String(id)]),
      );
    };
    const first = await idsOfKeys();
    expect(first.size).toBe(KEYS);
    let actions = 0;
    const click = async (id: string | undefined, printed: string) => {
      const { structured, text } = await client.ok('debug_ui', { action: 'click', sessionId, id });
      expect(textAt(structured, 'done'), text).toBe('confirmed');
      const lines = await linesOf(client, sessionId, { stream: 'stdout' });
      expect(lines.at(-1)?.text, text).toBe(printed);
      actions++;
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const step of [0, 17, 31]) {
        const key = (round * 7 + step) % KEYS;
        await click(first.get(key), `key ${key}`);
      }
      if (round % 2 === 0) await click('btn_rebuild', 'rebuilt');
      else {
        await click('btn_ask', 'asked');
        await click('btn_yes', 'closed');
      }
      expect(await idsOfKeys()).toEqual(first);
    }
    for (const [key, id] of [...first].slice(0, 100 - actions)) await click(id, `key ${key}`);
    expect(actions).toBe(100);
    expect(await idsOfKeys()).toEqual(first);
  },
);
