import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberMap } from '../../../src/base/numberMap.ts';
import { orderOf } from '../../../src/base/sorted.ts';

const number = fc.integer({ min: 0, max: 0xffff_fffe });

test('a map of numbers answers as a Map does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.oneof(number, fc.integer({ min: 0, max: 20 })), number), {
        maxLength: 2000,
      }),
      (steps) => {
        const map = new NumberMap();
        const model = new Map<number, number>();
        for (const [isSet, key, value] of steps) {
          if (isSet) {
            map.set(key, value);
            model.set(key, value);
          } else {
            expect(map.getOrSet(key, value)).toBe(model.get(key) ?? -1);
            if (!model.has(key)) model.set(key, value);
          }
        }
        for (const [, key] of steps) expect(map.get(key)).toBe(model.get(key) ?? -1);
        expect(map.get(0xffff_ffff + 1)).toBe(-1);
      },
    ),
    { numRuns: 50 },
  );
});

test.each([
  ['near', 1000],
  ['as far apart as numbers go', Number.MAX_SAFE_INTEGER],
])('numbers that lie %s are put in order, equal ones by the tie', (_what, max) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max }), { maxLength: 200 }), (values) => {
      const ties = values.map((_value, i) => (i * 7) % 3);
      const tie = (a: number, b: number): number => (ties[a] ?? 0) - (ties[b] ?? 0);
      const expected = values
        .map((_value, i) => i)
        .toSorted((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || tie(a, b) || a - b);
      expect([...orderOf(Float64Array.from(values), tie)]).toEqual(expected);
    }),
  );
});
