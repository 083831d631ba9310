import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { withStage } from '../support/panel.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget } from '../support/targets.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const shelf = (): string => buildTarget('ui/shelf.c', ['-O0']);

describe('on a stage', () => {
  const { home, client } = withClient(withStage);

  itNeeds(
    'stage',
    '[channel.dbus] calls, replies and signals on the session bus of a program are on the timeline; a method is called, also by a scenario',
    async () => {
      const { sessionId } = await launch(client, home, shelf(), { ui: true });
      await outputSeen(client, sessionId, 'ready');
      const channel = async (asked: object) => client.ok('debug_channel', { sessionId, ...asked });
      await channel({ action: 'open', channel: 'dbus' });
      const call = 'org.example.Shelf /org/example/Shelf org.example.Shelf.Put s';
      const halfCall = { sessionId, action: 'send', channel: 'dbus', text: 'Put' };
      expect((await client.refused('debug_channel', halfCall)).text).toMatch(
        /not the form of a call[\s\S]*DESTINATION/,
      );
      const put = { action: 'send', channel: 'dbus', text: `${call} ["bread"]` };
      const sent = await channel(put);
      expect(textAt(sent.structured, 'reply')).toContain('kept bread');
      const events = async (asked: object = {}): Promise<[unknown, unknown][]> => {
        const { structured } = await channel({ action: 'query', channel: 'dbus', ...asked });
        return listAt(structured, 'events').map((one) => [at(one, 'direction'), at(one, 'data')]);
      };
      await expect
        .poll(async () => events({ direction: 'out', text: 'bread' }))
        .toEqual([
          ['out', 'reply to org.example.Shelf.Put ("kept bread")'],
          ['out', 'signal org.example.Shelf.Moved /org/example/Shelf ("bread")'],
        ]);
      expect((await events({ direction: 'in', text: 'Put' }))[0]?.[1]).toMatch(
        /^pid \d+ call org\.example\.Shelf\.Put to org\.example\.Shelf \/org\/example\/Shelf \("bread"\)$/,
      );
      const passed = await channel({
        action: 'run',
        steps: [
          { do: 'send', on: 'dbus', text: `${call} ["stop"]` },
          { wait: { on: 'dbus', text: 'kept stop', direction: 'out' }, withinMs: 20_000 },
          { wait: { on: 'stdio', text: 'done' }, withinMs: 20_000 },
        ],
      });
      expect(passed.text).toMatch(/^passed: 3 of 3 steps/);
    },
  );
});

describe('without a stage', () => {
  const { home, client } = withClient();

  test('[channel.dbus] a session without a bus of its own, a channel that is not open, and what is no call, say the next step', async () => {
    const { sessionId } = await launch(client, home, '/bin/cat', { stdin: 'open' });
    for (const [asked, said] of [
      [{ action: 'open' }, /no display of its own[\s\S]*"ui": true/],
      [{ action: 'query' }, /dbus is not open[\s\S]*"action":"open"/],
      [{ action: 'send', text: 'Put' }, /no display of its own[\s\S]*"ui": true/],
    ] as const)
      expect(
        (await client.refused('debug_channel', { sessionId, channel: 'dbus', ...asked })).text,
      ).toMatch(said);
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
