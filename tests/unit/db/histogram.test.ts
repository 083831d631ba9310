import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketCount, bucketMiddle, bucketOf, quantile } from '../../../src/db/histogram.ts';

const duration = fc.oneof(
  fc.integer({ min: 0, max: 64 }),
  fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  fc.maxSafeInteger().map(Math.abs),
);

test('a duration lies within 6.25 % of the middle of its bucket', () => {
  fc.assert(
    fc.property(duration, (ns) => {
      const bucket = bucketOf(ns);
      expect(bucket).toBeGreaterThanOrEqual(0);
      expect(bucket).toBeLessThan(bucketCount);
      expect(Math.abs(bucketMiddle(bucket) - ns)).toBeLessThanOrEqual(ns / 16 + 0.5);
    }),
    { numRuns: 2000 },
  );
});

test('buckets rise with durations, also across powers of two and beyond 32 bits', () => {
  for (let octave = 0; octave < 53; octave++) {
    const at = 2 ** octave;
    expect(bucketOf(at)).toBeGreaterThan(bucketOf(at - 1));
    expect(bucketOf(at + 1)).toBeGreaterThanOrEqual(bucketOf(at));
  }
});

test('quantiles are those of the sorted durations, within a bucket', () => {
  fc.assert(
    fc.property(fc.array(duration, { minLength: 1, maxLength: 200 }), (durations) => {
      const histogram = new Float64Array(bucketCount);
      for (const ns of durations) {
        const bucket = bucketOf(ns);
        histogram[bucket] = (histogram[bucket] ?? 0) + 1;
      }
      const sorted = durations.toSorted((a, b) => a - b);
      const extremes = { count: sorted.length, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
      for (const q of [0.5, 0.95, 0.99, 1]) {
        const truth = sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
        const estimate = quantile({ histogram, from: 0 }, q, extremes);
        expect(Math.abs(estimate - truth)).toBeLessThanOrEqual(truth / 8 + 1);
      }
    }),
  );
});
