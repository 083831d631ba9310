import type { StackFrame } from './crashReport.ts';
import type { TaskLook } from './runtimeStacks.ts';

/** A thread of a running process, as it was at one moment. */
export interface ThreadLook {
  readonly tid: number;
  readonly name: string;
  readonly isRunning: boolean;
  /** What holds it stopped: a debugger, as `gdb (123)`, or a stop, as `stop s7`; null when nothing does. */
  readonly heldBy: string | null;
  /** What it waits for, in words; null when it runs or that is not known. */
  readonly waitsFor: string | null;
  /** The thread that holds the lock it waits for; null when it waits for none, or for one without owner. */
  readonly holder: number | null;
  /** Processor time it has used, in milliseconds. */
  readonly cpuMs: number;
  /** Of a running thread: the functions it was found in, most often first; empty when it was not sampled. */
  readonly samples: readonly { readonly function: string; readonly times: number }[];
  /** The newest frames of the program's own, else the newest with a name; newest first. */
  readonly frames: readonly StackFrame[];
}

/** All threads of a running process. */
export interface ProcessLook {
  readonly pid: number;
  readonly threads: readonly ThreadLook[];
  /** Threads in a circle, each waiting for a lock that the next holds; null when there is none. */
  readonly deadlock: readonly number[] | null;
  /** Goroutines, each of which waits for a lock or a channel that the stack of the next refers to; null: there is no such circle. */
  readonly circle: readonly number[] | null;
  /** Of an event loop, or goroutines; empty when there is none. */
  readonly tasks: readonly TaskLook[];
  /** Tasks of event loops that are not among them. */
  readonly moreTasks: number;
  /** Tasks that have ended and are not collected. */
  readonly endedTasks: number;
  /** What could not be looked at, in whole sentences. */
  readonly problems: readonly string[];
}
