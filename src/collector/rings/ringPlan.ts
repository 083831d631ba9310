import { existsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { record } from '../../protocol/record.ts';
import { memoryFactsOf, ringRoom } from '../program/memoryConditions.ts';
import type { TracedSession } from '../tracer.ts';
import { ringDirectory } from './ringFolder.ts';

/** What a thread's ring begins with: in the first program that is traced, and in those that come after it. */
const FIRST_RING_BYTES = 8 << 20;
const LATER_RING_BYTES = 256 << 10;
const LEAST_RING_BYTES = 16 << 10;
/** Rings grow by at most one part in this many of the free memory. */
const MEMORY_SHARE = 4;

/** Where the engine of a process records, and how much memory that takes. */
export interface RingPlan {
  readonly ringPath: string;
  readonly slotCount: number;
  readonly ringBytes: number;
  readonly mostRingBytes: number;
  readonly growBytes: number;
  readonly forkedBytes: number;
  readonly sampling: TracedSession['limits']['sampling'];
}

/** The rings of a session's processes: each program has one of its own. */
export class RingPlans {
  readonly #session: Pick<TracedSession, 'id' | 'limits'>;
  /** Programs of each process. */
  readonly #counts = new Map<number, number>();

  constructor(session: Pick<TracedSession, 'id' | 'limits'>) {
    this.#session = session;
  }

  /** For the program that a process runs now. */
  next(pid: number): RingPlan {
    const { limits } = this.#session;
    const room = ringRoom(memoryFactsOf(pid));
    const ringPath = this.path(pid);
    const [firstPid] = this.#counts.keys();
    const firstRing = pid === firstPid ? FIRST_RING_BYTES : LATER_RING_BYTES;
    return {
      ringPath,
      slotCount: limits.ringSlots,
      ringBytes: powerBelow(Math.min(firstRing, limits.ringBytes, room)),
      mostRingBytes: limits.ringBytes,
      growBytes: Math.floor(Math.min(limits.maxOverflowBytes, freemem() / MEMORY_SHARE, room)),
      forkedBytes: Math.min(record.forkedBytes, room),
      sampling: limits.sampling,
    };
  }

  /** `<pid>.ring`, and `<pid>.2.ring` for the second program of the same process. */
  path(pid: number): string {
    for (let count = this.#counts.get(pid) ?? 1; ; count++) {
      const name = count === 1 ? `${pid}.ring` : `${pid}.${count}.ring`;
      const path = join(ringDirectory(this.#session.id), name);
      if (existsSync(path)) continue;
      this.#counts.set(pid, count + 1);
      return path;
    }
  }
}

/** A ring's bytes are a power of two. */
export function powerBelow(bytes: number): number {
  return Math.max(LEAST_RING_BYTES, 2 ** Math.floor(Math.log2(bytes)));
}
