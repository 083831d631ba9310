import type { SessionNs } from '../ids.ts';

/** A function on the stack of a write, innermost first. */
export interface WriteFrame {
  /** Hexadecimal. */
  readonly pc: string;
  /** Qualified; null without symbols. */
  readonly function: string | null;
  /** Absolute path of the ELF file; null: code in no file. */
  readonly module: string | null;
  /** Absolute path; null when unknown. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
  /** Of the program or its own libraries, not of the system. */
  readonly isOwn: boolean;
}

/** Where in the code a write came from. */
export interface WriteSite {
  /** Of one place in the session. */
  readonly id: string;
  readonly frames: readonly WriteFrame[];
}

/** One write to a watched place. */
export interface WatchedWrite {
  /** Number of the watch. */
  readonly watch: number;
  readonly time: SessionNs;
  readonly pid: number;
  readonly tid: number;
  /** Id of its WriteSite. */
  readonly site: string;
  /** Another thread wrote so shortly before or after that the order of the two may be the other. */
  readonly isNear: boolean;
  /** Its bits as an unsigned number, decimal; null: not known. */
  readonly old: string | null;
  readonly now: string | null;
}

/** Writes that are stored together, with the sites that are new. */
export interface WrittenBatch {
  readonly sites: readonly WriteSite[];
  readonly writes: readonly WatchedWrite[];
  /** Writes that were not recorded. */
  readonly missed: { readonly count: number; readonly time: SessionNs } | null;
}
