import { describe, expect, test } from 'vitest';
import { emptyResultOf, isEmptyResult } from '../../../src/db/writer/emptyResult.ts';
import type { Shape, ShapeOption } from '../../../src/model/values/shape.ts';

const word: Shape = {
  kind: 'scalar',
  bytes: 8,
  type: { kind: 'int', name: 'u64', bytes: 8, signed: false },
};

function option(name: string, low = '0', high = low): ShapeOption {
  return { low, high, name, offset: 8, shape: 0 };
}

function choice(
  name: string,
  at: number,
  options: readonly ShapeOption[],
  otherwise: ShapeOption | null,
  size = 8,
): Shape {
  return { kind: 'choice', bytes: 24, name, at, size, options, otherwise };
}

/** Whether a result of these shapes is empty, whose bytes are these words. */
function isEmpty(shapes: readonly Shape[], words: readonly bigint[]): boolean | null {
  const found = emptyResultOf({
    kind: 'tree',
    name: 'result',
    depth: 3,
    root: shapes.length - 1,
    shapes,
  });
  const bytes = Buffer.alloc(words.length * 8);
  for (const [i, one] of words.entries()) bytes.writeBigUInt64LE(one, i * 8);
  return found && isEmptyResult(found, bytes, 0, bytes.length);
}

describe('a result that says there is none', () => {
  const highest = 1n << 63n;

  test('[query.tree] is an option by its own number, or by any other', () => {
    const ok = choice('Result<u64, String>', 0, [option('Ok', `${highest}`)], option('Err'));
    expect(isEmpty([word, ok], [highest, 5n, 0n])).toBe(false);
    expect(isEmpty([word, ok], [highest + 1n, 5n, 0n])).toBe(true);
    expect(isEmpty([word, ok], [15n, 5n, 0n])).toBe(true);
    const none = choice('Option<Item>', 8, [option('None', `${highest}`)], option('Some'));
    expect(isEmpty([word, none], [0n, highest, 0n])).toBe(true);
    expect(isEmpty([word, none], [highest, highest - 1n, 0n])).toBe(false);
    const engaged = choice('optional<int>', 4, [option('none', '0')], option('', '0'), 1);
    expect(isEmpty([word, engaged], [0x1_0000_0000n])).toBe(false);
    expect(isEmpty([word, engaged], [0xff_ffff_ffffn])).toBe(false);
    expect(isEmpty([word, engaged], [0xff00_ffff_ffffn])).toBe(true);
  });

  test('[query.tree] is a range of numbers, both ends included', () => {
    const two = choice('Result<A, B>', 0, [option('Err', '3', `${highest}`)], option('Ok'));
    const of = (number: bigint): boolean | null => isEmpty([word, two], [number]);
    expect([2n, 3n, highest, highest + 1n].map(of)).toEqual([false, true, true, false]);
  });

  test('[query.tree] is a null pointer, also inside another type', () => {
    const pointer: Shape = {
      kind: 'pointer',
      bytes: 16,
      name: 'unique_ptr<T>',
      at: 8,
      skip: 0,
      target: null,
    };
    const inside: Shape = { kind: 'inside', bytes: 24, name: 'own', offset: 8, shape: 0 };
    expect(isEmpty([pointer], [1n, 0n])).toBe(true);
    expect(isEmpty([pointer], [0n, 1n])).toBe(false);
    expect(isEmpty([pointer, inside], [1n, 1n, 0n])).toBe(true);
    expect(isEmpty([pointer, inside], [1n, 1n])).toBe(false);
  });

  test('[query.tree] is of known types alone', () => {
    expect(isEmpty([word], [0n])).toBeNull();
    expect(isEmpty([word, choice('Unit', 0, [option('None', '0')], null)], [0n])).toBeNull();
    expect(isEmpty([word, choice('Option<T>', 0, [option('A', '0')], null)], [0n])).toBeNull();
  });
});
