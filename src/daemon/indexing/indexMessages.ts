import type { NumberedFunction } from '../../collector/rings/numberedFunction.ts';
import type { TracedFunction } from '../../model/eventColumns.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { LogRecord } from '../../model/outputRecord.ts';
import type { StoredCrash } from '../../model/endings/crashReport.ts';
import type { RaisedException } from '../../model/endings/exception.ts';
import type { StoreSummary } from '../../model/questions/query.ts';
import type { WatchDefinition } from '../../model/watches/watch.ts';
import type { WrittenBatch } from '../../model/watches/watchWrite.ts';

/** The first message to an index worker. A worker serves one session at a time. */
export interface IndexWorkerOptions {
  readonly sessionId: string;
  readonly storePath: string;
  readonly outputLog: string;
  /** CLOCK_MONOTONIC of session time 0, decimal. */
  readonly startNs: string;
  readonly maxEvents: number;
  readonly maxOutputBytes: number;
  /** Values whose names hold one of these are not stored. */
  readonly secretNames: readonly string[];
  /** Output comes through a terminal: its lines end with CR LF. */
  readonly terminal: boolean;
  /** The store was begun by another worker: go on where its last commit ended. */
  readonly continues: boolean;
}

/** From the daemon to the worker. `request` numbers are answered; the others are hints. */
export type ToIndex =
  | { readonly type: 'open'; readonly request: number; readonly options: IndexWorkerOptions }
  | {
      readonly type: 'functions';
      readonly request: number;
      readonly functions: readonly NumberedFunction[];
    }
  | {
      readonly type: 'watches';
      readonly request: number;
      readonly watches: readonly WatchDefinition[];
    }
  | { readonly type: 'ring'; readonly request: number; readonly path: string }
  | { readonly type: 'crash'; readonly request: number; readonly crash: StoredCrash }
  | {
      readonly type: 'exception';
      readonly request: number;
      readonly exception: RaisedException;
    }
  | { readonly type: 'writes'; readonly request: number; readonly writes: WrittenBatch }
  /** What an attached process writes. */
  | { readonly type: 'output'; readonly request: number; readonly path: string }
  /** The target ran without hooks. */
  | {
      readonly type: 'untraced';
      readonly request: number;
      readonly from: SessionNs;
      readonly to: SessionNs;
    }
  | { readonly type: 'known'; readonly request: number }
  | { readonly type: 'settle'; readonly request: number; readonly final: boolean }
  | { readonly type: 'close'; readonly request: number }
  | { readonly type: 'outputGrown' };

/** What an index worker found in the store when it was opened. */
export interface KnownBefore {
  readonly functions: readonly TracedFunction[];
  /** The number of the next watch. */
  readonly nextWatch: number;
  readonly indexedTo: SessionNs;
}

/** What `settle` reached. */
export interface Settled {
  /** Nothing later than this may be shown yet. */
  readonly until: SessionNs;
  /** False: there is more output than could be read in time. */
  readonly complete: boolean;
  readonly summary: StoreSummary;
}

/** A process that was forked without exec made its first traced call. */
interface ForkRecords {
  readonly kind: 'forkRecords';
  readonly pid: number;
  readonly parent: number;
  readonly time: SessionNs;
}

/** A fact of the target's life. */
export type LifeRecord = Exclude<LogRecord, { kind: 'output' } | { kind: 'clock' }> | ForkRecords;

/** From the worker to the daemon. */
export type FromIndex =
  | {
      readonly type: 'answer';
      readonly request: number;
      readonly settled: Settled | null;
      /** To `known`. */
      readonly known?: KnownBefore;
      /** To `close`: the worker holds nothing of the session, and can serve another. */
      readonly isReusable?: boolean;
    }
  | { readonly type: 'failed'; readonly request: number; readonly message: string }
  | { readonly type: 'life'; readonly record: LifeRecord }
  /** Something was committed. */
  | { readonly type: 'progress'; readonly settled: Settled }
  /** It is busy. */
  | { readonly type: 'alive' }
  /** The store cannot be written, or something of it is lost. */
  | { readonly type: 'fault'; readonly message: string }
  /** It can be written again: what the rings and the log still hold is read from the last commit on. */
  | { readonly type: 'mended'; readonly trouble: string };
