import { describe, expect, test } from 'vitest';
import type { Aggregate, Layout } from '../../../src/symbols/native/abi/layout.ts';
import { placeRust, returnedRust } from '../../../src/symbols/native/abi/rust.ts';
import { classify, placeSysv } from '../../../src/symbols/native/x64/sysv.ts';
import { x64Rules } from '../../../src/symbols/native/x64/rules.ts';
import type { Placement } from '../../../src/symbols/native/abi/registerFile.ts';

const int: Layout = { kind: 'integer', bytes: 4 };
const byte: Layout = { kind: 'integer', bytes: 1 };
const long: Layout = { kind: 'integer', bytes: 8 };
const double: Layout = { kind: 'float', bytes: 8 };
const float: Layout = { kind: 'float', bytes: 4 };
const nothing: Layout = { kind: 'none' };
const mystery: Layout = { kind: 'unknown', reason: 'a mystery' };

function many(count: number, layout: Layout): Layout[] {
  return Array.from({ length: count }, () => layout);
}

function struct(
  bytes: number,
  fields: readonly (readonly [number, Layout])[],
  passing: Aggregate['passing'] = 'value',
): Aggregate {
  return {
    kind: 'aggregate',
    bytes,
    passing,
    alignment: 0,
    isPointerPair: false,
    fields: fields.map(([offset, layout]) => ({ offset, layout })),
  };
}

/** `rN` integer register, `xN` float register, `sN` stack offset, `-` none. */
function short({ places, stackBytes }: Placement): string {
  const words = places.map((place) => {
    switch (place.kind) {
      case 'integer':
        return `r${place.register}`;
      case 'float':
        return `x${place.register}`;
      case 'stack':
        return `s${place.offset}`;
      case 'pair':
        return `r${place.first}+${place.second}`;
      case 'parts':
        return place.registers.map((one) => (one < 8 ? `r${one}` : `x${one - 8}`)).join('+');
      case 'words':
        return `w${place.register}:${place.bytes}`;
      case 'memory':
        return `m${place.offset}`;
      case 'address':
        return place.register === null ? `[s${place.offset}]` : `[r${place.register}]`;
      case 'none':
        return '-';
    }
  });
  return `${words.join(' ')} | ${stackBytes}`;
}

describe('the classes of a value (psABI §3.2.3)', () => {
  test.each<[string, Layout, string]>([
    [
      'two ints share one eightbyte',
      struct(8, [
        [0, int],
        [4, int],
      ]),
      'integer',
    ],
    [
      'double and long',
      struct(16, [
        [0, double],
        [8, long],
      ]),
      'sse integer',
    ],
    [
      'float beside int is integer',
      struct(8, [
        [0, float],
        [4, int],
      ]),
      'integer',
    ],
    [
      'three floats',
      struct(12, [
        [0, float],
        [4, float],
        [8, float],
      ]),
      'sse sse',
    ],
    [
      '24 bytes',
      struct(24, [
        [0, long],
        [8, long],
        [16, long],
      ]),
      'memory',
    ],
    [
      'unaligned',
      struct(9, [
        [0, { kind: 'integer', bytes: 1 }],
        [1, long],
      ]),
      'memory',
    ],
    ['long double alone', { kind: 'extended' }, 'x87 x87Up'],
    [
      'union of long and long double',
      struct(16, [
        [0, { kind: 'extended' }],
        [0, long],
      ]),
      'memory',
    ],
    ['__int128', { kind: 'integer128' }, 'integer integer'],
    ['vector', { kind: 'vector', bytes: 16 }, 'sse sseUp'],
    ['complex float', { kind: 'complex', bytes: 8 }, 'sse'],
    ['complex double', { kind: 'complex', bytes: 16 }, 'sse sse'],
    [
      'an array of chars',
      struct(10, [
        [0, { kind: 'array', bytes: 10, element: { kind: 'integer', bytes: 1 }, count: 10 }],
      ]),
      'integer integer',
    ],
    ['empty', struct(1, []), ''],
  ])('%s', (_title, layout, expected) => {
    const classes = classify(layout);
    expect(classes === 'memory' ? classes : classes.join(' ')).toBe(expected);
  });
});

describe('places of C and C++ parameters', () => {
  test.each<[string, Layout[], Layout, string]>([
    ['nothing', [], nothing, ' | 0'],
    ['integers and floats count apart', [int, double, long, float], nothing, 'r0 x0 r1 x1 | 0'],
    [
      'the seventh integer and the ninth float',
      [...many(7, int), ...many(9, double)],
      nothing,
      'r0 r1 r2 r3 r4 r5 s0 x0 x1 x2 x3 x4 x5 x6 x7 s8 | 16',
    ],
    [
      'a structure takes all its registers or none',
      [
        int,
        int,
        int,
        int,
        int,
        struct(16, [
          [0, long],
          [8, long],
        ]),
        int,
      ],
      nothing,
      'r0 r1 r2 r3 r4 m0 r5 | 16',
    ],
    [
      'a large result hides a pointer',
      [int],
      struct(24, [
        [0, long],
        [8, long],
        [16, long],
      ]),
      'r1 | 0',
    ],
    [
      'a class result hides a pointer however small',
      [int],
      struct(4, [[0, int]], 'reference'),
      'r1 | 0',
    ],
    ['long double comes back in st(0)', [int], struct(16, [[0, { kind: 'extended' }]]), 'r0 | 0'],
    [
      'a class by invisible reference takes a register',
      [struct(8, [[0, long]], 'reference'), int],
      nothing,
      'r0 r1 | 0',
    ],
    [
      '16-byte alignment on the stack',
      [...many(7, int), { kind: 'extended' }, ...many(1, int)],
      nothing,
      'r0 r1 r2 r3 r4 r5 s0 m16 s32 | 40',
    ],
    [
      'doubt ends all certainty',
      [int, struct(8, [[0, long]], 'unknown'), int],
      nothing,
      'r0 - - | null',
    ],
    ['an unknown result moves everything', [int, double], mystery, '- - | null'],
    ['an unknown parameter', [double, mystery, double], nothing, 'x0 - - | null'],
    [
      'a wide vector depends on the processor',
      [{ kind: 'vector', bytes: 32 }, int],
      nothing,
      '- - | null',
    ],
  ])('%s', (_title, parameters, returns, expected) => {
    expect(short(placeSysv(parameters, returns))).toBe(expected);
  });
});

describe('places of Rust parameters', () => {
  const old = { registers: x64Rules.rust, rustc: 60 };
  const pair: Layout = {
    ...struct(16, [
      [0, long],
      [8, long],
    ]),
    isPointerPair: true,
  };
  const wrapper = struct(8, [
    [
      0,
      struct(8, [
        [0, long],
        [8, struct(0, [])],
      ]),
    ],
  ]);
  test.each<[string, Layout[], Layout, string]>([
    ['scalars', [int, double, long], nothing, 'r0 x0 r1 | 0'],
    ['a slice is two words', [pair, int], nothing, 'r0+1 r2 | 0'],
    ['a wrapper is what it wraps', [wrapper, int], nothing, 'r0 r1 | 0'],
    ['the unit type is not passed', [struct(0, []), int], nothing, '- r0 | 0'],
    [
      'a large result hides a pointer',
      [int],
      struct(24, [
        [0, long],
        [8, long],
        [16, long],
      ]),
      'r1 | 0',
    ],
    [
      'a middling result is not certain',
      [int],
      struct(12, [
        [0, int],
        [4, int],
        [8, int],
      ]),
      '- | null',
    ],
    [
      'what is not known ends all certainty',
      [int, struct(16, [[0, mystery]]), int],
      nothing,
      'r0 - - | null',
    ],
    [
      'all registers taken: an invisible parameter may be on the stack',
      many(6, long),
      nothing,
      'r0 r1 r2 r3 r4 r5 | null',
    ],
  ])('%s', (_title, parameters, returns, expected) => {
    expect(short(placeRust(parameters, returns, old))).toBe(expected);
  });

  test('a middling result has its address passed by newer compilers', () => {
    const middling = struct(12, [
      [0, int],
      [4, int],
      [8, int],
    ]);
    const of = (rustc: number | null): string =>
      short(placeRust([int], middling, { registers: x64Rules.rust, rustc }));
    expect([null, 69, 70, 95].map(of)).toEqual(['- | null', '- | null', 'r1 | 0', 'r1 | 0']);
    const returned = (rustc: number | null): string =>
      short({ places: [returnedRust(middling, rustc)], stackBytes: 0 });
    expect([null, 69, 70].map(returned)).toEqual(['- | 0', '- | 0', '[r8] | 0']);
  });

  const option = (niche: boolean, payload: Layout, at: number, bytes: number): Layout => ({
    kind: 'choice',
    bytes,
    tag: { offset: niche ? at : 0, layout: int },
    variants: [struct(bytes, []), struct(bytes, [[at, payload]])],
  });

  test.each<[string, Layout, string, string]>([
    ['an Option with a tag is two scalars', option(false, int, 4, 8), 'r0+r1', 'r0+r1'],
    ['an Option in a niche is its scalar', option(true, long, 0, 8), 'r0', 'r0'],
    [
      'an integer and a float',
      struct(16, [
        [0, long],
        [8, double],
      ]),
      'r0+x0',
      'r0+x0',
    ],
    [
      'two floats',
      struct(8, [
        [0, float],
        [4, float],
      ]),
      'x0+x1',
      'x0+x1',
    ],
    [
      'three bytes in one register',
      struct(3, [
        [0, byte],
        [1, byte],
        [2, byte],
      ]),
      'r0',
      'r0',
    ],
    [
      'a large structure by its address',
      struct(24, [
        [0, long],
        [8, long],
        [16, long],
      ]),
      '[r0]',
      '[r8]',
    ],
    [
      'three words of 12 bytes come by address',
      struct(12, [
        [0, int],
        [4, int],
        [8, int],
      ]),
      '[r0]',
      '-',
    ],
    [
      'a structure with what is not known',
      struct(8, [
        [0, mystery],
        [0, long],
      ]),
      '-',
      '-',
    ],
  ])('%s', (_title, layout, expected, returned) => {
    expect(short(placeRust([layout], nothing, old)).split(' ')[0]).toBe(expected);
    expect(short({ places: [returnedRust(layout, old.rustc)], stackBytes: 0 }).split(' ')[0]).toBe(
      returned,
    );
  });
});
