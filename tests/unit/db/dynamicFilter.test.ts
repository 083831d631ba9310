import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valueTest } from '../../../src/db/reader/filter/valueFilter.ts';
import { decodedTest } from '../../../src/db/reader/filter/wantedValue.ts';
import { decodeValue } from '../../../src/db/reader/values/capturedValues.ts';
import { noNames } from '../../../src/model/decoding/dynamic.ts';
import type { ValueFilter } from '../../../src/model/questions/query.ts';
import { dynamicBytes, item, type Dynamic } from '../../support/dynamicBytes.ts';

const type = { kind: 'dynamic', language: 'python' } as const;

function quickly(filter: ValueFilter, bytes: Buffer): boolean {
  return valueTest('v', filter, type, { names: noNames }).test(bytes, 0, bytes.length);
}

function decoded(filter: ValueFilter, bytes: Buffer): boolean {
  const { value } = decodeValue(type, bytes, 0, bytes.length, noNames);
  return decodedTest('v', filter)(value);
}

test.each<[ValueFilter, readonly Dynamic[]]>([
  [{ equals: 1 }, [1, true, 1n]],
  [{ equals: 0 }, [0, false]],
  [{ equals: null }, [null, undefined]],
  [{ isNull: false }, [0, 1, 2.5, true, false, '', 'tea', 'Tee 雪', 1n, 2n ** 53n, 2n ** 80n]],
  [{ lt: 1 }, [0]],
  [{ gt: 0 }, [1, 2.5, 1n, 2n ** 53n, 2n ** 80n]],
  [{ gt: '9007199254740991' }, [2n ** 53n, 2n ** 80n]],
  [{ equals: '1208925819614629174706176' }, [2n ** 80n]],
  [{ equals: 'tea' }, ['tea']],
  [{ contains: 'TE' }, ['tea', 'Tee 雪']],
  [{ contains: '2' }, [2.5, 2n ** 53n, 2n ** 80n]],
  [{ equals: true }, [true]],
])('[dynamic.filters] %j of numbers, texts and words', (filter, expected) => {
  const all: Dynamic[] = [null, undefined, 0, 1, 2.5, true, false, '', 'tea', 'Tee 雪', 1n];
  all.push(2n ** 53n, 2n ** 80n);
  expect(all.filter((value) => quickly(filter, dynamicBytes(value)))).toEqual(
    all.filter((value) => expected.includes(value)),
  );
});

const short = fc.constantFrom(
  'tea',
  'Tea',
  'te',
  'é',
  '雪',
  '5',
  '-1',
  '1e3',
  '0x10',
  'None',
  'null',
);
const texts = fc.oneof(short, fc.string({ unit: 'binary', maxLength: 6 }));
const integers = fc.oneof(fc.integer({ min: -3, max: 17 }), fc.integer(), fc.maxSafeInteger());
const numbers = fc.oneof(integers, fc.double({ noNaN: true }), fc.constantFrom(2.5, -0.5, 1e300));
const beyond = fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 64n + 2n });

function little(tag: 'i8' | 'i16' | 'i32' | 'i64', size: number) {
  return fc
    .bigInt({ min: -(2n ** BigInt(size * 8 - 1)), max: 2n ** BigInt(size * 8 - 1) - 1n })
    .map((value): Dynamic => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigInt64LE(value);
      return { tag, rest: [...bytes.subarray(0, size)] };
    });
}

const values = fc.oneof(
  fc.constantFrom<Dynamic>(null, undefined, true, false, '', [], [5], { map: [['tea', 5]] }),
  fc.constantFrom<Dynamic>({ tag: 'none' }, { tag: 'true' }, { tag: 'unset' }, { tag: 'redacted' }),
  fc.constantFrom<Dynamic>({ subclass: 3, of: 5 }, { exception: 3, of: { tuple: ['tea'] } }),
  fc.constantFrom<Dynamic>({ tag: 'text1', rest: [9, 2, 116, 101] }, { bytes: [116, 101, 97] }),
  fc.constantFrom<Dynamic>({ tag: 'text4', rest: [1, 1, 116, 0, 0, 0] }),
  fc.constantFrom<Dynamic>({ tag: 'float', rest: [0, 0, 0, 0, 0, 0, 240, 127] }),
  fc.constantFrom<Dynamic>({ tag: 'float', rest: [0, 0, 0, 0, 0, 0, 248, 127] }),
  fc.constantFrom<Dynamic>({ tag: 'function', rest: item('tea') }),
  texts,
  numbers,
  beyond,
  beyond.map((value) => -value),
  little('i8', 1),
  little('i16', 2),
  little('i32', 4),
  little('i64', 8),
);

const literals = fc.oneof(
  fc.constantFrom(null, true, false, 'true', 'Infinity'),
  texts,
  numbers,
  numbers.map(String),
  beyond.map(String),
);
const bounds = fc
  .oneof(numbers, numbers.map(String), beyond.map(String))
  .filter((bound) => String(bound).trim() !== '' && !Number.isNaN(Number(bound)));
const parts = fc.oneof(short, fc.string({ minLength: 1, maxLength: 2 }));
const filters: fc.Arbitrary<ValueFilter> = fc.oneof(
  fc.record({ equals: literals }),
  fc.record({ lt: bounds, gt: bounds }, { requiredKeys: [] }),
  fc.record({ contains: parts }),
  fc.record({ isNull: fc.boolean() }),
  fc.record(
    { equals: literals, lt: bounds, gt: bounds, contains: parts, isNull: fc.boolean() },
    { requiredKeys: [] },
  ),
);

test('[dynamic.filters] a value passes before it is decoded as it does behind that', () => {
  let passing = 0;
  fc.assert(
    fc.property(values, filters, (value, filter) => {
      const bytes = dynamicBytes(value);
      const passes = quickly(filter, bytes);
      if (passes) passing++;
      expect(passes).toBe(decoded(filter, bytes));
    }),
    { numRuns: 20_000 },
  );
  expect(passing).toBeGreaterThan(2000);
});

test('[dynamic.filters] damaged bytes pass as what they are decoded to', () => {
  fc.assert(
    fc.property(
      values,
      filters,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      (value, filter, changes) => {
        const bytes = dynamicBytes(value);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        expect(quickly(filter, bytes)).toBe(decoded(filter, bytes));
      },
    ),
    { numRuns: 10_000 },
  );
});

test('[dynamic.filters] a test asked of many values says of each what a new one does', () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 12 }), filters, (all, filter) => {
      const asked = valueTest('v', filter, type, { names: noNames });
      const pieces = all.map((value) => dynamicBytes(value));
      expect(pieces.map((bytes) => asked.test(bytes, 0, bytes.length))).toEqual(
        pieces.map((bytes) => decoded(filter, bytes)),
      );
    }),
    { numRuns: 1000 },
  );
});
