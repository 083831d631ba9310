import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { form } from '../../../src/symbols/native/dwarf/constants.ts';
import { Cursor } from '../../../src/symbols/native/dwarf/cursor.ts';
import { fixedSize, readForm, skipForm } from '../../../src/symbols/native/dwarf/forms.ts';
import { joinPath } from '../../../src/symbols/native/dwarf/lines/lineHeader.ts';
import { readRanges } from '../../../src/symbols/native/dwarf/rangeLists.ts';
import type { RangeContext } from '../../../src/symbols/native/dwarf/rangeLists.ts';

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

/** LEB128 written by the rule of the standard (DWARF 5 appendix C). */
function leb(value: bigint, isSigned: boolean): Uint8Array {
  const out: number[] = [];
  let rest = value;
  for (;;) {
    const low = Number(rest & 127n);
    rest >>= 7n;
    const isLast = isSigned
      ? (rest === 0n && (low & 64) === 0) || (rest === -1n && (low & 64) !== 0)
      : rest === 0n;
    out.push(isLast ? low : low | 128);
    if (isLast) return Uint8Array.from(out);
  }
}

describe('LEB128', () => {
  test.each([
    ['2', bytes(2), 2],
    ['127', bytes(127), 127],
    ['128', bytes(0x80, 1), 128],
    ['12857', bytes(0xb9, 0x64), 12857],
    ['padded', bytes(0x81, 0x80, 0), 1],
  ])('unsigned %s', (_title, input, expected) => {
    expect(new Cursor(input).uleb()).toBe(expected);
  });

  test.each([
    ['2', bytes(2), 2],
    ['-2', bytes(0x7e), -2],
    ['127', bytes(0xff, 0), 127],
    ['-127', bytes(0x81, 0x7f), -127],
    ['-129', bytes(0xff, 0x7e), -129],
    ['padded', bytes(...Array<number>(9).fill(0xff), 0x7f), -1],
  ])('signed %s', (_title, input, expected) => {
    expect(new Cursor(input).sleb()).toBe(expected);
  });

  test('every 64-bit number comes back exactly, and the cursor stands behind it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (unsigned, signed) => {
          const cursor = new Cursor(
            Buffer.concat([leb(unsigned, false), leb(signed, true), bytes(7)]),
          );
          expect(cursor.ulebExact()).toBe(unsigned);
          expect(cursor.slebExact()).toBe(signed);
          expect(cursor.u8()).toBe(7);
          if (unsigned < 2n ** 53n)
            expect(new Cursor(leb(unsigned, false)).uleb()).toBe(Number(unsigned));
          expect(new Cursor(leb(signed, true)).sleb()).toBe(Number(signed));
        },
      ),
    );
  });

  test('one that does not end throws', () => {
    expect(() => new Cursor(new Uint8Array(100).fill(0xff)).uleb()).toThrow(RangeError);
    expect(() => new Cursor(new Uint8Array(5).fill(0xff)).skipLeb()).toThrow(RangeError);
    expect(() => new Cursor(bytes()).uleb()).toThrow(RangeError);
  });
});

describe('the forms of attribute values', () => {
  const encoding = { version: 5, addressSize: 8, offsetSize: 4 } as const;
  const input = bytes(3, 0x41, 0x42, 0, 0x80, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9);

  test('reading and skipping end at the same place, which the fixed size predicts', () => {
    for (const [name, code] of Object.entries(form)) {
      if (code === form.indirect || code === form.block4 || code === form.block2) continue;
      const read = new Cursor(input);
      const skipped = new Cursor(input);
      readForm(read, code, encoding);
      skipForm(skipped, code, encoding);
      expect(read.at, name).toBe(skipped.at);
      const size = fixedSize(code, encoding);
      if (size >= 0) expect(read.at, name).toBe(size);
    }
  });

  test.each([
    ['block1', form.block1, bytes(2, 8, 8, 1), 3],
    ['block2', form.block2, bytes(2, 0, 8, 8, 1), 4],
    ['block4', form.block4, bytes(1, 0, 0, 0, 8, 1), 5],
    ['block', form.block, bytes(0x81, 0, 8, 1), 3],
    ['exprloc', form.exprloc, bytes(1, 8, 1), 2],
    ['string', form.string, bytes(65, 66, 0, 1), 3],
    ['indirect data2', form.indirect, bytes(form.data2, 1, 2, 3), 3],
  ])('%s is stepped over whole', (_title, code, value, end) => {
    const cursor = new Cursor(value);
    skipForm(cursor, code, encoding);
    expect(cursor.at).toBe(end);
  });

  test('the size of an offset follows the format of the unit', () => {
    expect(fixedSize(form.strp, { ...encoding, offsetSize: 8 })).toBe(8);
    expect(fixedSize(form.refAddr, { version: 2, addressSize: 4, offsetSize: 8 })).toBe(4);
    expect(() => skipForm(new Cursor(input), 0x7f, encoding)).toThrow(/unknown form/);
    expect(() => skipForm(new Cursor(bytes(form.indirect, 0)), form.indirect, encoding)).toThrow(
      /names itself/,
    );
  });
});

describe('range lists', () => {
  const context = (version: number, list: Uint8Array): RangeContext => ({
    encoding: { version, addressSize: 8, offsetSize: 4 },
    base: 0x1000,
    rangeListsBase: 0,
    rangeLists: list,
    ranges: list,
    addressAt: (index) => 0x5000 + index * 0x100,
  });
  const words = (...values: bigint[]): Uint8Array =>
    new Uint8Array(BigUint64Array.from(values).buffer);

  test('DWARF 4: offsets from the base, which an entry can set', () => {
    const list = words(0x10n, 0x20n, 2n ** 64n - 1n, 0x9000n, 1n, 2n, 5n, 5n, 0n, 0n);
    expect(readRanges(context(4, list), form.secOffset, 0)).toEqual([
      { start: 0x1010, end: 0x1020 },
      { start: 0x9001, end: 0x9002 },
    ]);
  });

  test('DWARF 4: code before the base, by an offset that wraps around', () => {
    const list = words(2n ** 64n - 0x800n, 2n ** 64n - 0x7f1n, 0n, 0n);
    expect(readRanges(context(4, list), form.secOffset, 0)).toEqual([{ start: 0x800, end: 0x80f }]);
  });

  test('DWARF 5: each kind of entry', () => {
    const address = (value: number): number[] => [...words(BigInt(value))];
    const list = bytes(
      4,
      0x10,
      0x20,
      1,
      2,
      4,
      1,
      2,
      2,
      0,
      1,
      3,
      3,
      8,
      5,
      ...address(0x7000),
      4,
      1,
      2,
      6,
      ...address(0x100),
      ...address(0x180),
      7,
      ...address(0x200),
      4,
      0,
    );
    expect(readRanges(context(5, list), form.secOffset, 0)).toEqual([
      { start: 0x1010, end: 0x1020 },
      { start: 0x5201, end: 0x5202 },
      { start: 0x5000, end: 0x5100 },
      { start: 0x5300, end: 0x5308 },
      { start: 0x7001, end: 0x7002 },
      { start: 0x100, end: 0x180 },
      { start: 0x200, end: 0x204 },
    ]);
  });

  test('one that does not end throws', () => {
    expect(() => readRanges(context(5, bytes(4, 1, 2)), form.secOffset, 0)).toThrow(RangeError);
    expect(() => readRanges(context(5, bytes(99)), form.secOffset, 0)).toThrow(/unknown kind/);
  });
});

test.each([
  ['/work', 'src/a.c', '/work/src/a.c'],
  ['/work', '/usr/a.h', '/usr/a.h'],
  ['/work/build', '../src/./a.c', '/work/src/a.c'],
  ['', 'a.c', 'a.c'],
  ['.', 'a.c', 'a.c'],
  ['/work', '', '/work'],
  ['rel', '../../a.c', '../a.c'],
  ['/', '../a.c', '/a.c'],
])('%s and %s make %s', (folder, name, expected) => {
  expect(joinPath(folder, name)).toBe(expected);
});
