import type { SessionNs } from './ids.ts';

/** A chunk of target output as it was read, or a fact of the target's life, from the keeper's log. */
export type LogRecord =
  | {
      readonly kind: 'output';
      readonly stream: 'stdout' | 'stderr';
      readonly time: SessionNs;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'started'; readonly time: SessionNs; readonly pid: number }
  | {
      readonly kind: 'execFailed';
      readonly time: SessionNs;
      readonly errno: number;
      readonly stage: string;
    }
  | {
      readonly kind: 'exited';
      readonly time: SessionNs;
      readonly pid: number;
      readonly exit: ExitStatus;
    }
  | { readonly kind: 'closed'; readonly time: SessionNs; readonly stream: 'stdout' | 'stderr' }
  /** TSC and CLOCK_MONOTONIC read together: maps ring time to session time. */
  | { readonly kind: 'clock'; readonly monotonicNs: bigint; readonly tsc: bigint }
  /** Output read but not kept just before this place: disk full, or the log's bound reached. */
  | { readonly kind: 'lost'; readonly time: SessionNs; readonly bytes: number }
  /** The whole tree is gone; nothing follows. */
  | { readonly kind: 'ended'; readonly time: SessionNs };

/** From the wait status. */
export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  | {
      readonly kind: 'signalled';
      readonly signal: string;
      readonly number: number;
      readonly coreDumped: boolean;
    };

/** One line (or unfinished piece of one) of output as stored. UTF-8 is decoded across reads. */
export interface OutputLine {
  readonly id: number;
  readonly time: SessionNs;
  readonly stream: 'stdout' | 'stderr';
  readonly pid: number;
  readonly text: string;
  /** Raw bytes when they are not valid UTF-8 (the text then holds U+FFFD), else null. */
  readonly bytes: Uint8Array | null;
}
