import type { SessionNs } from './ids.ts';

/** A chunk of target output as it was read, or a fact of the target's life, from the supervisor's log. */
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
  /** What processes did that was not kept before this place: the disk was full for long. */
  | { readonly kind: 'unkept'; readonly time: SessionNs; readonly facts: number }
  /** A process runs another program; one that nobody waits for may not get that far when its file is damaged. */
  | (SeenProgram & {
      readonly kind: 'exec';
      /** A setuid program, or one like it, that runs without its privilege because it is followed. */
      readonly unprivileged: boolean;
    })
  /** Its program may have been meant by a pattern and was not held; errno says why. */
  | {
      readonly kind: 'unasked';
      readonly time: SessionNs;
      readonly pid: number;
      readonly errno: number;
    }
  /** A process that was seen, but not the exec of its program. */
  | (SeenProgram & { readonly kind: 'forked' })
  /** Ended, and nobody saw how. */
  | { readonly kind: 'gone'; readonly time: SessionNs; readonly pid: number }
  /** Whether execs are followed: errno 0 = yes. */
  | {
      readonly kind: 'follow';
      readonly time: SessionNs;
      readonly errno: number;
      readonly noNewPrivileges: boolean;
    }
  /** So many programs were executed so far, and waited so long in all because they are followed. */
  | {
      readonly kind: 'waited';
      readonly time: SessionNs;
      readonly programs: number;
      readonly waitedNs: number;
    }
  /** The supervisor was killed, and its standby took its place. */
  | { readonly kind: 'failover'; readonly time: SessionNs; readonly pid: number }
  /** The whole tree is gone; nothing follows. */
  | { readonly kind: 'ended'; readonly time: SessionNs };

/** A process of the tree and the program it runs. */
export interface SeenProgram {
  readonly time: SessionNs;
  readonly pid: number;
  readonly parent: number;
  /** Absolute; of a script, the script. Empty when it could not be read. */
  readonly path: string;
  /** Long ones are cut short. */
  readonly argv: readonly string[];
}

/** From the wait status. */
export type ExitStatus =
  | { readonly kind: 'exited'; readonly code: number }
  | {
      readonly kind: 'signalled';
      readonly signal: string;
      readonly number: number;
      readonly coreDumped: boolean;
    }
  /** It ended, and nobody who may know said how. */
  | { readonly kind: 'unknown' };

/** One line (or unfinished piece of one) of output as stored. UTF-8 is decoded across reads. */
export interface OutputLine {
  readonly id: number;
  readonly time: SessionNs;
  readonly stream: 'stdout' | 'stderr';
  readonly pid: number;
  readonly text: string;
  /** Where in a long line what was asked for begins, in UTF-16 units; absent: at its begin, or not asked. */
  readonly foundAt?: number;
  /** Raw bytes when they are not valid UTF-8 (the text then holds U+FFFD), else null. */
  readonly bytes: Uint8Array | null;
}
