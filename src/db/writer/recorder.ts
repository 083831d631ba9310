import type { CallEvents } from './callEvents.ts';
import type { SuspendedCalls } from './suspendedCalls.ts';
import type { Definitions } from './storedDefinitions.ts';
import type { BlockEncoder } from './blockEncoder.ts';
import type { BlockTable } from './blockTable.ts';
import type { Counters } from './counters.ts';
import type { FunctionFacts } from './functionFacts.ts';
import type { StringTable } from './strings.ts';
import type { WatchSamples } from './watchSamples.ts';

/** What all threads of a session record into. */
export interface Recorder {
  readonly facts: FunctionFacts;
  readonly functions: Counters;
  readonly threads: Counters;
  readonly encoder: BlockEncoder;
  readonly blocks: BlockTable;
  readonly strings: StringTable;
  readonly samples: WatchSamples;
  readonly events: CallEvents;
  readonly waiting: SuspendedCalls;
  readonly definitions: Definitions;
  /** Calls a block may hold. */
  readonly blockCalls: number;
}
