import fc from 'fast-check';
import { countTokens as packageCount, decode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { tokenCounter } from '../../../src/daemon/report/answers/tokenCount.ts';
import { Vocabulary } from '../../../src/daemon/report/answers/vocabulary.ts';

const exact = (text: string): number => packageCount(text, { disallowedSpecial: new Set() });
/** The package's decoder swallows it, so that it finds none of the tokens that hold it. */
const byteOrderMark = '\ufeff';
const vocabulary = await Vocabulary.load();
const fast = tokenCounter((piece) => vocabulary.count(piece));

/** What answers are made of, and what pieces end at. */
const pieces = [
  ...[
    'id',
    'Ab',
    'HTTPServer',
    'xylophonist',
    'żółw',
    '\ud800',
    'll',
    'S',
    'x',
    'µs',
    'é',
    'Ǆ',
    'ª',
    '漢',
    '😀',
    'e\u0301',
  ],
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
      fc.pre(!text.includes(byteOrderMark));
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

test('counts long pieces, and each token of the vocabulary, as the package does', () => {
  for (const unit of ['a', 'Qz', 'xyloph', '=-', '漢'])
    for (const times of [100, 1000]) {
      const text = unit.repeat(times);
      expect(fast(text)).toBe(exact(text));
    }
  const tokens = Array.from({ length: 4000 }, (_, i) => decode([i * 49 + 7]));
  const compared = tokens.filter((text) => !text.includes(byteOrderMark));
  expect(compared.filter((text) => fast(text) !== exact(text))).toEqual([]);
});
