import fc from 'fast-check';
import { expect, test } from 'vitest';
import { momentText } from '../../../src/model/decoding/moments.ts';

const shortened = 1n << 63n;
/** Seconds from the beginning of the year 1 to those of 1970. */
const to1970 = 62_135_596_800n;

test('a time of Go is written as Go writes it in UTC', () => {
  expect(momentText(0n, 0n)).toBe('0001-01-01T00:00:00Z');
  expect(momentText(678_000_000n, 63_851_547_845n)).toBe('2024-05-17T13:04:05.678Z');
  expect(momentText(1n, BigInt.asUintN(64, -1n))).toBe('0000-12-31T23:59:59.000000001Z');
  expect(momentText(shortened, 5n)).toBe('1885-01-01T00:00:00Z');
});

test('both of its forms mean the same moment; what no date has is none', () => {
  const seconds = fc.bigInt({ min: 0n, max: (1n << 33n) - 1n });
  const parts = fc.bigInt({ min: 0n, max: 999_999_999n });
  fc.assert(
    fc.property(seconds, parts, (since1885, part) => {
      const short = momentText(shortened | (since1885 << 30n) | part, 77n);
      expect(short).toBe(momentText(part, since1885 + 59_453_308_800n));
      const unix = since1885 + 59_453_308_800n - to1970;
      expect(Date.parse(short ?? '')).toBe(Number(unix * 1000n + part / 1_000_000n));
    }),
  );
  expect(momentText(0n, 1n << 62n)).toBeNull();
  expect(momentText(1_000_000_000n, 0n)).toBeNull();
});
