import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { linesOf } from '../support/calls.ts';
import { startClient } from '../support/client.ts';
import { testFolder } from '../support/folder.ts';
import { itNeeds } from '../support/needs.ts';
import { buildKnobs, buildKnobsSwing, withStage } from '../support/panel.ts';
import { listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { testHome, withClient } from '../support/suite.ts';
import { targetSource } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

async function elementsIn(tree: () => Promise<unknown>): Promise<string[]> {
  return listAt(await tree(), 'elements').map((line) => String(line).trim());
}

describe('vision', () => {
  const { home, client } = withClient(withStage);

  /** A panel whose things have `values`, and what is seen of them. */
  async function shown(
    [program, ...before]: readonly [string, ...string[]],
    values: readonly string[],
  ) {
    const args = [...before, ...values];
    const { sessionId } = await launch(client, home, program, { ui: true, args });
    await outputSeen(client, sessionId, 'shown');
    const read = async () => {
      const { structured } = await client.ok('debug_ui', { action: 'tree', sessionId });
      return listAt(structured, 'elements')
        .map(String)
        .filter((line) => line.includes('source=vision') && line.includes(' value='));
    };
    await vi.waitFor(async () => expect(await read()).toHaveLength(values.length), 60_000);
    const lines = await read();
    expect(await read()).toEqual(lines);
    const found = lines.map((line) => ({
      id: /id=(\w+)/.exec(line)?.[1],
      value: Number(/value=([\d.]+) /.exec(line)?.[1]),
    }));
    expect(found.map(({ id }) => id)).toEqual(['knob1', 'knob2', 'knob3', 'sld1']);
    for (const [index, { value }] of found.entries()) expectClose(value, values[index]);
    return sessionId;
  }

  function expectClose(value: number, wanted: string | undefined): void {
    expect(Math.abs(value - Number(wanted))).toBeLessThanOrEqual(0.05);
  }

  /** Sets a thing twice: what the program printed last is what was wanted. */
  async function expectSet(sessionId: string, id: string, index: number, wanted: string[]) {
    for (const value of wanted) {
      const asked = { action: 'setValue', sessionId, id, value: Number(value) };
      const { structured } = await client.ok('debug_ui', asked);
      const lines = await linesOf(client, sessionId, { stream: 'stdout' });
      const printed = lines.map(({ text }) => text).findLast((text) => text.startsWith('value'));
      expect(printed).toMatch(new RegExp(`^value ${index} `));
      expectClose(Number(printed?.split(' ')[2]), value);
      expect(textAt(structured, 'done')).toBe('confirmed');
    }
  }

  /** Where a thing was when it was let go, each time that it was held. */
  async function letGoAt(sessionId: string): Promise<number[]> {
    const lines = await linesOf(client, sessionId, { stream: 'stdout' });
    const holds = lines
      .map(({ text }) => text)
      .join('\n')
      .split(/^held \d+$/m)
      .slice(1);
    return holds.map((moves) => Number(moves.trim().split(' ').at(-1)));
  }

  itNeeds(
    'stage',
    '[ui.vision] knobs and a slider that cairo paints are read and set; what was tried with one is kept',
    async () => {
      await shown(buildKnobs(), ['0', '1', '0.5', '0.95']);
      const sessionId = await shown(buildKnobs(), ['0.6', '0.25', '0.8', '0.4']);
      await expectSet(sessionId, 'knob1', 0, ['0.1']);
      const tried = await letGoAt(sessionId);
      // A first drag only shows how far it goes.
      expect(tried[0]).toBeGreaterThan(0.2);
      await expectSet(sessionId, 'knob1', 0, ['0.75']);
      expectClose((await letGoAt(sessionId))[tried.length] ?? NaN, '0.75');
      await expectSet(sessionId, 'knob1', 0, ['0.2']);
      await expectSet(sessionId, 'knob3', 2, ['0.1']);
      await expectSet(sessionId, 'sld1', 3, ['0.9', '0.25']);
      expect(await letGoAt(sessionId), 'no double click').not.toContain(0);
      const unknown = { action: 'select', sessionId, id: 'knob1', item: 'Saw' };
      const { text } = await client.call('debug_ui', unknown);
      expect(text).toContain('it takes click, drag, scroll and setValue');
    },
  );

  itNeeds(
    'ocr',
    '[ui.ocr] captions that are painted name knobs, a text with a frame is a button, and a click on it does what the program prints',
    async () => {
      const [program, ...before] = buildKnobs();
      const args = [...before, '0.6', '0.25', '0.8', '0.4', 'named'];
      const { sessionId } = await launch(client, home, program, { ui: true, args });
      await outputSeen(client, sessionId, 'shown');
      const tree = async () =>
        (await client.ok('debug_ui', { action: 'tree', sessionId })).structured;
      await vi.waitFor(
        async () =>
          expect(await elementsIn(tree)).toContainEqual(
            expect.stringMatching(
              /^\[button "Reset" id=btn_reset source=vision by=OCR confidence=/,
            ),
          ),
        60_000,
      );
      const lines = await elementsIn(tree);
      for (const name of ['Cutoff', 'Resonance', 'Drive'])
        expect(lines).toContainEqual(expect.stringContaining(`[knob "${name}" id=`));
      expect(textAt(await tree(), 'sight')).toMatch(/^by shape, 4 texts by OCR, without models/);
      const reset = { action: 'click', sessionId, id: 'btn_reset' };
      expect((await client.ok('debug_ui', reset)).text).toContain('\nwrote: reset\n');
      const set = { ...reset, action: 'setValue', value: 1 };
      expect((await client.refused('debug_ui', set)).text).toContain('known by OCR alone');
    },
  );

  itNeeds(
    'stage',
    '[ui.vision] an unknown id is answered with the nearest, also where nothing is published',
    async () => {
      const values = ['0.6', '0.25', '0.8', '0.4'];
      const silent = ['-c', 'NO_AT_BRIDGE=1 exec "$0" "$@"', ...buildKnobs()];
      const sessionId = await shown(['/bin/sh', ...silent], values);
      const { structured } = await client.ok('debug_ui', { action: 'tree', sessionId });
      expect(textAt(structured, 'toolkit')).toContain('publishes nothing');
      const { text } = await client.call('debug_ui', { action: 'click', sessionId, id: 'knbo2' });
      expect(text).toMatch(/^UNKNOWN_ELEMENT: .*Did you mean .*knob2/);
    },
  );

  itNeeds(
    'stage',
    '[ui.vision-command] [settings.keys] a program of the user finds what shapes do not tell, and its failures are said',
    async () => {
      const mine = testHome(withStage);
      const answer = join(testFolder(), 'answer.json');
      const command = ['python3', targetSource('ui/finder.py'), answer];
      const settings = JSON.stringify({ 'vision.command': command });
      writeFileSync(join(mine.path, 'settings.json'), settings);
      const model = await startClient(mine);
      const knob = { role: 'knob', name: 'Filter', x: 38, y: 68, width: 84, height: 84 };
      const button = { role: 'button', name: '{WIDTH} wide', x: 20, y: 220, width: 90, height: 30 };
      const elements = [knob, button].map((one) => ({ ...one, confidence: 0.875 }));
      writeFileSync(answer, JSON.stringify({ elements }));
      const [program, ...before] = buildKnobs();
      const args = [...before, '0.6', '0.25', '0.8', '0.4'];
      const { sessionId } = await launch(model, mine, program, { ui: true, args });
      await outputSeen(model, sessionId, 'shown');
      const tree = async () =>
        (await model.ok('debug_ui', { action: 'tree', sessionId })).structured;
      const wide = `[button "520 wide" id=btn_520_wide source=vision by=vision.command confidence=0.88]`;
      await vi.waitFor(async () => expect(await elementsIn(tree)).toContain(wide), 60_000);
      expect(await elementsIn(tree)).toContainEqual(
        expect.stringMatching(/\[knob "Filter" id=(?!btn)/),
      );
      expect(textAt(await tree(), 'sight')).toContain('2 elements by');
      const guess = { sessionId, id: 'btn_520_wide' };
      const { structured: clicked } = await model.ok('debug_ui', { action: 'click', ...guess });
      expect(textAt(clicked, 'done')).toBe('sent');
      const set = await model.refused('debug_ui', { action: 'setValue', ...guess, value: 0.5 });
      expect(set.text).toMatch(/^NOT_ACTIONABLE: .*it takes click, drag and scroll/);
      const outside = JSON.stringify({ elements: [{ ...knob, x: 500, confidence: 1 }] });
      const wrong: ReadonlyArray<readonly [string, string, number]> = [
        ['nonsense', 'its answer is no JSON', 0.9],
        ['fail', 'the weights are missing', 0.1],
        ['{"elements":[{}]}', 'its answer, at elements.0.role', 0.9],
        [outside, 'leaves the picture', 0.1],
      ];
      for (const [text, said, value] of wrong) {
        writeFileSync(answer, text);
        // A picture that is as it was, and was answered, is not asked about again.
        await model.ok('debug_ui', { action: 'setValue', sessionId, id: 'sld1', value });
        expect(textAt(await tree(), 'sight')).toContain(said);
      }
    },
  );

  itNeeds('swing', '[ui.vision] the same is read and set where Swing paints it', async () => {
    await shown(buildKnobsSwing(), ['0', '1', '0.33', '0.05']);
    const sessionId = await shown(buildKnobsSwing(), ['0.1', '0.5', '0.95', '0.7']);
    await expectSet(sessionId, 'knob1', 0, ['0.75', '0.2']);
    await expectSet(sessionId, 'knob3', 2, ['0.1']);
    await expectSet(sessionId, 'sld1', 3, ['0.2', '0.9']);
  });
});
