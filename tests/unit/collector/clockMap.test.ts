import { expect, test } from 'vitest';
import { ClockMap } from '../../../src/collector/rings/clockMap.ts';

const START = 1_000_000_000_000n;
const TSC = 123_456_789_012_345n;

function halves(tsc: bigint): [number, number] {
  return [Number(tsc & 0xffffffffn), Number(tsc >> 32n)];
}

test('a cycle counter maps to session nanoseconds by the two anchors furthest apart', () => {
  const clock = new ClockMap(START);
  clock.add({ tsc: TSC, monotonicNs: START + 5_000_000n });
  expect(clock.ready).toBe(false);
  clock.add({ tsc: TSC + 2_100_000_000n, monotonicNs: START + 1_005_000_000n });
  expect(clock.ready).toBe(true);
  expect(clock.toSessionNs(...halves(TSC))).toBe(5_000_000);
  expect(clock.toSessionNs(...halves(TSC + 2_100n))).toBe(5_001_000);
  expect(clock.toSessionNs(...halves(TSC - 2_100n))).toBe(4_999_000);
});

test('anchors may come in any order and too close together they do not count', () => {
  const clock = new ClockMap(START);
  clock.add({ tsc: TSC + 1000n, monotonicNs: START + 500n });
  clock.add({ tsc: TSC, monotonicNs: START });
  expect(clock.ready).toBe(false);
  clock.add({ tsc: TSC + 4_000_000n, monotonicNs: START + 2_000_000n });
  expect(clock.toSessionNs(...halves(TSC + 4_000_000n))).toBe(2_000_000);
});

test.each([
  { name: 'went on', tsc: 900_000_000_000n },
  { name: 'began anew', tsc: 1_000n },
])(
  'after a sleep in which the cycle counter $name, times go on with those of the session',
  ({ tsc }) => {
    const clock = new ClockMap(0n);
    clock.add({ tsc: 1_000_000n, monotonicNs: 0n });
    clock.add({ tsc: 30_001_000_000n, monotonicNs: 10_000_000_000n });
    expect(clock.toSessionNs(...halves(45_001_000_000n))).toBe(15_000_000_000);
    // The machine slept; CLOCK_MONOTONIC stood still. 3 cycles make a nanosecond.
    clock.add({ tsc, monotonicNs: 20_000_000_000n });
    const later = halves(tsc + 6_000_000n);
    expect(clock.toSessionNs(...later)).toBe(20_002_000_000);
    clock.add({ tsc: tsc + 3_000_000_000n, monotonicNs: 21_000_000_000n });
    expect(clock.toSessionNs(...later)).toBe(20_002_000_000);
  },
);
