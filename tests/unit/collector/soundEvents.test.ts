import { expect, test } from 'vitest';
import { pitchOf } from '../../../src/collector/channels/audio/pitch.ts';
import {
  SoundEvents,
  soundRate,
  type SoundEvent,
} from '../../../src/collector/channels/audio/soundEvents.ts';

interface Part {
  readonly seconds: number;
  readonly hz?: number;
  readonly amplitude?: number;
  /** Overtones of a third of it. */
  readonly overtones?: number;
  readonly noise?: boolean;
}

/** One channel; the other is silent. */
function* samplesOf(parts: readonly Part[]): Generator<number> {
  let seed = 1;
  for (const { seconds, hz = 0, amplitude = 0.5, overtones = 0, noise = false } of parts)
    for (let at = 0; at < seconds * soundRate; at++) {
      seed = (seed * 48_271) % 2_147_483_647;
      let value = noise ? (seed / 2_147_483_647) * 2 - 1 : 0;
      for (let k = 1; k <= (hz > 0 ? overtones + 1 : 0); k++)
        value += Math.sin((2 * Math.PI * hz * k * at) / soundRate) / (k === 1 ? 1 : 3);
      yield Math.max(-1, Math.min(1, value * amplitude));
      yield 0;
    }
}

/** Events with their times in seconds; what comes in parts of any size is the same. */
function heard(parts: readonly Part[], size = 4800): [number, string][] {
  const events: SoundEvent[] = [];
  const sounds = new SoundEvents((event) => events.push(event));
  const samples = Float32Array.from(samplesOf(parts));
  for (let at = 0; at < samples.length; at += size) sounds.push(samples.subarray(at, at + size));
  return events.map(({ frame, text }) => [Math.round((frame / soundRate) * 1000) / 1000, text]);
}

test('[channel.audio] finds the pitch of tones from 41 Hz to 4 kHz, also with overtones, and none of noise', () => {
  for (const hz of [41.2, 55, 110, 220, 440, 660, 880, 1000, 1760, 3520])
    for (const overtones of [0, 3]) {
      const samples = Float32Array.from(samplesOf([{ seconds: 0.1, hz, overtones }])).filter(
        (_, at) => at % 2 === 0,
      );
      const found = pitchOf(samples, soundRate) ?? 0;
      expect(Math.abs(found / hz - 1), `${hz} Hz, ${overtones}: ${found}`).toBeLessThan(
        hz > 1000 ? 0.01 : 0.002,
      );
    }
  const noise = Float32Array.from(samplesOf([{ seconds: 0.1, noise: true }]));
  expect(pitchOf(noise, soundRate)).toBeNull();
  expect(pitchOf(new Float32Array(4800), soundRate)).toBeNull();
});

test('[channel.audio] a tone, another, silence and noise are an event each, where they begin and end', () => {
  const parts: Part[] = [
    { seconds: 0.33, amplitude: 0 },
    { seconds: 1, hz: 440 },
    { seconds: 0.5, hz: 660, amplitude: 0.1 },
    { seconds: 0.42, amplitude: 0 },
    { seconds: 0.5, noise: true },
    { seconds: 0.4, amplitude: 0 },
  ];
  const events = heard(parts);
  expect(events.map(([, text]) => text)).toEqual([
    expect.stringMatching(/^sound A4 440\.\d Hz, level -9\.0 dB, peak 0\.500$/),
    expect.stringMatching(/^sound E5 6(59|60)\.\d Hz, level -23\.0 dB, peak 0\.100$/),
    'silence after 1.50 s of sound',
    expect.stringMatching(/^sound without pitch, level -10\.\d dB, peak 0\.5/),
    'silence after 0.50 s of sound',
  ]);
  const [tone, other, silence, noise, end] = events.map(([time]) => time);
  expect(tone).toBeCloseTo(0.33, 2);
  expect(Math.abs((other ?? 0) - 1.33)).toBeLessThan(0.2);
  expect(silence).toBeCloseTo(1.83, 2);
  expect(noise).toBeCloseTo(2.25, 2);
  expect(end).toBeCloseTo(2.75, 2);
  expect(heard(parts, 7)).toEqual(events);
});

test('[channel.audio] a sound shorter than a window is heard, and samples that are cut off are counted', () => {
  expect(
    heard([
      { seconds: 0.2, amplitude: 0 },
      { seconds: 0.03, hz: 1000 },
      { seconds: 0.3, amplitude: 0 },
    ]).map(([, text]) => text),
  ).toEqual([expect.stringMatching(/^sound/), 'silence after 0.03 s of sound']);
  const loud = heard([
    { seconds: 0.5, hz: 440, amplitude: 1.5 },
    { seconds: 0.3, amplitude: 0 },
  ]).map(([, text]) => text);
  expect(loud).toContain('clipping: samples are cut off at full scale');
  // Of a sine of 1.5, so much is above 0.999.
  const [, count] = /; (\d+) samples were cut off$/.exec(loud.at(-1) ?? '') ?? [];
  const share = 1 - (2 * Math.asin(0.999 / 1.5)) / Math.PI;
  expect(Number(count) / (0.5 * soundRate)).toBeCloseTo(share, 1);
});
