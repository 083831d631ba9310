import { monotonicMs } from '../../base/clock.ts';
import { pause } from '../../base/deadline.ts';
import type { Polled, PolledChange } from '../../model/debug/memoryPoll.ts';
import { decodeScalar } from '../../model/decoding/scalars.ts';
import type { ScalarType } from '../../model/values/scalarType.ts';

/** Changes that are kept; all are counted. */
const mostChanges = 200;

/** How often, and for how long. */
export interface PollRate {
  readonly everyMs: number;
  readonly forMs: number;
}

/** Looks at the bits of a scalar again and again; `bits` answers null when they cannot be read any more. */
export async function pollMemory(
  scalar: ScalarType,
  bits: () => bigint | null,
  { everyMs, forMs }: PollRate,
  signal: AbortSignal,
): Promise<Polled> {
  const start = monotonicMs();
  const changes: PolledChange[] = [];
  let [changed, looks] = [-1, 0];
  let last: bigint | null = null;
  let cut: string | null = null;
  for (let due = 0; due <= forMs; due = Math.max(due + everyMs, monotonicMs() - start)) {
    await pause(Math.max(0, start + due - monotonicMs()), signal);
    const now = bits();
    if (now === null) {
      cut = 'it cannot be read any more';
      break;
    }
    looks++;
    if (now === last) continue;
    last = now;
    changed++;
    const ms = Math.round(monotonicMs() - start);
    if (changes.length < mostChanges) changes.push({ ms, value: scalarValue(scalar, now) });
  }
  const ms = Math.round(monotonicMs() - start);
  return { changes, changed: Math.max(0, changed), looks, ms, cut };
}

/** The value that bits of a scalar are, which are an unsigned number. */
export function scalarValue(scalar: ScalarType, bits: bigint): PolledChange['value'] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return decodeScalar(scalar, bytes, 0);
}
