import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from '../../../src/base/lines.ts';

test('lines come out the same however the bytes are cut, also inside a character', () => {
  const line = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .map((text) => text.replace(/[\n\r]/g, '·'));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 50 }),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const reader = new LineReader(1000);
        const found: (string | null)[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1;
          found.push(...reader.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(found).toEqual(lines.map((one) => one.trim()).filter((one) => one !== ''));
      },
    ),
  );
});

test('a line beyond the limit is skipped and told, and the next one is read', () => {
  const reader = new LineReader(5);
  expect(reader.push(Buffer.from('123456'))).toEqual([]);
  expect(reader.push(Buffer.from('789\nabc\n12345\n123456\nx'))).toEqual([
    null,
    'abc',
    '12345',
    null,
  ]);
  expect(reader.push(Buffer.from('\n'))).toEqual(['x']);
});
