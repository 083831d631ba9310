import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { characters } from '../../../src/model/decoding/textValues.ts';

/** The bytes as the summary has them; null: it is text. */
function hexOf(bytes: Buffer, truncated = false): string | null {
  const value = characters(bytes, 1, truncated);
  return (value.kind === 'string' && value.binary?.hex) || null;
}

describe('what is data and what is text', () => {
  test.each([
    ['the beginning of a PNG file', '89504e470d0a1a0a'],
    ['of a gzip file', '1f8b0800'],
    ['zeros', '000000000000000000'],
    ['one byte that is not UTF-8', 'ff'],
    ['numbers of four bytes', '010000000200000003000000'],
    ['UTF-16', '680065006c006c006f00740068006500720065'],
  ])('[values.binary] %s: data', (_name, hex) => {
    expect(hexOf(Buffer.from(hex, 'hex'))).toBe(hex);
  });

  test.each([
    ['nothing', ''],
    ['words', 'hello'],
    ['other alphabets and pictures', 'Ünïcode 日本語 🎵'],
    ['lines and columns', '\r\n\t\v\f'],
    ['colours of a terminal', '\x1b[31mred\x1b[0m'],
    ['one control character', '\x03'],
    ['NULs between words', 'key\0value\0'],
    ['few NULs', '\0\0a\0'],
  ])('[values.binary] %s: text', (_name, text) => {
    expect(hexOf(Buffer.from(text))).toBeNull();
  });

  test('[values.binary] an array whose text has no letters is shown to its end, behind a NUL too', () => {
    const array = Buffer.from('0102030405000708', 'hex');
    const value = characters(array.subarray(0, 5), 1, false, { array });
    expect(value).toMatchObject({ binary: { hex: array.toString('hex'), total: 8 } });
  });

  test('[values.binary] a letter of another encoding leaves a word a word', () => {
    expect(hexOf(Buffer.from('M\xfcller', 'latin1'))).toBeNull();
  });

  test('[values.binary] text that was cut inside a character stays text', () => {
    const euro = Buffer.from('€');
    for (const length of [1, 2]) {
      expect(hexOf(euro.subarray(0, length), true)).toBeNull();
      expect(hexOf(euro.subarray(0, length))).not.toBeNull();
    }
  });

  test('[values.binary] printable text of any alphabet is text, whatever its length', () => {
    const character = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(character, (text) => {
        fc.pre(!/[\p{Cc}\ufffd]/u.test(text));
        expect(hexOf(Buffer.from(text))).toBeNull();
      }),
    );
  });

  test('[values.binary] the summary has the bytes as they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (array) => {
        const bytes = Buffer.from(array);
        expect([null, bytes.toString('hex')]).toContain(hexOf(bytes));
      }),
    );
  });
});
