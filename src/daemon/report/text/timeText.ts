import type { SessionNs } from '../../../model/ids.ts';

const units: readonly (readonly [number, string])[] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];

/** Two or three digits with a unit: `850 ns`, `12 µs`, `1.2 ms`, `3.4 s`, `2 min 5 s`, `3 h 10 min`. */
export function duration(ns: number): string {
  const whole = Math.max(0, Math.round(ns));
  if (whole >= 3_599.5e9) return pair(whole / 60e9, 'h', 'min');
  if (whole >= 99.5e9) return pair(whole / 1e9, 'min', 's');
  for (const [size, unit] of units) {
    // 999.6 µs reads 1.0 ms, not 1000 µs.
    if (whole >= size * 0.9995 || size === 1) return `${digits(whole / size, size === 1)} ${unit}`;
  }
  return '0 ns';
}

function pair(smaller: number, bigUnit: string, smallUnit: string): string {
  const all = Math.round(smaller);
  const rest = all % 60;
  return `${Math.floor(all / 60)} ${bigUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

function digits(value: number, whole: boolean): string {
  return whole || value >= 9.95 ? String(Math.round(value)) : value.toFixed(1);
}

/** Of the seconds in the stamps of one answer. */
export type Decimals = 3 | 6;

/** Since the session's start, in seconds: `+1.204s`; with 6 decimals `+1.204113s`. */
export function stamp(time: SessionNs, decimals: Decimals = 3): string {
  return `+${(time / 1e9).toFixed(decimals)}s`;
}

/** Decimals with which most of these times, in order, can be told from the one before. */
export function decimalsFor(times: readonly SessionNs[]): Decimals {
  let alike = 0;
  for (const [at, time] of times.entries()) {
    const before = times[at - 1];
    if (before !== undefined && time !== before && stamp(time) === stamp(before)) alike += 1;
  }
  return alike * 4 >= times.length && alike > 0 ? 6 : 3;
}

/** `3.2 s ago`; `just now` below 100 ms. */
export function ago(from: SessionNs, now: SessionNs): string {
  return now - from < 1e8 ? 'just now' : `${duration(now - from)} ago`;
}
