import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messagesIn, messageText } from '../../../src/collector/channels/midi/midiWords.ts';

const sent = (text: string): string => messagesIn(Buffer.from(text)).toString('hex');

test('[channel.midi] words are the messages of MIDI 1.0, and those are shown as these words', () => {
  const value = fc.integer({ min: 0, max: 127 });
  const status = fc.integer({ min: 0x80, max: 0xef });
  fc.assert(
    fc.property(status, value, value, (first, second, third) => {
      const isShort = (first & 0xf0) === 0xc0 || (first & 0xf0) === 0xd0;
      const bytes = Buffer.from(isShort ? [first, second] : [first, second, third]);
      const again = messagesIn(Buffer.from(messageText(bytes)));
      // Without a velocity a note is let go.
      const isOff = (first & 0xf0) === 0x80 || ((first & 0xf0) === 0x90 && third === 0);
      const wanted = isOff ? Buffer.from([0x80 | (first & 0xf), second, 0]) : bytes;
      expect(again).toEqual(wanted);
    }),
  );
});

test('[channel.midi] notes have names or numbers; several messages, bytes and system messages are sent', () => {
  expect(sent('note on A4')).toBe('904564');
  expect(sent('note on 69 1 channel 16')).toBe('9f4501');
  expect(sent('note off C-1; note on G9 127\npitch bend 8192')).toBe('800000907f7fe00040');
  expect(sent('90 45 64; f0 7e 7f 09 01 f7')).toBe('904564f07e7f0901f7');
  expect(messageText(Buffer.from([0xf8]))).toBe('clock');
  expect(messagesIn(Buffer.from([0x90, 1, 2, 0xf8])).length).toBe(4);
});

test.each([
  ['', 'There is no message.'],
  ['note up A4', 'is no message'],
  ['note on H4', '"H4" is not 0 to 127'],
  ['note on A4 128', '"128" is not 0 to 127'],
  ['cc 7', 'a number is missing'],
  ['program 5 6 7', 'is no message'],
  ['note on A4 channel 17', '"17" is not 1 to 16'],
  ['90 45', 'is not whole'],
  ['90 45 90', 'is cut'],
])('[channel.midi] what cannot be read says why: %s', (text, why) => {
  expect(() => messagesIn(Buffer.from(text))).toThrow(why);
});
