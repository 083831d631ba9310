import type { SourceExcerpt, StackFrame } from '../endings/crashReport.ts';
import type { SessionNs } from '../ids.ts';
import type { Value } from '../questions/query.ts';

/** What is raised. Null: not known. */
export interface Raised {
  readonly type: string | null;
  readonly message: string | null;
}

/** What was there before and after. */
export interface Touched {
  readonly expression: string;
  readonly old: Value;
  readonly now: Value;
}

/** Why a thread stands still. */
export type StopCause =
  | {
      readonly kind: 'breakpoint';
      readonly ids: readonly string[];
      /** An exception is raised there. */
      readonly raised?: Raised;
      /** Data that the thread touched one instruction ago. */
      readonly touched?: readonly Touched[];
      /** Its condition cannot be worked out there, which counts as met; a clause. */
      readonly undecided?: string;
    }
  | {
      readonly kind: 'step';
      /** By one instruction of the machine. */
      readonly byInstruction?: true;
      /** A hit of a breakpoint that stops no thread ended it early. */
      readonly isCut?: true;
    }
  | {
      readonly kind: 'pause';
      /** It waits in native code, and stands when it comes out of that. */
      readonly isWaiting?: true;
    };

/** A step by the lines of the source. `over`: to the next line; `into`: also that of a called function. */
export type LineStep = 'over' | 'into' | 'out';

/** A step of a stopped thread. `instruction`: by one of the machine, also into a call; `overInstruction`: over a call. */
export type StepKind = LineStep | 'instruction' | 'overInstruction';

export function isByInstruction(kind: string | undefined): boolean {
  return kind === 'instruction' || kind === 'overInstruction';
}

/** Why a thread stands that a step of this kind has led there. */
export function steppedBy(kind: string | undefined): Extract<StopCause, { kind: 'step' }> {
  return { kind: 'step', ...(isByInstruction(kind) ? { byInstruction: true } : {}) };
}

/** A thread that was stopped, as it stands. */
export interface StoppedThread {
  readonly pid: number;
  readonly tid: number;
  readonly name: string;
  readonly cause: StopCause;
  /** Newest first; of the newest of the program's own the variables are read. */
  readonly frames: readonly StackFrame[];
  /** Why the stack ends early; null: it is whole. */
  readonly problem: string | null;
  /** Around the newest line of the program's own. */
  readonly source: SourceExcerpt | null;
  readonly registers: readonly { readonly name: string; readonly value: string }[];
  /** They are read when they are asked for. */
  readonly hasUnreadRegisters?: true;
  /** All threads of its process stand still with it, and run on with it. */
  readonly holdsAll?: true;
}

/** A stop as it is told. Its id never comes twice in a session. */
export interface StopView {
  readonly id: string;
  readonly thread: StoppedThread;
  readonly at: SessionNs;
  /** All threads of the program stand still, or all but those that were let go since (`threads`), or this one alone. */
  readonly holds: 'thread' | 'threads' | 'process';
  /** Threads that stand still because of it. */
  readonly others: readonly StoppedThread[];
  /** Null: it stands there now; else how and when it was left. */
  readonly left: { readonly how: string; readonly at: SessionNs } | null;
  /** Its thread's stop before, when that was in the same call; null: there is none. */
  readonly before: StoppedThread | null;
  /** It does not stand still although nothing of ours let it go; a clause. */
  readonly doubt: string | null;
}

/** A step that is under way. */
export interface GoalView {
  readonly tid: number;
  readonly kind: StepKind | 'until' | 'pause';
  readonly from: string;
  readonly since: SessionNs;
}
