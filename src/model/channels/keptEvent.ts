import type { SessionNs } from '../ids.ts';

/** Something that went through a channel which no call of a library shows: a line, a message, a note. */
export interface KeptEvent {
  readonly time: SessionNs;
  /** Seen from the program. */
  readonly direction: 'in' | 'out';
  /** What it was, in one line; secrets are left out. */
  readonly text: string;
}
