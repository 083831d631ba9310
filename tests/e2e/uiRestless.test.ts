import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { restless, withStage } from '../support/panel.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Enough that clocks tick at each moment of an action. */
const ROUNDS = 2;

describe('a window that changes by itself [ui.act]', () => {
  const { home, client } = withClient(withStage);

  itNeeds('chromium', 'a page: a clock and a growing list confirm no action', async () => {
    const { sessionId } = await launch(client, home, 'chromium', {
      ui: true,
      args: ['--headless=new', '--no-sandbox', `file://${targetSource('ui/restless.html')}`],
    });
    const tree = await client.ok('debug_ui', { action: 'tree', sessionId });
    expect(tree.text).toContain('id=btn_dead');
    for (const act of [
      { action: 'click', id: 'btn_dead' },
      { action: 'key', id: 'btn_dead', key: 'x' },
      { action: 'drag', id: 'btn_dead', right: 200 },
      { action: 'scroll', id: 'list_short', direction: 'down' },
      { action: 'type', id: 'txt_fixed', text: '1' },
    ]) {
      const { structured, text } = await client.ok('debug_ui', { sessionId, ...act });
      expect(textAt(structured, 'done'), text).not.toBe('confirmed');
    }
    const live = await client.ok('debug_ui', { action: 'click', sessionId, id: 'btn_live' });
    expect(textAt(live.structured, 'done'), live.text).toBe('confirmed');
    await client.ok('debug_session', { action: 'stop', sessionId });
  });

  for (const [toolkit, { need, build }] of Object.entries(restless))
    itNeeds(
      need,
      `${toolkit}: clocks, a lamp and a growing list confirm no action that has no effect`,
      async () => {
        const [command, ...args] = build();
        const { sessionId } = await launch(client, home, command, { ui: true, args });
        await outputSeen(client, sessionId, 'ready');
        const tree = await client.ok('debug_ui', { action: 'tree', sessionId, budget: 4000 });
        const idOf = (line: RegExp): string => line.exec(tree.text)?.[1] ?? `nothing like ${line}`;
        const fixed = idOf(/\[text id=(\w+)[^\n]*"fixed"/);
        const clock = idOf(/\[text id=(\w+)[^\n]*"12:/);
        const box = idOf(/\[combo box.* id=(\w+)/);
        const few = idOf(/\[list(?: box)? id=(\w+)\](?=\n +\[\D+"Only row")/);
        const acts: readonly Readonly<Record<string, unknown>>[] = [
          { action: 'click', id: 'btn_dead' },
          { action: 'key', id: 'btn_dead', key: 'x' },
          { action: 'type', id: fixed, text: 'x' },
          { action: 'type', id: clock, text: '1' },
          { action: 'select', id: box, item: 'Stereo' },
          { action: 'scroll', id: few, direction: 'down' },
          { action: 'drag', id: 'btn_dead', right: 30 },
        ];
        const set = { action: 'setValue', sessionId, id: fixed, value: 'other' };
        const refused = await client.refused('debug_ui', set);
        expect(refused.text).toMatch(/^NOT_ACTIONABLE: \w+ is a text that is read-only/);
        for (let round = 0; round < ROUNDS; round++)
          for (const act of acts) {
            const { structured, text } = await client.ok('debug_ui', { sessionId, ...act });
            expect(textAt(structured, 'done'), `${JSON.stringify(act)}\n${text}`).not.toBe(
              'confirmed',
            );
          }
        const output = await client.ok('debug_query', { view: 'output', sessionId, limit: 500 });
        const lines = listAt(output.structured, 'lines').map((line) => at(line, 'text'));
        expect(lines).toEqual(expect.arrayContaining(['asked', 'refused']));
        await client.ok('debug_session', { action: 'stop', sessionId });
      },
    );
});
