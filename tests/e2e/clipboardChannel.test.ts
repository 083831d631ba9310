import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { buildCopier, withStage } from '../support/panel.ts';
import { at, listAt } from '../support/read.ts';
import { launch, outputSeen } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('on a stage', () => {
  const { home, client } = withClient(withStage);

  async function copying() {
    const launched = { ui: true, stdin: 'open' };
    const { sessionId } = await launch(client, home, buildCopier(), launched);
    await outputSeen(client, sessionId, 'ready');
    const channel = async (asked: object) => client.ok('debug_channel', { sessionId, ...asked });
    return {
      channel,
      order: async (text: string) =>
        channel({ action: 'send', channel: 'stdio', text: `${text}\n` }),
      events: async (asked: object = {}): Promise<[unknown, unknown][]> => {
        const query = { action: 'query', channel: 'clipboard', ...asked };
        const { structured } = await channel(query);
        return listAt(structured, 'events').map((one) => [at(one, 'direction'), at(one, 'data')]);
      },
    };
  }

  itNeeds(
    'stage',
    '[channel.clipboard] what a program copies is on the timeline, also what it copied before; text that is no text, a password and an emptied clipboard are said',
    async () => {
      const { channel, order, events } = await copying();
      await order('copy before');
      await expect
        .poll(async () => {
          await channel({ action: 'open', channel: 'clipboard' });
          const seen = await events();
          if (seen.length === 0) await channel({ action: 'close', channel: 'clipboard' });
          return seen;
        })
        .toEqual([['out', 'copied 6 bytes "before"']]);
      await order('copy bread \u{1f35e}');
      await expect
        .poll(() => events({ text: 'bread' }))
        .toEqual([['out', 'copied 10 bytes "bread 🍞"']]);
      for (const [given, said] of [
        ['image', 'copied something: no text, but image/png'],
        ['password', 'copied something: a password, which is not read'],
        ['drop', 'emptied: its owner gave it up or ended'],
      ] as const) {
        await order(given);
        await expect.poll(async () => (await events()).at(-1)).toEqual(['out', said]);
      }
      const list = await channel({ action: 'list' });
      expect(list.text).toContain('clipboard open: each change');
      await order('quit');
    },
  );

  itNeeds(
    'stage',
    '[channel.clipboard] text is put on the clipboard, and pasted by the program, also in a scenario',
    async () => {
      const { channel, events } = await copying();
      const { text } = await channel({
        action: 'run',
        steps: [
          { do: 'send', on: 'clipboard', text: 'from outside' },
          {
            do: 'send',
            on: 'stdio',
            text: 'paste\n',
            expect: { on: 'stdio', text: 'pasted: from outside' },
            withinMs: 20_000,
          },
          {
            do: 'send',
            on: 'stdio',
            text: 'copy its own\n',
            expect: { on: 'clipboard', text: 'its own', direction: 'out' },
            withinMs: 20_000,
          },
          { do: 'send', on: 'stdio', text: 'quit\n' },
          { wait: { on: 'stdio', text: 'done' }, withinMs: 20_000 },
        ],
      });
      expect(text).toMatch(/^passed: 5 of 5 steps/);
      expect(await events({ direction: 'in' })).toEqual([
        ['in', 'put there: 12 bytes "from outside"'],
        ['in', 'pasted 12 bytes "from outside"'],
      ]);
    },
  );
});

describe('without a stage', () => {
  const { home, client } = withClient();

  test('[channel.clipboard] a program without a display of its own has no clipboard, and the answer says what it needs', async () => {
    const { sessionId } = await launch(client, home, '/bin/cat', { stdin: 'open' });
    const asked = { sessionId, action: 'open', channel: 'clipboard' };
    expect((await client.refused('debug_channel', asked)).text).toMatch(
      /no display of its own[\s\S]*"ui": true[\s\S]*apt-get install xvfb/,
    );
    await client.ok('debug_session', { action: 'stop', sessionId });
  });
});
