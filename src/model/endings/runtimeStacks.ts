import type { StackFrame } from './crashReport.ts';
import type { TaskHead } from './taskHead.ts';

/** What a runtime knows of one of its threads, at one moment. */
export interface RuntimeThread {
  readonly tid: number;
  /** As the program calls it; null: the system's name is all there is. */
  readonly name: string | null;
  /** Newest first. */
  readonly frames: readonly StackFrame[];
  /** A lock of the runtime's, in words: `the Lock accounts`; null: it waits for none, or that is not known. */
  readonly lock: string | null;
  /** The thread that holds it; null where that is not known. */
  readonly holder: number | null;
  /** What is known of its holder, as it follows the lock: `that thread 12 holds`; null: nothing more to say. */
  readonly holding: string | null;
}

/** A task that takes turns with others on a thread. */
export interface TaskLook {
  /** Absent: a task of an event loop. */
  readonly kind?: 'goroutine';
  /** Absent: of a goroutine. */
  readonly head?: TaskHead;
  /** As the session calls it: `task3`; absent: it has no such name. */
  readonly id?: string;
  readonly name: string;
  /** Qualified name of what it runs; absent: its name says it, or that is not known. */
  readonly runs?: string;
  /** Null: it has its turn now, and is the newest of its thread. */
  readonly waitsFor: string | null;
  /** The thread on which it has its turn; absent: it waits, or that is not known. */
  readonly tid?: number;
  /** Newest first. */
  readonly frames: readonly StackFrame[];
}

/** The tasks of event loops in one process. */
export interface RuntimeTasks {
  /** All that have not ended, up to a limit, the oldest first as far as their names tell. */
  readonly heads: readonly TaskHead[];
  /** Those of them that were to be described. */
  readonly looks: readonly TaskLook[];
  /** Tasks that have ended and are not collected. */
  readonly done: number;
  /** Tasks that were found beyond those, or cannot be read. */
  readonly unread: number;
  /** The tasks that wait for the one that was asked for, each for the one before it. `also`: how many more wait so. */
  readonly awaiting: readonly (TaskHead & { readonly also: number })[];
}

/** The stacks of a runtime's programs in one process. */
export interface RuntimeStacks {
  readonly threads: readonly RuntimeThread[];
  readonly tasks: RuntimeTasks;
  /** What could not be read, in whole sentences. */
  readonly problems: readonly string[];
}
