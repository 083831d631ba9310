import type { CrashEvent } from '../endings/crashEvent.ts';
import type { RaisedException } from '../endings/exception.ts';
import type { CallId, SessionNs } from '../ids.ts';
import type {
  CallView,
  Value,
  WatchedValue,
  Strand,
  CallEventType,
  SearchedPage,
} from './query.ts';

export type EventView =
  | {
      readonly type: 'call' | 'function_enter' | 'function_exit' | 'logpoint';
      readonly time: SessionNs;
      readonly call: CallView;
    }
  | {
      readonly type: 'stdout' | 'stderr';
      readonly time: SessionNs;
      readonly id: string;
      readonly pid: number;
      readonly text: string;
      readonly base64: string | null;
    }
  | {
      readonly type: 'exception';
      readonly time: SessionNs;
      readonly pid: number;
      readonly text: string;
      readonly exception: RaisedException;
    }
  | {
      readonly type: 'process';
      readonly time: SessionNs;
      readonly pid: number;
      readonly text: string;
    }
  | CrashEvent
  | {
      readonly type: 'variable_snapshot';
      readonly time: SessionNs;
      readonly pid: number;
      readonly tid: number;
      /** The call at whose entry or return it was taken, or in which it was written; null: in none that is recorded. */
      readonly within: CallId | null;
      /** It was seen as it was written. */
      readonly isWritten: boolean;
      /** `total = 5`; of a write with who wrote it. */
      readonly text: string;
      readonly watched: WatchedValue;
    }
  | CallEventView
  | {
      readonly type: 'loss';
      readonly time: SessionNs;
      readonly text: string;
      readonly count: number;
    };

export interface CallEventView {
  readonly type: CallEventType;
  readonly time: SessionNs;
  readonly pid: number;
  readonly tid: number;
  /** The call in which it happened; null: of a strand. */
  readonly within: CallId | null;
  readonly function: string | null;
  /** Where an exception was raised or handled; null: it is not known. */
  readonly line: number | null;
  /** The exception, or what was yielded, awaited, sent, or what a promise became. */
  readonly value: Value | null;
  /** What runs on the thread from now on; null: the thread itself. */
  readonly strand: Strand | null;
  /** In words. */
  readonly text: string;
}

export interface EventsPage extends SearchedPage {
  readonly events: readonly EventView[];
  /** Whether `total` is exact, else a lower bound. */
  readonly totalIsExact: boolean;
}
