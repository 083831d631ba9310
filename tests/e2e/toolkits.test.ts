import { execFileSync } from 'node:child_process';
import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { panels, withStage } from '../support/panel.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describe('windows of each toolkit [ui.toolkits]', () => {
  const { home, client } = withClient(withStage);

  async function started([command, ...args]: readonly [string, ...string[]]) {
    const { sessionId, structured } = await launch(client, home, command, { ui: true, args });
    await outputSeen(client, sessionId, 'ready');
    return { sessionId, pid: Number(at(structured, 'pid')) };
  }

  /** What Java's bridge to the accessibility bus wrongly drops shows when garbage is collected. */
  async function collectGarbage(sessionId: string, pid: number) {
    for (let turn = 0; turn < 3; turn++) {
      execFileSync('jcmd', [String(pid), 'GC.run']);
      await client.ok('debug_ui', { action: 'tree', sessionId });
    }
  }

  async function written(sessionId: string, stream: 'stdout' | 'stderr') {
    const answer = await client.ok('debug_query', { view: 'output', sessionId, limit: 500 });
    const lines = listAt(answer.structured, 'lines');
    return lines
      .filter((line) => at(line, 'stream') === stream)
      .map((line) => textAt(line, 'text'));
  }

  for (const [toolkit, { need, build, noise }] of Object.entries(panels))
    itNeeds(
      need,
      `${toolkit}: the program itself says what every action says that it did, and nothing on stderr`,
      async () => {
        const command = build();
        const { sessionId, pid } = await started(command);
        const { text: tree } = await client.ok('debug_ui', {
          action: 'tree',
          sessionId,
          budget: 4000,
        });
        const idOf = (line: RegExp): string => line.exec(tree)?.[1] ?? `nothing like ${line}`;
        const [slider, spin, entry, box, list] = [
          idOf(/\[slider.* id=(\w+)/),
          idOf(/\[spin button.* id=(\w+)/),
          idOf(/\[text id=(\w+) ""/),
          idOf(/\[combo box.* id=(\w+)/),
          idOf(/\[list(?: box)? id=(\w+)\](?=\n +\[\D+"Preset 0")/),
        ];
        const act = async (
          action: string,
          more: Readonly<Record<string, unknown>>,
          ...prints: readonly string[]
        ) => {
          const before = await written(sessionId, 'stdout');
          const { structured, text } = await client.ok('debug_ui', { action, sessionId, ...more });
          expect(textAt(structured, 'done'), text).toBe('confirmed');
          const after = (await written(sessionId, 'stdout')).slice(before.length);
          for (const line of prints) expect(after, `${text}\n${tree}`).toContain(line);
          return { element: String(at(structured, 'element')), after };
        };
        await act('click', { id: 'btn_play' }, 'note 1');
        await act('click', { id: 'chk_loop' }, 'loop 1');
        await act('setValue', { id: slider, value: 7 }, 'cutoff 7');
        await act('setValue', { id: spin, value: 42 }, 'voices 42');
        await act('setValue', { id: entry, value: 'first' }, 'name first');
        await act('key', { id: entry, key: 'BackSpace' }, 'name firs');
        await act('type', { id: entry, text: 'Añ € b' }, 'name firsAñ € b');
        await act('select', { id: box, item: noise }, 'wave Noise');
        await act('scroll', { id: list, direction: 'down' }, 'scrolled 1');
        await act('select', { id: list, item: 'Preset 2' }, 'preset 2');
        await act('select', { id: list, item: 'Preset 30' }, 'preset 30');
        const { element, after: moves } = await act('drag', { id: slider, right: 80 });
        const now = Number(/value=([\d.]+)/.exec(element)?.[1]);
        const last = moves.findLast((line) => line.startsWith('cutoff '));
        expect(Number(last?.split(' ')[1])).toBeCloseTo(now, 2);
        expect(now).not.toBe(7);
        await act('click', { id: 'btn_about' }, 'about');
        const refused = await client.refused('debug_ui', {
          action: 'click',
          sessionId,
          id: 'btn_play',
        });
        expect(refused.text).toMatch(/^NOT_ACTIONABLE: .*About Panel.*in front/);
        await act('click', { id: 'btn_close' }, 'closed');
        const end = { action: 'scroll', sessionId, id: list, direction: 'up', amount: 100 };
        await client.ok('debug_ui', end);
        const still = await client.ok('debug_ui', end);
        expect(textAt(still.structured, 'done'), still.text).toBe('noEffect');
        if (toolkit === 'Swing') await collectGarbage(sessionId, pid);
        const errors = await written(sessionId, 'stderr');
        await client.ok('debug_session', { action: 'stop', sessionId });
        const { sessionId: unobserved } = await started(command);
        expect(errors).toEqual(await written(unobserved, 'stderr'));
        await client.ok('debug_session', { action: 'stop', sessionId: unobserved });
      },
    );
});
