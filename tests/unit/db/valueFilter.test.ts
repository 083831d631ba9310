import { expect, test } from 'vitest';
import { valueTest } from '../../../src/db/reader/filter/valueFilter.ts';
import { noNames } from '../../../src/model/decoding/dynamic.ts';
import { stringFlags } from '../../../src/model/eventColumns.ts';
import type { ValueFilter } from '../../../src/model/questions/query.ts';
import type { ValueType } from '../../../src/model/values/valueType.ts';

const pointer: ValueType = {
  kind: 'tree',
  name: 'int*',
  depth: 1,
  root: 0,
  shapes: [
    { kind: 'pointer', bytes: 8, name: 'int*', at: 0, skip: 0, target: 1 },
    { kind: 'scalar', bytes: 4, type: { kind: 'int', name: 'int', bytes: 4, signed: true } },
  ],
};

/** A pointer to 7 at an address, as a record holds it; 0: to nothing. */
function captured(address: bigint, flags = 0): Buffer {
  const bytes = Buffer.alloc(address === 0n ? 32 : 56);
  bytes.writeUInt32LE(bytes.length - 8, 0);
  bytes.writeUInt32LE(flags, 4);
  bytes.writeUInt32LE(8, 16);
  bytes.writeBigUInt64LE(address, 24);
  if (address === 0n) return bytes;
  bytes.writeBigUInt64LE(address, 32);
  bytes.writeUInt32LE(4, 40);
  bytes.writeUInt32LE(7, 48);
  return bytes;
}

test.each<[ValueFilter, readonly bigint[]]>([
  [{ equals: '0x10' }, [16n]],
  [{ equals: 16 }, [16n]],
  [{ equals: null }, [0n]],
  [{ isNull: true }, [0n]],
  [{ isNull: false }, [16n, 32n]],
  [{ equals: '0x10', isNull: true }, []],
  [{ gt: 16 }, [32n]],
  [{ contains: '7' }, [16n, 32n]],
  [{ equals: 'nullptr' }, []],
])('a pointer with what it leads to: %j', (filter, expected) => {
  const passes = valueTest('to', filter, pointer, { names: noNames });
  const found = [0n, 16n, 32n].filter((address) => {
    const bytes = captured(address);
    return passes.test(bytes, 0, bytes.length);
  });
  expect(found).toEqual(expected);
  const lost = captured(16n, stringFlags.isNull);
  expect(
    valueTest('to', { isNull: true }, pointer, { names: noNames }).test(lost, 0, lost.length),
  ).toBe(true);
});
