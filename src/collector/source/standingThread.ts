import type { Ran } from '../../model/debug/evaluated.ts';
import type { LineStep, StoppedThread } from '../../model/debug/stop.ts';
import type { StackFrame } from '../../model/endings/crashReport.ts';
import type { TaskHead } from '../../model/endings/taskHead.ts';
import type { Value } from '../../model/questions/query.ts';

/** Where a step ends at the latest. */
export interface StepTarget {
  readonly file: string;
  readonly line: number;
}

/** A thread of a process of source text that stands still, and does what it is asked. `C`: what an expression becomes. */
export interface StandingThread<C> {
  stopped: StoppedThread;
  /** Null: the value is not known. Of a task that is suspended: in its frame of that number. Rejects when the thread does not answer. */
  evaluate(frame: number, code: C, task?: TaskHead): Promise<Value | null>;
  /** The frames of a task of its process that is suspended, newest first; none: it has ended. Absent: it knows no tasks. Rejects as `evaluate`. */
  taskFrames?(task: TaskHead): Promise<readonly StackFrame[]>;
  /** Runs an expression or statements of the language there. Rejects as `evaluate`. */
  run(frame: number, text: string): Promise<Ran>;
  /** It stands otherwise now, as something has run. Rejects as `evaluate`. */
  look(): Promise<StoppedThread>;
  /** It runs on, led by a step or to a place. */
  step(kind: LineStep | StepTarget): Promise<void>;
  go(): Promise<void>;
  /** Resolves when it runs on, or is gone. */
  readonly closed: Promise<void>;
}
