import { describe, expect, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { buildKnobs, buildKnobsSwing, withStage } from '../support/panel.ts';
import { listAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('vision', () => {
  const { home, client } = withClient(withStage);

  /** Tells the values of what is seen in a panel that is given `values`; reads it twice. */
  async function seen(
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
        .filter((line) => line.includes('source=vision'));
    };
    await vi.waitFor(async () => expect(await read()).toHaveLength(values.length), 60_000);
    const lines = await read();
    expect(await read()).toEqual(lines);
    return lines.map((line) => ({
      id: /id=(\w+)/.exec(line)?.[1],
      value: Number(/value=([\d.]+) /.exec(line)?.[1]),
    }));
  }

  function expectValues(found: Awaited<ReturnType<typeof seen>>, values: readonly string[]): void {
    expect(found.map(({ id }) => id)).toEqual(['knob1', 'knob2', 'knob3', 'sld1']);
    for (const [index, { value }] of found.entries())
      expect(Math.abs(value - Number(values[index]))).toBeLessThanOrEqual(0.05);
  }

  itNeeds('stage', '[ui.vision] knobs and a slider that cairo paints are read', async () => {
    for (const values of [
      ['0.6', '0.25', '0.8', '0.4'],
      ['0', '1', '0.5', '0.95'],
    ])
      expectValues(await seen(buildKnobs(), values), values);
  });

  itNeeds('swing', '[ui.vision] the same is read where Swing paints it', async () => {
    for (const values of [
      ['0.1', '0.5', '0.95', '0.7'],
      ['0', '1', '0.33', '0.05'],
    ])
      expectValues(await seen(buildKnobsSwing(), values), values);
  });
});
