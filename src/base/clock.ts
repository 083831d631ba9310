import { uptime } from 'node:os';

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

/** CLOCK_BOOTTIME in milliseconds, to a hundredth of a second: unlike the monotonic one it goes on while the machine sleeps. */
export function bootMs(): number {
  return uptime() * 1000;
}
