import { expect, test } from 'vitest';
import { encodeArmTable, planCapture } from '../../../src/collector/native/armTable.ts';
import { Walks } from '../../../src/collector/native/walkTable.ts';
import { codeId, type FoundFunction } from '../../../src/model/functions/foundFunction.ts';
import { depthOf } from '../../../src/model/values/shape.ts';
import type { Parameter, ValueType } from '../../../src/model/values/valueType.ts';
import { armEntry, captureOp, captureReturn } from '../../../src/protocol/record.ts';

const int: ValueType = { kind: 'int', name: 'int', bytes: 4, signed: true };
const text: ValueType = { kind: 'cstring', name: 'const char *' };
const real: ValueType = { kind: 'float', name: 'double', bytes: 8 };
const rules = { stringBytes: 128, secretNames: ['password', 'api key'] };
const struct: ValueType = { kind: 'opaque', name: 'Order', bytes: 48 };

function fn(
  parameters: readonly Parameter[],
  returns: ValueType,
  stackBytes: number | null = 0,
): FoundFunction {
  return {
    runtime: 'native',
    id: codeId('/p/app', 0x1139),
    unit: '/p/app',
    name: 'f',
    signature: 'f()',
    linkageName: '_Z1fv',
    address: 0x1139,
    offset: 0x1139,
    size: 40,
    room: 48,
    file: '/p/a.cpp',
    line: 3,
    parameters,
    returns,
    stackBytes,
    depth: depthOf(0),
    variadic: false,
    opensStack: false,
    isOfGo: false,
    isForeign: false,
  };
}

test('scalars become capture operations in their order; the rest is told with its reason', () => {
  const plan = planCapture(
    fn(
      [
        {
          name: 'this',
          type: { kind: 'pointer', name: 'Book *' },
          place: { kind: 'integer', register: 0 },
        },
        { name: 'price', type: real, place: { kind: 'float', register: 0 } },
        { name: 'note', type: text, place: { kind: 'integer', register: 1 } },
        { name: 'order', type: struct, place: { kind: 'stack', offset: 0 } },
        { name: 'limit', type: int, place: { kind: 'stack', offset: 48 } },
      ],
      real,
      56,
    ),
    rules,
    new Walks(),
  );
  expect(plan.ops).toEqual([
    BigInt(captureOp.integer),
    BigInt(captureOp.float),
    BigInt(captureOp.stringInteger | (1 << 8) | (128 << 16)),
    BigInt(captureOp.stack | (6 << 8)),
  ]);
  expect(plan.captured.map(({ name }) => name)).toEqual(['this', 'price', 'note', 'limit']);
  expect(plan.uncaptured).toEqual([
    { name: 'order', typeName: 'Order', reason: 'its kind of value is not read' },
  ]);
  expect(plan.payload).toEqual({ enter: [false, false, true, false], returns: 'word' });
  expect(plan.returnKind).toBe(captureReturn.float);
  expect(plan.stackBytes).toBe(56);
});

test('what an object holds is found by the offsets of its fields', () => {
  const held = { pointer: 0, length: 8, byEnd: false, unit: 1, inWords: false };
  const owned: ValueType = { kind: 'cstring', name: 'std::string&', held };
  const view: ValueType = {
    kind: 'cstring',
    name: 'string_view',
    held: { ...held, pointer: 8, length: 0, inWords: true },
  };
  const numbers: ValueType = {
    kind: 'list',
    name: 'vector<int>&',
    element: int,
    held: { pointer: 0, length: 8, byEnd: true, unit: 4, inWords: false },
  };
  const plan = planCapture(
    fn(
      [
        { name: 'name', type: owned, place: { kind: 'integer', register: 0 } },
        { name: 'part', type: view, place: { kind: 'pair', first: 1, second: 2 } },
        { name: 'all', type: numbers, place: { kind: 'stack', offset: 8 } },
        { name: 'late', type: view, place: { kind: 'none', reason: 'on the stack' } },
      ],
      view,
    ),
    rules,
    new Walks(),
  );
  const op = (kind: number, index: number, where: number): bigint =>
    BigInt(kind | (index << 8) | (128 << 16)) | (BigInt(where) << 32n);
  expect(plan.ops).toEqual([
    op(captureOp.heldInteger, 0, (8 << 12) | (1 << 24)),
    // The pointer is the second word, the length the first.
    op(captureOp.heldPair, 2, 1 | (1 << 24)),
    op(captureOp.heldStack, 1, 8 << 12),
  ]);
  expect(plan.payload).toEqual({ enter: [true, true, true], returns: 'string' });
  expect(plan).toMatchObject({
    returnKind: captureReturn.heldPair,
    returnOp: BigInt(8 | (1 << 24)) << 32n,
  });
});

test('an unknown signature captures nothing and has its stack arguments copied', () => {
  const plan = planCapture(fn([], { kind: 'unknown' }, null), rules, new Walks());
  expect(plan).toMatchObject({ ops: [], returnKind: captureReturn.none, stackBytes: 256 });
});

test('a table row has the layout the engine reads', () => {
  const plan = planCapture(
    fn([{ name: 'n', type: int, place: { kind: 'integer', register: 2 } }], int),
    rules,
    new Walks(),
  );
  const bytes = encodeArmTable(
    [{ address: 0x7fff_1234_5678n, size: 40, next: 48, number: 7, plan }],
    64,
  );
  expect(bytes.length).toBe(armEntry.bytes);
  const view = new DataView(bytes.buffer);
  expect(view.getBigUint64(armEntry.address, true)).toBe(0x7fff_1234_5678n);
  expect(view.getUint32(armEntry.fn, true)).toBe(7);
  expect(view.getUint8(armEntry.next)).toBe(48);
  expect(view.getUint8(armEntry.opCount)).toBe(1);
  expect(view.getUint8(armEntry.returnKind)).toBe(captureReturn.integer);
  expect(view.getUint32(armEntry.ops, true)).toBe(captureOp.integer | (2 << 8));
});

test('[security.redaction] what looks like a secret is not read from the target at all', () => {
  const plan = planCapture(
    fn(
      [
        { name: 'user', type: text, place: { kind: 'integer', register: 0 } },
        { name: 'password', type: text, place: { kind: 'integer', register: 1 } },
        {
          name: 'hasPassword',
          type: { kind: 'bool', name: 'bool', bytes: 1 },
          place: { kind: 'integer', register: 2 },
        },
      ],
      text,
    ),
    rules,
    new Walks(),
  );
  expect(plan.captured.map(({ name }) => name)).toEqual(['user', 'hasPassword']);
  expect(plan.ops).toHaveLength(2);
  expect(plan.uncaptured).toMatchObject([{ name: 'password', secret: 'password' }]);
  expect(plan.secretReturn).toBeUndefined();

  const getter = { ...fn([], text), name: 'password::store::readApiKey' };
  expect(planCapture(getter, rules, new Walks())).toMatchObject({
    returnKind: captureReturn.none,
    secretReturn: 'api key',
    payload: { returns: 'none' },
  });
  expect(
    planCapture(getter, { ...rules, secretNames: [] }, new Walks()).secretReturn,
  ).toBeUndefined();
});
