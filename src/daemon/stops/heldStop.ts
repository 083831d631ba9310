import type { DebugBackend } from '../../collector/debug/debugger.ts';
import type { GoalView, StoppedThread, StopView } from '../../model/debug/stop.ts';
import type { SessionNs } from '../../model/ids.ts';

/** A stop that a session keeps, also one that was left. */
export interface Stop {
  readonly id: string;
  thread: StoppedThread;
  readonly by: DebugBackend;
  readonly at: SessionNs;
  readonly owner: string;
  holds: StopView['holds'];
  /** Threads that stand still because of it, by number. */
  readonly others: Map<number, StoppedThread>;
  /** Settles when the other threads were asked to stand still, where they are. */
  asking: Promise<unknown> | null;
  /** The threads that were asked stand still. */
  isWhole: boolean;
  readonly before: StoppedThread | null;
  left: { readonly how: string; readonly at: SessionNs } | null;
  isRead: boolean;
}

/** A step that a client began. */
export interface Goal extends GoalView {
  readonly owner: string;
}

/** Of the threads that stand still because of a stop those that do not run on with its thread. */
export function alone({ thread, others }: Stop): number[] {
  return thread.holdsAll ? [] : [...others.keys()];
}

/** Lets threads go. One that has ended is none that stands. */
export async function goOn({ by }: Stop, tids: readonly number[]): Promise<void> {
  await Promise.all(tids.map(async (tid) => by.go(tid).catch(() => undefined)));
}

export function isSameCall(
  { frames: [before] }: StoppedThread,
  { frames: [now] }: StoppedThread,
): boolean {
  return before?.frameAddress === now?.frameAddress && before?.function === now?.function;
}
