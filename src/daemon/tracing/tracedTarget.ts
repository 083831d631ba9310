import type { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { IndexClient } from '../indexing/indexClient.ts';

/** What tracing must know of the session it belongs to. */
export interface TracedTarget {
  /** Null when nothing runs any more. */
  running(): { readonly pid: number; readonly index: IndexClient; readonly atExec: boolean } | null;
  /** What is thrown then. */
  ended(): StrobeError;
  /** Living processes of the tree besides the main one. */
  children(): readonly { readonly pid: number; readonly path: string }[];
  /** Whether the programs that the tree executes are of interest. */
  watchExecs(watch: boolean): Promise<void>;
  /** So many functions are hooked in a process now. */
  traced(pid: number, hooked: number): void;
  doing(what: string): void;
  changed(): void;
  /** Null once everything is stored. */
  index(): IndexClient | null;
  now(): SessionNs;
  /** A whole sentence for whoever looks at the session. */
  note(text: string): void;
}
