import { threadsOf } from '../../base/proc.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { DebugBackend } from '../../collector/debug/debugger.ts';
import type { GoalView, StepKind, StoppedThread, StopView } from '../../model/debug/stop.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { Changes } from '../session/sessionSignal.ts';
import { arrival } from './pauses.ts';

const wholeMs = 5000;

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

/** Waits for threads that were asked to stand still with a stop. Answers whether all do that are still there. */
export async function othersCome(
  stop: Stop,
  asked: readonly number[],
  stands: (tid: number) => boolean,
  changes: Pick<Changes, 'until'>,
): Promise<boolean> {
  const haveCome = (): boolean => {
    const there = threadsOf(stop.thread.pid);
    return stop.left !== null || asked.every((tid) => stands(tid) || !there.includes(tid));
  };
  return await arrival(() => stop.others.size, haveCome, changes);
}

/** Waits until the threads that they ask have come, or are taken for running on. */
export async function allWhole(
  stops: () => readonly Stop[],
  changes: Pick<Changes, 'until'>,
): Promise<void> {
  await changes.until(() => stops().every(({ isWhole }) => isWhole), wholeMs);
}

/** Reads the variables of a frame of its thread that were not read when that stopped. */
export async function readFrame(stop: Stop, at: number): Promise<void> {
  const frame = stop.thread.frames[at];
  if (!frame?.isUnread || stop.by.variables === undefined) return;
  const { isUnread: _, ...rest } = frame;
  const variables = await stop.by.variables(stop.thread.tid, at);
  const read: StackFrame = { ...rest, variables };
  stop.thread = { ...stop.thread, frames: stop.thread.frames.with(at, read) };
}

/** Reads the registers of its thread that were not read when that stopped. */
export async function readRegisters(stop: Pick<Stop, 'by' | 'thread'>): Promise<void> {
  const { hasUnreadRegisters, ...thread } = stop.thread;
  if (!hasUnreadRegisters || stop.by.registers === undefined) return;
  stop.thread = { ...thread, registers: await stop.by.registers(thread.tid) };
}

/** Reads what was not read of a stop that stands: a frame of its thread, and its registers. */
export async function readStop(stop: Stop | undefined, frame: number): Promise<void> {
  if (stop?.left !== null) return;
  await readFrame(stop, frame);
  await readRegisters(stop);
}

export function isSameCall(
  { frames: [before] }: StoppedThread,
  { frames: [now] }: StoppedThread,
): boolean {
  return before?.frameAddress === now?.frameAddress && before?.function === now?.function;
}

/** A stop, and those whose threads stand still and run on with its thread. */
export function standingWith(stop: Stop, held: readonly Stop[]): readonly Stop[] {
  const isWith = ({ by, thread }: Stop): boolean => by === stop.by && thread.holdsAll === true;
  return stop.thread.holdsAll
    ? [stop, ...held.filter((one) => one !== stop && isWith(one))]
    : [stop];
}

/** How a stop is left as the thread of another, or its own, is stepped. */
export function leftByStep({ id }: Stop, stepped: Stop, kind: StepKind | 'until'): string {
  if (id !== stepped.id) return `ran on with ${stepped.id}`;
  return kind === 'until' ? 'ran on to a place' : `stepped ${kind}`;
}

/** Of stops those that let the others run on with them. */
export function leadersOf(stops: readonly Stop[]): readonly Stop[] {
  return stops.filter(
    (stop, i) => !stops.slice(0, i).some((one) => standingWith(one, stops).includes(stop)),
  );
}

/** Where a step begins: `file.c:22`, or an address. */
export function beginningOf({ frames: [frame] }: StoppedThread): string {
  return frame?.file === null || !frame ? (frame?.pc ?? '?') : `${frame.file}:${frame.line}`;
}

/** Whether a thread stands still because all do, with stops that are shown. */
export function isOneOf(
  held: readonly Stop[],
  { holdsAll }: StoppedThread,
  by: DebugBackend,
): boolean {
  return holdsAll === true && held.some((one) => one.by === by);
}
