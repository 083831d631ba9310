import type { SessionNs } from '../ids.ts';

/** What an event says of a crash beside its line. */
export interface CrashFault {
  /** SIGSEGV */
  readonly signal: string;
  readonly code: number;
  /** What the code says, in words. */
  readonly meaning?: string;
  /** Hexadecimal. */
  readonly address?: string;
  /** Null when no stack was kept. */
  readonly threadId: number | null;
}

export interface CrashEvent {
  readonly type: 'crash';
  readonly time: SessionNs;
  readonly pid: number;
  /** One line. */
  readonly text: string;
  readonly fault: CrashFault;
}
