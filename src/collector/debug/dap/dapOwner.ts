import type { StopCause, StoppedThread } from '../../../model/debug/stop.ts';
import type { TracedSession } from '../../tracer.ts';
import type { CodeAt } from './dapStacks.ts';
import type { RaisedThere } from './raisedAt.ts';
import type { Holds } from './sharedPlaces.ts';

/** What is known of a thread that is at a place. */
export interface AtPlace {
  /** Decides a condition there. */
  readonly holds: (condition: string) => Promise<Holds>;
  /** Null: nothing is raised there. */
  readonly raised: RaisedThere | null;
  /** The adapter stopped the thread, and has decided the conditions that it knows. */
  readonly isDecided: boolean;
}

/** What a process that an adapter holds (`P`) tells. */
export interface DapOwner<P> {
  readonly session: TracedSession;
  /** It works, and is about to attach: settles when it may. */
  ready(): Promise<void>;
  /** The process stands still (SIGSTOP) until it is attached to. */
  readonly stands: boolean;
  /** It has attached to a process that stands still, which runs on when this settles. */
  attached(process: P): Promise<void>;
  /** Why a thread that is at these places stops; null: it is to run on. */
  causeAt(ids: readonly number[], tid: number, at: AtPlace): Promise<StopCause | null>;
  /** The same of a thread that the adapter stopped as something went wrong there (`why`), as the condition of a place may. */
  failedAt(pc: string, why: string): StopCause | null;
  /** The adapter's numbers of what is at a place, as `DapPlace` has it. */
  readonly placesAt: (place: string) => readonly number[];
  /** Strands came to these places, and the adapter tells nothing of them. */
  missed(ids: readonly number[]): void;
  readonly code: CodeAt;
  stopped(thread: StoppedThread): void;
  warn(message: string, error: unknown): void;
  /** The adapter has ended, and nothing of ours asked for that; `free` settles when nothing holds the program any more. */
  ended(free: Promise<void>): void;
}
