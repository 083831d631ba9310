import type { CountedSoFar } from './countedRows.ts';
import type { RingThread } from './ringSink.ts';
import type { ToldCall } from './waitingCalls.ts';

/** How far a slot was read: what a later reader of the file needs to go on. JSON. */
export interface SlotState extends Omit<SlotReader, 'stuckPolls'> {
  readonly left: SlotEnd;
  readonly counted?: CountedSoFar;
}

/** Where the thread before left a slot. */
export interface SlotEnd {
  readonly position: number;
  readonly events: number;
}

export interface SlotReader {
  readonly thread: RingThread;
  position: number;
  /** The slot's event counter when this thread began. */
  readonly eventsBefore: number;
  decoded: number;
  overwritten: number;
  /** Something was overwritten unread. */
  hasGap: boolean;
  lastTime: number;
  /** Calls that were told while they waited in the slot: their entries come into the ring later. */
  told: ToldCall[];
  stuckPolls: number;
  finished: boolean;
}

/** A slot whose thread has ended and was read to its end. */
export const nobody: Omit<SlotReader, 'stuckPolls'> = {
  thread: { ring: '', pid: 0, tid: 0, slot: 0, generation: -1, name: '' },
  position: 0,
  eventsBefore: 0,
  decoded: 0,
  overwritten: 0,
  hasGap: false,
  lastTime: 0,
  told: [],
  finished: true,
};

/** A thread that just got a slot, behind the one that had it before. */
export function newReader(thread: RingThread, { position, events }: SlotEnd): SlotReader {
  return {
    ...nobody,
    thread,
    position,
    eventsBefore: events,
    told: [],
    stuckPolls: 0,
    finished: false,
  };
}
