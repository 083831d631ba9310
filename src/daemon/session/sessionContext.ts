import type { StrobeError } from '../../model/errors.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { IndexClient } from '../indexing/indexClient.ts';
import type { SessionFacts, SessionParts } from './sessionFacts.ts';
import type { SessionProcesses } from './sessionProcesses.ts';
import type { Changes } from './sessionSignal.ts';

/** A session as its parts see it. */
export interface SessionContext {
  readonly facts: SessionFacts;
  readonly services: SessionParts;
  readonly changes: Changes;
  /** Every process of its tree, as far as it is seen. */
  readonly processes: SessionProcesses;
  /** Whole sentences, shown with every answer. */
  readonly notes: string[];
  /** Null before it exists. */
  mainPid(): number | null;
  /** Null once everything is stored. */
  index(): IndexClient | null;
  now(): SessionNs;
  /** Adds a whole sentence to what is shown with it. */
  note(text: string): void;
  /** Something that is shown of it changed. */
  changed(): void;
  /** What its start waits for. */
  doing(what: string): void;
  /** Null when nothing runs any more. */
  running(): RunningTarget | null;
  /** What is thrown then. */
  ended(): StrobeError;
  /** Has a process that stands at its start begin with these words (`name=value`) in its environment. */
  environ(pid: number, words: readonly string[]): Promise<void>;
  /** Whether the programs that its tree executes are of interest. */
  watchExecs(watch: boolean): Promise<void>;
}

/** The main process while it runs. */
export interface RunningTarget {
  readonly pid: number;
  readonly index: IndexClient;
  /** It waits at its exec. */
  readonly atExec: boolean;
}

/** Living processes of the tree besides the main one, with their programs. */
export function childrenOf(
  context: SessionContext,
): readonly { readonly pid: number; readonly path: string }[] {
  const main = context.mainPid();
  return context.processes.running().filter(({ pid }) => pid !== main);
}
