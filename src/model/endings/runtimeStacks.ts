import type { StackFrame } from './crashReport.ts';

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
  readonly name: string;
  /** Null: it has its turn now, and is the newest of its thread. */
  readonly waitsFor: string | null;
  /** Newest first. */
  readonly frames: readonly StackFrame[];
}

/** The stacks of a runtime's programs in one process. */
export interface RuntimeStacks {
  readonly threads: readonly RuntimeThread[];
  readonly tasks: readonly TaskLook[];
  /** What could not be read, in whole sentences. */
  readonly problems: readonly string[];
}
