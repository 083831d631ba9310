import { alignedCopy } from './blockFormat.ts';

/**
 * Durations in buckets of an eighth of an octave: an estimate is within 6.25 % of the truth.
 * Below 8 ns each nanosecond has its own bucket. 2^53 ns falls into bucket 407.
 */
export const bucketCount = 408;

const TWO_32 = 4294967296;

/** The bucket of a duration in whole nanoseconds, 0 ≤ duration ≤ 2^53. */
export function bucketOf(duration: number): number {
  if (duration < 8) return duration < 0 ? 0 : duration | 0;
  if (duration < TWO_32) {
    const whole = duration >>> 0;
    const octave = 31 - Math.clz32(whole);
    return ((octave - 2) << 3) + ((whole >>> (octave - 3)) & 7);
  }
  // The top 32 bits are enough: only the leading four of them count.
  const high = Math.floor(duration / 2097152) >>> 0;
  const octave = 31 - Math.clz32(high);
  return Math.min(bucketCount - 1, ((octave + 19) << 3) + ((high >>> (octave - 3)) & 7));
}

/** The least duration of a bucket. */
export function bucketFrom(bucket: number): number {
  return bucket < 8 ? bucket : (8 + (bucket & 7)) * 2 ** ((bucket >> 3) - 1);
}

/** The middle of a bucket. */
export function bucketMiddle(bucket: number): number {
  if (bucket < 8) return bucket;
  const width = 2 ** ((bucket >> 3) - 1);
  return (8 + (bucket & 7)) * width + (width - 1) / 2;
}

/**
 * The estimated `q` quantile of `count` durations, kept within their true extremes. The histogram
 * begins with bucket `from`.
 */
export function quantile(
  { histogram, from }: { histogram: ArrayLike<number>; from: number },
  q: number,
  { count, min, max }: { count: number; min: number; max: number },
): number {
  if (count === 0) return 0;
  const rank = Math.max(1, Math.ceil(q * count));
  if (rank >= count) return max;
  let seen = 0;
  for (let bucket = 0; bucket < histogram.length; bucket++) {
    seen += histogram[bucket] ?? 0;
    if (seen >= rank) return Math.min(max, Math.max(min, Math.round(bucketMiddle(from + bucket))));
  }
  return max;
}

/** A stored histogram: float64 per bucket, in the order of buckets. */
export function readHistogram(bytes: Uint8Array): Float64Array<ArrayBuffer> {
  const copy = alignedCopy(bytes);
  return new Float64Array(copy.buffer, 0, Math.floor(copy.byteLength / 8));
}
