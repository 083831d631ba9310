import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openedEditor } from '../support/editorHost.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('watched values in the extension of VS Code', () => {
  const { home, client } = withClient();

  async function program() {
    const { sessionId } = await launch(
      client,
      home,
      buildTarget('e2e/stops.cpp', ['-O0', '-pthread']),
      { stdin: 'open', patterns: ['work'] },
    );
    onTestFinished(async () => {
      await client.call('debug_session', { action: 'stop', sessionId });
    });
    await outputSeen(client, sessionId, 'ready');
    return sessionId;
  }

  test('[extension.watches] what a person and an agent watch is read while the program runs, set, and what cannot be read says why', async () => {
    const sessionId = await program();
    const written = [' counter ', 'ended', 'nosuch', '500'];
    const { run, tree, shown } = openedEditor(home, { written });
    const { rows, itemOf } = tree('strobe.watches');
    expect(await rows()).toEqual([]);
    for (const _ of ['counter', 'ended', 'nosuch']) await run('watch');
    const items = async () => await Promise.all((await rows()).map(itemOf));
    const lines = async () =>
      (await items()).map((one) => `${textAt(one, 'label')}: ${textAt(one, 'description')}`);
    expect(await lines()).toEqual([
      'counter: 0',
      expect.stringContaining('ended: '),
      expect.stringMatching(/^nosuch: no single global is named nosuch/),
    ]);
    await client.ok('debug_session', { action: 'input', sessionId, text: 'a\n' });
    await outputSeen(client, sessionId, 'done');
    const [changed] = await items();
    expect(changed).toMatchObject({ description: '10', contextValue: 'watched' });
    expect(at(changed, 'iconPath', 'color', 'id')).toBe('charts.yellow');
    expect(at((await items())[0], 'iconPath', 'color')).toBeUndefined();
    const add = [{ expr: 'counter', on: 'work' }];
    await client.ok('debug_trace', { sessionId, watches: { add } });
    const sampled = (await items()).find((one) => at(one, 'contextValue') === 'sampled');
    expect(sampled).toMatchObject({ label: 'counter', description: '10 · sampled at work' });
    const [row] = await rows();
    const ended = (await rows()).find((one) => at(one, 'expression') === 'counter');
    await run('setWatched', ended);
    expect(shown).toEqual([]);
    expect(await lines()).toContain('counter: 500 · sampled at work');
    await run('unwatch', row);
    expect(await lines()).toHaveLength(2);
    await run('showChanges', ended);
    expect(shown.at(-1)).toMatch(/counter/);
    await client.ok('debug_session', { action: 'stop', sessionId });
    await run('refresh');
    expect(await rows()).toEqual([]);
  });

  test('[extension.memory] the bytes of a variable as they are now, before and behind it, or why they cannot be read', async () => {
    const sessionId = await program();
    const { run, tree, pages } = openedEditor(home, { written: ['counter', 'nosuch'] });
    for (const _ of ['counter', 'nosuch']) await run('watch');
    const [counter, nosuch] = await tree('strobe.watches').rows();
    await client.ok('debug_session', { action: 'input', sessionId, text: 'a\n' });
    await outputSeen(client, sessionId, 'done');
    await run('showMemory', counter);
    await run('showMemory', nosuch);
    const move = async (page: number, by: number) =>
      (await pages[page]?.say({ kind: 'move', by }))?.at(-1);
    const here = await move(0, 0);
    expect(textAt(here, 'bytes')).toMatch(/^0a000000(?:[0-9a-f]{2})+$/);
    const address = BigInt(textAt(here, 'address'));
    const asked = { sessionId, do: [{ read: textAt(here, 'address'), bytes: 4 }] };
    const read = listAt((await client.ok('debug_memory', asked)).structured, 'results');
    expect(at(read, 0, 'bytes')).toBe('0a000000');
    const offset = textAt(here, 'bytes').length / 2;
    const behind = await move(0, 1);
    if (textAt(behind, 'why') === '')
      expect(BigInt(textAt(behind, 'address'))).toBe(address + BigInt(offset));
    expect(await move(0, 0)).toMatchObject({ address: textAt(here, 'address') });
    expect(textAt(await move(1, 0), 'why')).toMatch(/named nosuch/);
    await client.ok('debug_session', { action: 'stop', sessionId });
    expect(textAt(await move(0, 0), 'why')).not.toBe('');
  });
});
