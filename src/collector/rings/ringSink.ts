import type { CountedCalls, EventColumns } from '../../model/eventColumns.ts';
import type { DefiningRing, Definition } from '../../model/functions/definition.ts';

/** A thread that wrote into a ring, as the ring names it. */
export interface RingThread {
  /** Path of its ring file. */
  readonly ring: string;
  readonly pid: number;
  readonly tid: number;
  readonly slot: number;
  readonly generation: number;
  readonly name: string;
}

/** Who takes what was read. Batches are valid only during the call. */
export interface RingSink {
  /** So many more events were overwritten before they could be read; exact once all is read. */
  overwritten(thread: RingThread, count: number): void;
  events(thread: RingThread, events: EventColumns): void;
  torn(thread: RingThread, count: number): void;
  /** Calls that left no records, since the last time. */
  counted(thread: RingThread, calls: readonly CountedCalls[]): void;
  /** `isOver`: its program is gone, by its end or an exec. */
  threadEnded(thread: RingThread, isOver: boolean): void;
  /**
   * What a process has defined, before any event that may use it; a function that another process had defined, too,
   * is not told again. A forked child's ring is told with nothing, when its parent had defined something.
   */
  defined(ring: DefiningRing, definitions: readonly Definition[]): void;
  /** So many definitions are damaged, or were not finished when their process was killed. */
  definitionsUnread(count: number): void;
  /** So many records are of functions that were never defined. */
  undefinedFunction(thread: RingThread, count: number): void;
  /** So many bytes were read: all there were, or a part of much. */
  partRead(bytes: number): void;
}
