import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { at, listAt, textAt } from '../support/read.ts';
import { exitOf, launch } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const rate = 44_100;

/** A file of one channel with tones, each with its length in seconds; 0 Hz: silence. */
function toneFile(folder: string, tones: readonly (readonly [hz: number, seconds: number])[]) {
  const samples = tones.flatMap(([hz, seconds]) =>
    Array.from({ length: Math.round(seconds * rate) }, (_, index) =>
      Math.round(16_383 * Math.sin((2 * Math.PI * hz * index) / rate)),
    ),
  );
  const head = Buffer.alloc(44);
  head.write('RIFF____WAVEfmt ', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length * 2, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length * 2, 40);
  const path = join(folder, 'tones.wav');
  writeFileSync(path, Buffer.concat([head, Buffer.from(Int16Array.from(samples).buffer)]));
  return path;
}

describe('with a sound server', () => {
  const { home, client } = withClient();

  async function playing(player: string, tones: Parameters<typeof toneFile>[1]) {
    const opened = await client.ok('debug_channel', { action: 'open', channel: 'audio' });
    const file = toneFile(home.project, tones);
    const env = Object.fromEntries(
      ['PULSE_SERVER', 'ALSA_CONFIG_PATH'].map((name) => [
        name,
        textAt(opened.structured, 'env', name),
      ]),
    );
    const { sessionId } = await launch(client, home, player, { args: [file], env });
    const channel = async (asked: object) =>
      client.ok('debug_channel', { sessionId, channel: 'audio', ...asked });
    return {
      opened,
      sessionId,
      channel,
      events: async (asked: object = {}): Promise<string[]> => {
        const { structured } = await channel({ action: 'query', ...asked });
        return listAt(structured, 'events').map((one) => String(at(one, 'data')));
      },
    };
  }

  itNeeds(
    'sound',
    '[channel.audio] what a program plays is on the timeline: tones with their pitch and level, and the silence after them; a scenario waits for a note',
    async () => {
      const { opened, sessionId, channel, events } = await playing('paplay', [
        [440, 1],
        [660, 1],
      ]);
      expect(opened.text).toContain('debug_launch');
      const { text } = await channel({
        action: 'run',
        channel: undefined,
        steps: [
          { wait: { on: 'audio', text: 'sound A4', since: 'start' }, withinMs: 20_000 },
          { wait: { on: 'audio', text: 'sound E5', since: 'start' }, withinMs: 20_000 },
        ],
      });
      expect(text).toMatch(/^passed: 2 of 2 steps/);
      await expect.poll(() => events({ text: 'silence' })).not.toHaveLength(0);
      const [tone = '', ...more] = await events();
      expect(tone).toMatch(/^sound A4 (439|440)\.\d Hz, level -9\.\d dB, peak 0\.50/);
      expect(more).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^sound E5 (659|660)\.\d Hz/),
          expect.stringMatching(/^silence after \d\.\d\d s of sound$/),
        ]),
      );
      const list = await client.ok('debug_channel', { action: 'list', sessionId });
      expect(list.text).toMatch(/audio +open: unix:\S+ .*silence/);
      await client.ok('debug_channel', { action: 'close', channel: 'audio' });
    },
  );

  itNeeds(
    'alsaSound',
    '[channel.audio] a program of ALSA plays there by the same environment, and ends as alone',
    async () => {
      const { sessionId, events, channel } = await playing('aplay', [[220, 1]]);
      expect(await exitOf(client, sessionId)).toMatchObject({ code: 0 });
      await expect
        .poll(() => events())
        .toEqual(expect.arrayContaining([expect.stringMatching(/^sound A3 (219|220)\.\d Hz/)]));
      await channel({ action: 'close' });
    },
  );
});

describe('without a sound server', () => {
  const { client } = withClient({ PATH: '/nowhere' });

  test('[channel.audio] what is not installed is named with its package, and nothing to send to is said', async () => {
    const opened = await client.refused('debug_channel', { action: 'open', channel: 'audio' });
    expect(opened.text).toMatch(/needs pulseaudio[\s\S]*apt-get install pulseaudio/);
    const closed = await client.refused('debug_channel', { action: 'close', channel: 'audio' });
    expect(closed.text).toMatch(/No sound server is open[\s\S]*"action":"open"/);
  });
});
