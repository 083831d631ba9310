import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe('with a JACK server', () => {
  const { home, client } = withClient();

  itNeeds(
    'jack',
    '[channel.midi] what programs of JACK play and are sent is on the timeline, in words; a scenario plays a note and sees what the program makes of it',
    async () => {
      const opened = await client.ok('debug_channel', { action: 'open', channel: 'midi' });
      const env = { JACK_DEFAULT_SERVER: textAt(opened.structured, 'env', 'JACK_DEFAULT_SERVER') };
      const { sessionId } = await launch(client, home, 'jack_midi_dump', { env, tty: true });
      const channel = async (asked: object) => client.ok('debug_channel', { sessionId, ...asked });
      const events = async (asked: object = {}): Promise<[unknown, unknown][]> => {
        const { structured } = await channel({ action: 'query', channel: 'midi', ...asked });
        return listAt(structured, 'events').map((one) => [at(one, 'direction'), at(one, 'data')]);
      };
      await expect.poll(() => events({ text: 'is connected' })).toHaveLength(1);
      const { text } = await channel({
        action: 'run',
        steps: [
          { do: 'send', on: 'midi', text: 'note on A4 100; cc 7 127 channel 2' },
          { wait: { on: 'stdio', text: '90 45 64', since: 'start' }, withinMs: 20_000 },
          { wait: { on: 'stdio', text: 'b1 07 7f', since: 'start' }, withinMs: 20_000 },
        ],
      });
      expect(text).toMatch(/^passed: 3 of 3 steps/);
      await channel({ action: 'send', channel: 'midi', base64: 'gEUA8H4B9w==' });
      await expect
        .poll(() => events({ direction: 'in' }))
        .toEqual([
          ['in', 'note on A4 100 channel 1'],
          ['in', 'cc 7 127 channel 2'],
          ['in', 'note off A4 channel 1'],
          ['in', 'f0 7e 01 f7'],
        ]);
      const player = await launch(client, home, 'jack_midiseq', {
        args: ['player', '24000', '0', '60', '8000', '12000', '63', '8000'],
        env,
      });
      await expect.poll(() => events({ text: 'note on D#4' })).not.toHaveLength(0);
      await expect.poll(() => events({ text: 'note on C4 ' })).not.toHaveLength(0);
      expect((await events({ text: 'note on C4 ' }))[0]).toEqual([
        'out',
        expect.stringMatching(/^note on C4 \d+ channel 1$/),
      ]);
      const list = await channel({ action: 'list' });
      expect(list.text).toMatch(/midi +open: strobe-\w+ \(.*player:out.*\): programs played \d+/);
      await client.ok('debug_session', { action: 'stop', sessionId: player.sessionId });
      await expect.poll(() => events({ text: 'player:out has gone' })).toHaveLength(1);
      const wrong = await client.refused('debug_channel', {
        sessionId,
        action: 'send',
        channel: 'midi',
        text: 'note on H4',
      });
      expect(wrong.text).toMatch(/"H4" is not 0 to 127[\s\S]*note on A4 100/);
      await client.ok('debug_session', { action: 'stop', sessionId });
      await client.ok('debug_channel', { action: 'close', channel: 'midi' });
    },
  );
});

describe('without a JACK server', () => {
  const { client } = withClient({ PATH: '/nowhere' });

  test('[channel.midi] what is not installed is named with its package, and nothing to send to is said', async () => {
    const opened = await client.refused('debug_channel', { action: 'open', channel: 'midi' });
    expect(opened.text).toMatch(/needs jackd[\s\S]*apt-get install jackd2/);
    const closed = await client.refused('debug_channel', { action: 'close', channel: 'midi' });
    expect(closed.text).toMatch(/No MIDI server is open[\s\S]*"action":"open"/);
  });
});
