import type { StoppedThread, Touched } from '../../../model/debug/stop.ts';
import type { NativeParts } from '../../native/nativeParts.ts';
import type { TracedSession } from '../../tracer.ts';
import type { LeftWhy } from '../debugger.ts';
import type { TouchedPlace } from './stopper.ts';

/** What a process that is debugged belongs to. */
export interface ProcessOwner {
  readonly session: TracedSession;
  readonly parts: NativeParts;
  /** Of places that were met, the ids of their breakpoints. */
  idsOf(numbers: readonly number[]): readonly string[];
  /** What data of a breakpoint was, and is; null: its breakpoint is gone. */
  touchedOf(touched: TouchedPlace): Touched | null;
  /** Of a place that was met. */
  conditionOf(number: number): string | null;
  /** Whether exceptions of a type (address of its type_info) are wanted at a place. */
  isWanted(number: number, type: bigint): Promise<boolean>;
  stopped(stop: StoppedThread): void;
  gone(tid: number): void;
  left(why: LeftWhy): void;
}
