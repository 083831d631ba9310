import type { TracedFunction, TracedThread } from '../../model/eventColumns.ts';
import type { ExportFormatName } from '../../model/questions/exportFormat.ts';
import type { CallId, SessionNs } from '../../model/ids.ts';
import type { EventView } from '../../model/questions/eventView.ts';
import type { CallEnd, CallView, WatchedValue } from '../../model/questions/query.ts';

/*
 * Between the store and the formats. A format is one file with one `ExportFormat`; it gets every
 * event once, in the order it asked for, and gives what is to be written. It keeps nothing that
 * grows with the number of events.
 */

/** A call as formats see it. */
export interface ExportedCall {
  readonly id: CallId;
  readonly ordinal: number;
  /** The nearest caller that is exported, too. */
  readonly parent: { readonly id: CallId; readonly ordinal: number } | null;
  /** Exported callers above it. */
  readonly level: number;
  /** Its caller, and callers above it, exported or not. */
  readonly callerId: CallId | null;
  readonly depth: number;
  readonly thread: TracedThread;
  readonly fn: TracedFunction;
  readonly time: SessionNs;
  /** Null while it is open, or when its end is not known. */
  readonly durationNs: number | null;
  readonly end: CallEnd;
  /** A call of a dynamic language, which others may overlap. */
  readonly isActivation: boolean;
  /** Whether it was suspended, or is. */
  readonly isSuspended: boolean;
  /** Of the duration: how long. */
  readonly suspendedNs: number;
  /** `task fetch-2`; null: it belongs to none. */
  readonly strand: string | null;
  /** Decoding them takes longer than all the rest. */
  readonly values: () => CallValues;
  /** What watches saw as it began and returned, and what was written in it, by time. */
  readonly watched: () => readonly ExportedWatch[];
}

/** Arguments and result of a call. */
export type CallValues = Pick<CallView, 'arguments' | 'returns' | 'exception'>;

/** What a watch saw. */
export interface ExportedWatch extends WatchedValue {
  readonly time: SessionNs;
  /** Seen as it was written. */
  readonly isWritten: boolean;
}

/** An event that is no call. */
export type ExportedEvent = Exclude<EventView, { readonly call: CallView }>;

/** What a watch saw, as an event of its own. */
export type ExportedSnapshot = Extract<ExportedEvent, { readonly type: 'variable_snapshot' }>;

/** What a file says of itself, so that whoever reads it alone knows what it holds. */
export interface ExportAbout {
  readonly sessionId: string;
  readonly command: readonly string[];
  readonly pid: number | null;
  /** What its processes run, by pid, as far as it is known. */
  readonly commands: ReadonlyMap<number, string>;
  /** RFC 3339; wall-clock time of session time 0. */
  readonly startedAt: string;
  readonly startedAtMs: number;
  readonly strobe: string;
  /** The request's filters, as they were given. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** Events the session could not keep, by cause. */
  readonly lost: Readonly<Partial<Record<string, number>>>;
  /** Whether calls of dynamic languages are among those of the session. */
  readonly hasActivations: boolean;
  /** Events that were counted and not recorded. */
  readonly sampled: number;
  /** Whole sentences. */
  readonly notes: readonly string[];
  /** How a program that crashed came to it, as text of several lines. */
  readonly story?: string;
  /** Open calls are known to have lasted until then. */
  readonly knownUntil: SessionNs;
}

/** What an export came to. */
export interface ExportTotals {
  readonly calls: number;
  readonly events: number;
  /** Calls that had not ended. */
  readonly open: number;
  /** Calls that went from the store while it was read: the session reached a limit. */
  readonly dropped: number;
}

export type Piece = string | Uint8Array;

/** Writes one export. An empty text writes nothing. */
export interface ExportWriter {
  begin(): Piece;
  call(call: ExportedCall): Piece;
  /** The last call of a thread was given; only in order `thread`. */
  threadEnd?(thread: TracedThread): Piece;
  event?(event: ExportedEvent): Piece;
  end(totals: ExportTotals): Piece | Iterable<Piece>;
  /** What the format itself left out or put together, as whole sentences; after `end`. */
  readonly notes?: readonly string[];
}

export interface ExportFormat {
  readonly name: ExportFormatName;
  readonly extension: string;
  readonly mediaType: string;
  /** `time`: all events as they happened; `thread`: events that are no calls, then thread by thread. */
  readonly order: 'time' | 'thread';
  /** Whether it has room for events that are no calls. */
  readonly holdsEvents: boolean;
  /** Whether it has room for watched values, with calls or as events of their own. */
  readonly holdsWatched: boolean;
  /** Whether a call that had not ended lasts until the end of what is known; else it has no end. */
  readonly endsOpen: boolean;
  /** How a file of the format begins: only such a one is written over. */
  readonly begins: RegExp;
  /** What shows it, as part of a sentence. */
  readonly shownBy: string;
  /** Whether that is a page in a browser, which takes in the whole file. */
  readonly isForBrowsers: boolean;
  open(about: ExportAbout): ExportWriter;
}

/** What is told beside a call's arguments: no argument can have such a name. */
export const ownNames = {
  id: 'strobe.call.id',
  end: 'strobe.end',
  exception: 'strobe.exception',
  suspended: 'strobe.suspended_ns',
  strand: 'strobe.strand',
} as const;

/** What a file says of what it holds, in the formats that have room for it. */
export function aboutFacts(about: ExportAbout): Record<string, unknown> {
  const { sessionId, command, pid, startedAt, strobe, filters, lost, sampled, notes } = about;
  return { sessionId, command, pid, startedAt, strobe, filters, lost, sampled, notes };
}
