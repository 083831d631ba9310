import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeTree } from '../../../src/db/reader/values/valueTrees.ts';
import { plainText } from '../../../src/db/reader/values/capturedValues.ts';
import { stringFlags } from '../../../src/model/eventColumns.ts';
import type { Value } from '../../../src/model/questions/query.ts';
import type { Shape } from '../../../src/model/values/shape.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';

type Tree = Extract<ValueType, { kind: 'tree' }>;

const int = { kind: 'int', name: 'int', bytes: 4, signed: true } as const;
const name = 'T';

function tree(root: number, shapes: readonly Shape[]): Tree {
  return { kind: 'tree', name, depth: 3, root, shapes };
}

/** Pieces as the engine writes them: address, flags and bytes each. */
function pieces(...all: readonly (readonly [bigint, readonly number[], number?])[]): Buffer {
  return Buffer.concat(
    all.map(([address, bytes, flags = 0]) => {
      const piece = Buffer.alloc(16 + Math.ceil(bytes.length / 8) * 8);
      piece.writeBigUInt64LE(address, 0);
      piece.writeUInt32LE(bytes.length, 8);
      piece.writeUInt8(flags, 15);
      piece.set(bytes, 16);
      return piece;
    }),
  );
}

function word(value: bigint): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return [...bytes];
}

const number: Shape = { kind: 'scalar', bytes: 4, type: int };

/** As libstdc++ lays it out: item, buffer, its end, its entry; of the first element and of the end. */
const deque = {
  kind: 'deque',
  bytes: 64,
  name,
  bufferBytes: 512,
  element: 1,
  first: { item: 0, buffer: 8, entry: 24 },
  end: { item: 32, buffer: 40, entry: 56 },
} as const satisfies Shape;

/** As Go's runtime keeps one of two words of four bytes each. */
const goMap = {
  kind: 'groups',
  bytes: 25,
  name,
  holds: 'map',
  count: 0,
  directory: 8,
  length: 16,
  writing: 24,
  key: null,
  value: null,
  table: { bytes: 16, groups: 0, mask: 8 },
  group: { bytes: 72, control: 0, slots: 8, places: 8 },
  slot: { bytes: 8, key: 0, value: 4 },
} as const satisfies Shape;

/** A node { int value; node *next } behind a pointer. */
const node: readonly Shape[] = [
  { kind: 'pointer', bytes: 8, name: 'node*', at: 0, skip: 0, target: 1 },
  {
    kind: 'record',
    name: 'node',
    bytes: 16,
    left: 0,
    fields: [
      { name: 'value', offset: 0, shape: 2 },
      { name: 'next', offset: 8, shape: 0 },
    ],
  },
  number,
];

function shown(type: Tree, bytes: Buffer, flags = 0): string {
  return plainText(decodeTree(type, bytes, 0, bytes.length, flags));
}

test('a chain that leads back is told as a circle, a wild pointer as unreadable', () => {
  const ring = pieces(
    [0n, word(0x100n)],
    [0x100n, [7, 0, 0, 0, 0, 0, 0, 0, ...word(0x200n)]],
    [0x200n, [8, 0, 0, 0, 0, 0, 0, 0, ...word(0x100n)]],
  );
  expect(shown(tree(0, node), ring)).toBe(
    '0x100{value=7, next=0x200{value=8, next=0x100<circular ref to 0x100>}}',
  );
  const wild = pieces([0n, word(0x10n)], [0x10n, [], stringFlags.unreadable]);
  expect(shown(tree(0, node), wild)).toBe('0x10');
});

test('a list whose count and nodes disagree is torn; one that was cut is not', () => {
  const list: readonly Shape[] = [
    {
      kind: 'links',
      name: 'list<int>',
      bytes: 16,
      holds: 'list',
      first: 0,
      count: 8,
      next: [0],
      place: 8,
      element: 1,
    },
    number,
  ];
  const torn = pieces([0x10n, [...word(0x100n), ...word(3n)]], [0x100n, [...word(0n), 5, 0, 0, 0]]);
  expect(decodeTree(tree(0, list), torn, 0, torn.length, 0)).toMatchObject({
    torn: true,
    total: 3,
  });
  const cut = decodeTree(tree(0, list), torn, 0, torn.length, stringFlags.truncated);
  expect(cut).toEqual({ kind: 'list', items: [{ kind: 'int', text: '5' }], total: 3 });
});

test('a function is told by the build ID that lies so far from it, and by nothing else', () => {
  const shapes: readonly Shape[] = [
    {
      kind: 'byCode',
      name,
      bytes: 16,
      at: 8,
      build: { id: 'c0ffee', address: 0x2f0 },
      options: [
        { address: 0x3100, shape: 1 },
        { address: 0x3200, shape: 2 },
      ],
      otherwise: 3,
    },
    number,
    { kind: 'scalar', bytes: 4, type: { ...int, signed: false } },
    { kind: 'opaque', name, bytes: 16, reason: 'unknown' },
  ];
  const told = (code: bigint, mark: bigint, id: readonly number[]): string =>
    shown(tree(0, shapes), pieces([0n, [...word(0xffffffffn), ...word(code)]], [mark, id]));
  const build = [0xc0, 0xff, 0xee];
  expect(told(0x7100_3100n, 0x7100_02f0n, build)).toBe('-1');
  expect(told(0x7100_3200n, 0x7100_02f0n, build)).toBe('4294967295');
  const others = [
    told(0x7100_3300n, 0x7100_02f0n, build),
    told(0x7100_3108n, 0x7100_02f8n, build),
    told(0x7100_3100n, 0x7100_02f0n, [0xc0, 0xff, 0xef]),
    told(0x7100_3100n, 0x7100_12f0n, build),
  ];
  expect(new Set(others)).toEqual(new Set([told(0n, 0n, build)]));
});

test('[values.far] what had no room is told by its type; what is near is torn all the same', () => {
  const type: Tree = { ...tree(0, node), whole: 1 };
  const one = pieces([0n, word(0x100n)], [0x100n, [7, 0, 0, 0, 0, 0, 0, 0, ...word(0x200n)]]);
  const next = (flags: number): unknown => {
    const value = decodeTree(type, one, 0, one.length, flags);
    const object = value.kind === 'pointer' ? value.target : null;
    return object?.kind === 'object' ? object.object.fields[1]?.value : null;
  };
  expect(next(0)).toEqual({ kind: 'pointer', address: '0x200', isNull: false });
  expect(next(stringFlags.deeperCut)).toMatchObject({
    address: '0x200',
    isFar: true,
    target: { kind: 'notCaptured', type: 'node' },
  });
  const list: readonly Shape[] = [
    {
      kind: 'links',
      name: 'list<int>',
      bytes: 16,
      holds: 'list',
      first: 0,
      count: 8,
      next: [0],
      place: 8,
      element: 1,
    },
    number,
  ];
  const torn = pieces([0x10n, [...word(0x100n), ...word(3n)]], [0x100n, [...word(0n), 5, 0, 0, 0]]);
  const near = decodeTree(
    { ...tree(0, list), whole: 1 },
    torn,
    0,
    torn.length,
    stringFlags.deeperCut,
  );
  expect(near).toMatchObject({ torn: true, total: 3 });
  const far = decodeTree(
    { ...tree(0, list), whole: 0 },
    torn,
    0,
    torn.length,
    stringFlags.deeperCut,
  );
  expect(far).toEqual({ kind: 'list', total: 3, isFar: true, items: [{ kind: 'int', text: '5' }] });
});

test('[values.far] of an object of which the beginning is known the rest is counted, and text that goes on is told as cut', () => {
  const char = { kind: 'char', name: 'char', bytes: 1, signed: true } as const;
  const shapes: readonly Shape[] = [
    { kind: 'pointer', bytes: 8, name, at: 0, skip: 0, target: 1 },
    {
      kind: 'record',
      name,
      bytes: 32,
      left: 0,
      fields: [
        { name: 'id', offset: 0, shape: 3 },
        { name: 'text', offset: 4, shape: 2 },
        { name: 'count', offset: 24, shape: 3 },
      ],
    },
    { kind: 'array', bytes: 20, name: 'char[20]', element: 4, count: 20 },
    number,
    { kind: 'scalar', bytes: 1, type: char },
    { kind: 'bitset', bytes: 16, name: 'bitset<128>', count: 128 },
  ];
  const seen = (text: string): unknown => {
    const part = pieces([0n, word(0x100n)], [0x100n, [7, 0, 0, 0, ...Buffer.from(text)]]);
    const value = decodeTree(tree(0, shapes), part, 0, part.length, 0);
    return value.kind === 'pointer' && value.target?.kind === 'object' && value.target.object;
  };
  const id = { name: 'id', value: { kind: 'int', text: '7' } };
  const told = (text: string, truncated: boolean): unknown => ({
    left: 1,
    fields: [id, { name: 'text', value: { kind: 'string', text, truncated } }],
  });
  expect(seen('abcdefgh')).toEqual(told('abcdefgh', true));
  expect(seen('abc\0efgh')).toEqual(told('abc', false));
  const bits = pieces([0n, word(5n)]);
  expect(decodeTree(tree(5, shapes), bits, 0, bits.length, 0).kind).toBe('notCaptured');
});

test('objects that many lead to do not make a value endless', () => {
  const fields = Array.from({ length: 8 }, (_unused, i) => ({
    name: `p${i}`,
    offset: i * 8,
    shape: 0,
  }));
  const wide: readonly Shape[] = [
    { kind: 'pointer', bytes: 8, name, at: 0, skip: 0, target: 1 },
    { kind: 'record', name, bytes: 64, left: 0, fields },
  ];
  // Each of ten objects leads to the next one eight times over: 8^10 ways.
  const levels = Array.from({ length: 10 }, (_unused, i) => {
    const next = fields.flatMap(() => word(BigInt(0x1000 * (i + 2))));
    return [BigInt(0x1000 * (i + 1)), next] as const;
  });
  const bytes = pieces([0n, word(0x1000n)], ...levels);
  expect(shown(tree(0, wide), bytes).length).toBeLessThan(200_000);
});

const everything: readonly Shape[] = [
  {
    kind: 'record',
    name: 'all',
    bytes: 480,
    left: 0,
    fields: Array.from({ length: 20 }, (_unused, i) => ({
      name: `f${i}`,
      offset: i * 24,
      shape: i + 1,
    })),
  },
  number,
  {
    kind: 'pointer',
    bytes: 8,
    name,
    at: 0,
    skip: 16,
    target: 0,
    counts: { at: 8, owners: 0, weak: 8, bytes: 8 },
  },
  { kind: 'text', bytes: 16, name, pointer: 0, length: 8 },
  { kind: 'text', bytes: 8, name, pointer: 0, length: null },
  { kind: 'sequence', bytes: 24, name, pointer: 0, length: 8, byEnd: true, unit: 4, element: 1 },
  { kind: 'sequence', bytes: 24, name, pointer: 0, length: 8, byEnd: false, unit: 400, element: 0 },
  {
    kind: 'choice',
    bytes: 24,
    name,
    at: 0,
    size: 8,
    options: [{ low: '0', high: '3', name: 'a', offset: 8, shape: 1 }],
    otherwise: { low: '0', high: '0', name: '', offset: 0, shape: 3 },
  },
  {
    kind: 'links',
    bytes: 24,
    name,
    holds: 'map',
    first: 0,
    count: 8,
    next: [16, 24],
    place: 32,
    element: 0,
  },
  { kind: 'table', bytes: 24, name, holds: 'list', control: 0, mask: 8, count: 16, element: 1 },
  { kind: 'ring', bytes: 32, name, pointer: 0, head: 8, count: 16, capacity: 24, element: 1 },
  { ...deque, element: 1 },
  {
    kind: 'btree',
    bytes: 24,
    name,
    holds: 'map',
    root: 0,
    height: 8,
    count: 16,
    nodeBytes: 100,
    filled: 98,
    keys: 8,
    values: 52,
    edges: 100,
    key: 1,
    value: 1,
  },
  {
    kind: 'byCode',
    bytes: 24,
    name,
    at: 0,
    build: { id: '00ff', address: 0 },
    options: [{ address: 0, shape: 1 }],
    otherwise: 3,
  },
  { kind: 'array', bytes: 24, name, element: 1, count: 6 },
  { kind: 'bits', bytes: 24, name, pointer: 0, end: 8, endBits: 16 },
  { kind: 'extended', bytes: 16, name },
  { kind: 'complex', bytes: 16, name },
  { kind: 'inside', bytes: 24, name, offset: 4, shape: 1, unit: 'ms' },
  { ...goMap, key: 1, value: 3 },
  { kind: 'interface', bytes: 16, name, options: [{ name: 'int', hash: 7, shape: 2 }] },
  { kind: 'moment', bytes: 16, name, wall: 0, ext: 8 },
];

test('[values.containers] a map of Go whose groups and count disagree, or that is written to, is torn; a type nobody knows is told as that', () => {
  const of = (count: bigint, writing: number, filled: number): Value => {
    const header = [...word(count), ...word(0x100n), ...word(0n), writing];
    const slots = Array.from({ length: 8 }, (_unused, i) => [i, 0, 0, 0, i * 2, 0, 0, 0]).flat();
    const control = Array.from({ length: 8 }, (_unused, i) => (i < filled ? i : 0x80));
    const bytes = pieces([0x10n, header], [0x100n, [...control, ...slots]]);
    const shapes: readonly Shape[] = [{ ...goMap, key: 1, value: 1 }, number];
    return decodeTree(tree(0, shapes), bytes, 0, bytes.length, 0);
  };
  const entries = [0, 1].map((i) => ({
    key: { kind: 'int', text: String(i) },
    value: { kind: 'int', text: String(i * 2) },
  }));
  expect(of(2n, 0, 2)).toEqual({ kind: 'map', entries, total: 2 });
  expect(of(3n, 0, 2)).toEqual({ kind: 'map', entries, total: 3, torn: true });
  expect(of(2n, 1, 2)).toEqual({ kind: 'map', entries, total: 2, torn: true });
  const held: readonly Shape[] = [
    { kind: 'interface', bytes: 16, name, options: [{ name: 'int', hash: 7, shape: null }] },
  ];
  const told = (hash: bigint): string =>
    shown(
      tree(0, held),
      pieces(
        [0x10n, [...word(0x100n), ...word(0x20n)]],
        [0x100n, [...word(0n), ...word(0n), ...word(hash)]],
      ),
    );
  expect(told(7n)).toBe('int(0x20)');
  expect(told(8n)).not.toContain('0x20');
  expect(shown(tree(0, held), pieces([0x10n, [...word(0n), ...word(0x20n)]]))).toBe('nil');
  const written = pieces([0x10n, [...word(0x101n), ...word(0x20n)]]);
  expect(shown(tree(0, held), written)).toBe('<torn: it changed while it was copied>');
});

test('[values.containers] a channel of Go is torn where it was being written to or changed while it was copied', () => {
  const channel: Shape = {
    kind: 'ring',
    bytes: 40,
    name,
    element: 1,
    pointer: 0,
    head: 8,
    count: 16,
    capacity: 24,
    changing: 32,
  };
  const of = (lock: bigint): string => {
    const header = [0x100n, 1n, 2n, 2n, lock].flatMap(word);
    const bytes = pieces([0x10n, header], [0x104n, [6, 0, 0, 0]], [0x100n, [7, 0, 0, 0]]);
    return shown(tree(0, [channel, number]), bytes);
  };
  expect(of(0n)).toBe('[6, 7]');
  expect(of(1n)).toBe('[6, 7, <torn: it changed while it was copied>]');
});

test('[values.containers] a deque has as many elements as its ends say, however few of its buffers were captured', () => {
  const ends = [0x1010n, 0x1000n, 0x1200n, 0x8000n, 0x7008n, 0x7000n, 0x7200n, 0x8000n + 781n * 8n];
  const entries = Array.from({ length: 4 }, (_unused, i) => BigInt(0x1000 + i * 0x200));
  const bytes = pieces(
    [0x9000n, ends.flatMap(word)],
    [0x8000n, entries.flatMap(word)],
    [0x1010n, [7, 0, 0, 0]],
  );
  const value = decodeTree(tree(0, [deque, number]), bytes, 0, bytes.length, 0);
  expect(value).toMatchObject({ kind: 'list', total: 781 * 128 - 4 + 2 });
});

test('[values.containers] a container whose words make no sense is told as unreadable, not with a number of elements', () => {
  const gone = [0x1010n, 0x1000n, 0n, 0x8000n, 0x7008n, 0x7000n, 0n, 0x7000n];
  const bytes = pieces([0x9000n, gone.flatMap(word)], [0x8000n, word(0x1000n)]);
  const bits = { kind: 'bits', bytes: 64, name, pointer: 24, end: 40, endBits: 48 } as const;
  for (const shape of [deque, bits]) {
    const value = decodeTree(tree(0, [shape, number]), bytes, 0, bytes.length, 0);
    expect(value.kind).toBe('unreadable');
  }
});

test('whatever bytes were captured, decoding ends and never throws', () => {
  const small = fc.bigInt({ min: 0n, max: 64n });
  const address = fc.bigInt({ min: 0n, max: 0x400n });
  const any = fc.oneof(small, address, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
  const piece = fc.tuple(address, fc.array(any, { maxLength: 60 }), fc.nat(7));
  const payload = fc.array(piece, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(payload, fc.nat(8), fc.nat(15), fc.nat(4), (all, lost, flags, whole) => {
      const bytes = pieces(
        ...all.map(([at, words, own]) => [at, words.flatMap(word), own] as const),
      );
      const type = { ...tree(0, everything), ...(whole === 4 ? {} : { whole }) };
      const value = decodeTree(type, bytes, 0, Math.max(0, bytes.length - lost), flags);
      expect(typeof plainText(value)).toBe('string');
    }),
    { numRuns: 300 },
  );
});
