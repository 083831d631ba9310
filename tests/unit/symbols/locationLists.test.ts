import { describe, expect, test } from 'vitest';
import { form } from '../../../src/symbols/native/dwarf/constants.ts';
import {
  locationAt,
  type LocationListContext,
} from '../../../src/symbols/native/dwarf/locationLists.ts';

const words = (...values: (number | bigint)[]): number[] => [
  ...new Uint8Array(BigUint64Array.from(values.map(BigInt)).buffer),
];
const u32 = (value: number): number[] => [...new Uint8Array(Uint32Array.of(value).buffer)];

/** The unit begins at 0x1000; addresses of the table are 0x5000, 0x5100, … */
function context(
  version: number,
  list: readonly number[],
  more: Partial<LocationListContext> = {},
): LocationListContext {
  return {
    encoding: { version, addressSize: 8, offsetSize: 4 },
    base: 0x1000,
    listsBase: 0,
    lists: version >= 5 ? Uint8Array.from(list) : null,
    oldLists: version >= 5 ? null : Uint8Array.from(list),
    isOldSplit: false,
    addressAt: (index) => 0x5000 + index * 0x100,
    ...more,
  };
}

/** The one byte of the expression that holds at each address; null where none does. */
function held(
  lists: LocationListContext,
  addresses: readonly number[],
  code: number = form.secOffset,
  value = 0,
): (number | null)[] {
  return addresses.map((address) => {
    const expression = locationAt(lists, code, value, address);
    expect(expression?.length ?? 1).toBe(1);
    return expression?.[0] ?? null;
  });
}

describe('location lists', () => {
  const end = 0;
  const kinds: readonly (readonly [title: string, entry: number[], first: number, last: number])[] =
    [
      ['two numbers of addresses', [2, 1, 3, 1, 0x51], 0x5100, 0x52ff],
      ['a number of an address and a length', [3, 2, 0x10, 1, 0x51], 0x5200, 0x520f],
      ['offsets from the unit', [4, 0x20, 0x30, 1, 0x51], 0x1020, 0x102f],
      ['offsets from a base of the table', [1, 4, 4, 0x20, 0x30, 1, 0x51], 0x5420, 0x542f],
      ['offsets from a base', [6, ...words(0x9000), 4, 1, 3, 1, 0x51], 0x9001, 0x9002],
      ['two addresses', [7, ...words(0x7000, 0x7010), 1, 0x51], 0x7000, 0x700f],
      ['an address and a length', [8, ...words(0x7000), 0x85, 1, 1, 0x51], 0x7000, 0x7084],
      ['view numbers before it', [9, 0x80, 1, 2, 4, 0x20, 0x30, 1, 0x51], 0x1020, 0x102f],
    ];

  test.each(kinds)(
    'DWARF 5, %s: from the first address to the last',
    (_title, entry, first, last) => {
      // The next entry is found behind it.
      const list = context(5, [...entry, 7, ...words(0x100, 0x200), 1, 0x52, end]);
      expect(held(list, [first, last, first - 1, last + 1])).toEqual([0x51, 0x51, null, null]);
      expect(held(list, [0xff, 0x100, 0x1ff, 0x200])).toEqual([null, 0x52, 0x52, null]);
    },
  );

  test('DWARF 5, the entry for all other addresses holds where no other does', () => {
    const list = context(5, [5, 1, 0x60, 4, 0x10, 0x20, 1, 0x51, end]);
    expect(held(list, [0x1010, 0x101f, 0x1020, 0])).toEqual([0x51, 0x51, 0x60, 0x60]);
  });

  test('DWARF 5, the first entry that holds counts', () => {
    const list = context(5, [4, 0x10, 0x20, 1, 0x51, 4, 0x18, 0x30, 1, 0x52, end]);
    expect(held(list, [0x1018, 0x1020])).toEqual([0x51, 0x52]);
  });

  test('DWARF 5, a list is named by its number in a table of offsets', () => {
    const list = context(
      5,
      [0xee, 0xee, ...u32(8), ...u32(14), 4, 1, 2, 1, 0x51, end, 4, 1, 2, 1, 0x52, end],
      { listsBase: 2 },
    );
    expect(held(list, [0x1001], form.loclistx, 0)).toEqual([0x51]);
    expect(held(list, [0x1001], form.loclistx, 1)).toEqual([0x52]);
  });

  test('DWARF 4: offsets from the unit, or from a base that an entry sets', () => {
    const entry = (start: number, stop: number, byte: number): number[] => [
      ...words(start, stop),
      1,
      0,
      byte,
    ];
    const base = words(2n ** 64n - 1n, 0x9000);
    const list = context(4, [
      ...entry(0x10, 0x20, 0x51),
      ...base,
      ...entry(1, 3, 0x52),
      ...words(0, 0),
    ]);
    expect(held(list, [0x100f, 0x1010, 0x101f, 0x1020])).toEqual([null, 0x51, 0x51, null]);
    expect(held(list, [0x9000, 0x9001, 0x9002, 0x9003])).toEqual([null, 0x52, 0x52, null]);
  });

  test('split DWARF 4: numbers of addresses, lengths of four bytes', () => {
    const entries = [
      [3, 1, ...u32(0x10), 1, 0, 0x51],
      [2, 2, 3, 1, 0, 0x52],
      [1, 4, 4, ...u32(1), ...u32(3), 1, 0, 0x53],
    ];
    const list = context(4, [...entries.flat(), end], { isOldSplit: true });
    expect(held(list, [0x5100, 0x510f, 0x5110])).toEqual([0x51, 0x51, null]);
    expect(held(list, [0x5200, 0x52ff, 0x5401, 0x5403])).toEqual([0x52, 0x52, 0x53, null]);
  });

  test('[symbols.broken] an unknown kind, no end or an expression beyond the end throws', () => {
    const at = (list: LocationListContext): unknown => locationAt(list, form.secOffset, 0, 0x1011);
    expect(() => at(context(5, [10]))).toThrow(/unknown kind/);
    expect(() => at(context(4, [5], { isOldSplit: true }))).toThrow(/unknown kind/);
    expect(() => at(context(5, [4, 1, 2, 1, 0x51]))).toThrow(RangeError);
    expect(() => at(context(5, [4, 0x10, 0x20, 9, 0x51, end]))).toThrow(/ends outside/);
    expect(() => at(context(4, words(1)))).toThrow(RangeError);
    expect(() => at(context(5, Array<number>(40_000).fill(1)))).toThrow(/does not end/);
  });
});
