/** CLOCK_MONOTONIC in nanoseconds. The only door to the clock. */
export function monotonicNs(): bigint {
  return process.hrtime.bigint();
}

/** CLOCK_MONOTONIC in milliseconds, with fractions. */
export function monotonicMs(): number {
  return performance.now();
}

/** Wall-clock milliseconds since 1970, for names and anchors only. */
export function wallMs(): number {
  return Date.now();
}
