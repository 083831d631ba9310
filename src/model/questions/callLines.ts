import type { CallView } from './query.ts';

/** What lines of one call ran. */
export interface CallLines {
  readonly call: CallView;
  /** Every place of its function that is recorded, also those that were not run. */
  readonly places: readonly {
    readonly fn: number;
    readonly line: number;
    readonly text: string | null;
    /** The function, which may be inlined into the call's. */
    readonly within: string;
    /** Whether it ran is not known. */
    readonly isUnseen: boolean;
  }[];
  /** In the order they ran; the values are those before the line. */
  readonly hits: readonly CallView[];
  /** More ran than were read. */
  readonly isCut: boolean;
}
