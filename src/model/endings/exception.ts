import type { SessionNs } from '../ids.ts';
import type { Value } from '../questions/query.ts';
import type { StackFrame } from './crashReport.ts';

/** An exception or a panic, from where it was raised to where it was caught. */
export interface RaisedException {
  /** Of one exception in its session. */
  readonly key: string;
  readonly time: SessionNs;
  readonly pid: number;
  /** Of Go its goroutine. */
  readonly tid: number;
  readonly language: 'C++' | 'Rust' | 'Go' | 'Python' | 'JavaScript' | 'other';
  /** As the source spells it; null for a panic, and when it is not known. */
  readonly type: string | null;
  /** Null when it has none that can be read. */
  readonly message: string | null;
  /** What was thrown, where that is no error of its language. */
  readonly value?: Value;
  /** The message is a text that was found in the object, not what it says of itself. */
  readonly isMessageFound: boolean;
  /** It had been caught before, and was raised again. */
  readonly isAgain: boolean;
  /** Newest first, from the function that raised it on; none when the stack could not be read. */
  readonly frames: readonly StackFrame[];
  /** What it followed from, the nearest first; absent: not known. */
  readonly causes?: readonly ExceptionCause[];
  readonly end: ExceptionEnd;
}

/** An exception that another followed from. */
export interface ExceptionCause {
  /** `cause`: the other was raised from it; `context`: while it was handled. */
  readonly relation: 'cause' | 'context';
  readonly type: string | null;
  readonly message: string | null;
  readonly frames: readonly StackFrame[];
}

export type ExceptionEnd =
  /** Nothing was seen of it yet. */
  | { readonly kind: 'open' }
  | {
      readonly kind: 'caught';
      readonly time: SessionNs;
      readonly frame: StackFrame | null;
      /** Functions it left, innermost first. */
      readonly passed: readonly string[];
    }
  /** Nobody caught it: the program, or for a panic its thread, ended. `replaced`: a later one took its place. `signal`: no exception, the calls of a runtime when a signal ended it. */
  | {
      readonly kind: 'uncaught';
      readonly what: 'terminate' | 'thread' | 'main' | 'task' | 'signal' | 'replaced';
    };
