import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DifferentValues } from '../../../src/db/reader/tree/differentValues.ts';
import { Pointers } from '../../../src/db/reader/tree/pointers.ts';
import { decodeValue, plainText } from '../../../src/db/reader/values/capturedValues.ts';
import { noNames } from '../../../src/model/decoding/dynamic.ts';
import { stringFlags } from '../../../src/model/eventColumns.ts';
import type { PointerShape, Shape } from '../../../src/model/values/shape.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';

/** { int number; <padding> bool flag; float part; char letter; item *next } behind a pointer. */
const pointer: PointerShape = {
  kind: 'pointer',
  bytes: 8,
  name: 'item*',
  at: 0,
  skip: 0,
  target: 1,
};
const shapes: readonly Shape[] = [
  pointer,
  {
    kind: 'record',
    name: 'item',
    bytes: 24,
    left: 0,
    fields: [
      { name: 'number', offset: 0, shape: 2 },
      { name: 'flag', offset: 6, shape: 3 },
      { name: 'part', offset: 8, shape: 4 },
      { name: 'letter', offset: 12, shape: 5 },
      { name: 'next', offset: 16, shape: 0 },
    ],
  },
  { kind: 'scalar', bytes: 4, type: { kind: 'int', name: 'int', bytes: 4, signed: true } },
  { kind: 'scalar', bytes: 1, type: { kind: 'bool', name: 'bool', bytes: 1 } },
  { kind: 'scalar', bytes: 4, type: { kind: 'float', name: 'float', bytes: 4 } },
  { kind: 'scalar', bytes: 1, type: { kind: 'char', name: 'char', bytes: 1, signed: true } },
];
const type = { kind: 'tree', name: 'item*', depth: 3, root: 0, shapes } satisfies ValueType;

interface Item {
  readonly address: bigint;
  readonly number: number;
  readonly padding: number;
  readonly flag: number;
  readonly part: number;
  readonly letter: number;
  readonly next: bigint;
  /** What of it was captured. */
  readonly captured: number;
  readonly flags: number;
}

const items = fc.record<Item>({
  address: fc.constantFrom(0n, 0x1000n, 0x2000n, 0x3000n, 2n ** 60n, 2n ** 60n + 1n),
  number: fc.integer({ min: 0, max: 3 }),
  padding: fc.integer({ min: 0, max: 1 }),
  flag: fc.integer({ min: 0, max: 2 }),
  part: fc.constantFrom(0, -0, 1.5),
  letter: fc.constantFrom(0, 65),
  next: fc.constantFrom(0n, 0x1000n, 0x2000n),
  captured: fc.constantFrom(24, 24, 24, 14, 0),
  flags: fc.constantFrom(0, 0, 0, stringFlags.unreadable, stringFlags.isNull),
});

function piece(address: bigint, bytes: Buffer): Buffer {
  const all = Buffer.alloc(16 + Math.ceil(bytes.length / 8) * 8);
  all.writeBigUInt64LE(address, 0);
  all.writeUInt32LE(bytes.length, 8);
  all.set(bytes, 16);
  return all;
}

/** As the engine writes it: the pointer, then what it leads to. */
function captured(item: Item): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeInt32LE(item.number, 0);
  bytes[4] = item.padding;
  bytes[6] = item.flag;
  bytes.writeFloatLE(item.part, 8);
  bytes[12] = item.letter;
  bytes.writeBigUInt64LE(item.next, 16);
  const address = Buffer.alloc(8);
  address.writeBigUInt64LE(item.address);
  const behind = item.address === 0n ? [] : [piece(item.address, bytes.subarray(0, item.captured))];
  const pieces = Buffer.concat([piece(0n, address), ...behind]);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(pieces.length, 0);
  head.writeUInt32LE(item.flags, 4);
  return Buffer.concat([head, pieces]);
}

function told(all: readonly Item[]): { readonly text: string | null; readonly only?: string } {
  const each = all.map(captured);
  const words = new Uint32Array(each.reduce((sum, { length }) => sum + length, 0) / 4);
  const bytes = Buffer.from(words.buffer);
  const pointers = new Pointers(type, pointer);
  let at = 0;
  for (const one of each) {
    bytes.set(one, at);
    pointers.add({ bytes, words }, at, one.length);
    at += one.length;
  }
  const others = new DifferentValues();
  pointers.addTo(others);
  const text = others.text({ isPart: false, withCounts: true });
  return pointers.only === undefined ? { text } : { text, only: pointers.only };
}

/** All decoded, one after the other. */
function plain(all: readonly Item[]): string | null {
  const others = new DifferentValues();
  for (const item of all) {
    const bytes = captured(item);
    if (!others.passes()) others.add(decodeValue(type, bytes, 0, bytes.length, noNames).value);
  }
  return others.text({ isPart: false, withCounts: true });
}

test('pointers are told apart as when all that they lead to is decoded', () => {
  fc.assert(
    fc.property(fc.array(items, { minLength: 1, maxLength: 40 }), (all) => {
      expect(told(all).text).toBe(plain(all));
    }),
    { numRuns: 400 },
  );
});

test('the one address of an object that changes is told', () => {
  const item = { address: 0x1000n, number: 0, padding: 0, flag: 0, part: 0, letter: 0, next: 0n };
  const one = { ...item, captured: 24, flags: 0 };
  const states = Array.from({ length: 9 }, (_, number) => ({ ...one, number }));
  expect(told(states)).toEqual({ text: '9 different', only: '0x1000' });
  expect(told([...states, { ...one, address: 0x2000n }])).toEqual({ text: '10 different' });
  expect(
    plainText(decodeValue(type, captured(one), 0, captured(one).length, noNames).value),
  ).toMatch(/^0x1000\{number=0, flag=false/);
});
