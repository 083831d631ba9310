import fc from 'fast-check';
import { countTokens as packageCount } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { fastTokenCount } from '../../../src/daemon/report/tokenCount.ts';

const exact = (text: string): number => packageCount(text, { disallowedSpecial: new Set() });
const fast = fastTokenCount(exact);

/** What answers are made of, and what pieces end at. */
const pieces = [
  ...['id', 'Ab', 'HTTPServer', 'll', 'S', 'x', 'µs', 'é', 'Ǆ', 'ª', '漢', '😀', 'e\u0301'],
  ...['7', '42', '1204000017', '½', '0x55d0c0a81f40', '1,204'],
  ...[
    '"',
    "'",
    "'s",
    "'LL",
    "'re",
    "'v",
    '":',
    '"id":',
    '{',
    '}]',
    '/',
    '//',
    ')',
    '::',
    '→',
    '…',
    '×',
  ],
  ...[' ', '  ', '\t', '\n', '\r\n', '\n\n', '\u00a0', '\u000b', '\\n', '<|endoftext|>'],
];

test('counts as the package does, whatever pieces meet', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (chosen) => {
      const text = chosen.join('');
      expect(fast(text)).toBe(exact(text));
    }),
    { numRuns: 2000 },
  );
});

test('counts as the package does, for any characters', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      expect(fast(text)).toBe(exact(text));
    }),
    { numRuns: 200 },
  );
});

test('counts every single character as the package does, before and after others', () => {
  for (let code = 0; code < 0x3000; code++) {
    const character = String.fromCharCode(code);
    for (const text of [`a${character}b`, ` ${character}${character}1`, `"${character}\n x`]) {
      if (fast(text) !== exact(text)) expect([text, fast(text)]).toEqual([text, exact(text)]);
    }
  }
});
