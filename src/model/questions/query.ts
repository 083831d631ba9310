import type { TracedProbe } from '../eventColumns.ts';
import type { TracedThread } from '../eventColumns.ts';
import type { CallId, SessionNs } from '../ids.ts';
import type { Counters } from '../loss.ts';
import type { StrandKind } from '../functions/definition.ts';
import type { OutputLine } from '../outputRecord.ts';
import type { WriteFrame } from '../watches/watchWrite.ts';

/** Text comparison; all given operators must hold. `matches`: RE2 dialect. `pattern`: function pattern. */
export interface TextFilter {
  readonly equals?: string;
  readonly contains?: string;
  readonly matches?: string;
  readonly pattern?: string;
  readonly glob?: string;
}

/** Comparison with a captured value. Numbers beyond 2^53 and addresses come as text. */
export interface ValueFilter {
  readonly equals?: string | number | boolean | null;
  readonly contains?: string;
  readonly isNull?: boolean;
  readonly lt?: number | string;
  readonly gt?: number | string;
}

export type ArgumentFilter = ValueFilter & { readonly name?: string; readonly index?: number };

/** Comparison with what watches saw: the watch of this label, or any. */
export type WatchedFilter = ValueFilter & { readonly label?: string };

export type EventType =
  | 'call'
  | 'function_enter'
  | 'function_exit'
  | 'stdout'
  | 'stderr'
  | 'process'
  | 'exception'
  | 'crash'
  | 'loss'
  | 'variable_snapshot'
  | 'logpoint'
  | CallEventType;

/** What happens in a call besides its entry and its end, or to its thread. */
export type CallEventType = 'suspend' | 'resume' | 'raise' | 'handled' | 'strand';

/** Which calls count. Every member is honoured by every view that takes it. */
export interface CallFilter {
  readonly function?: TextFilter;
  readonly sourceFile?: TextFilter;
  readonly returnValue?: ValueFilter;
  readonly argument?: readonly ArgumentFilter[];
  /** A relation of arguments and result in the language of conditions: `return.offset != a.offset + start`. */
  readonly where?: string;
  /** Seen as a call began or returned, or written in it. */
  readonly watched?: WatchedFilter;
  readonly threadId?: number;
  readonly threadName?: TextFilter;
  /** The name of a task or a test. */
  readonly strand?: string;
  readonly pid?: number;
  readonly minDurationNs?: number;
  /** Full text: output, function names, captured strings. */
  readonly text?: string;
  /** Anywhere below this call. */
  readonly within?: CallId;
  /** Directly below this call. */
  readonly parent?: CallId;
  readonly timeFrom?: SessionNs;
  readonly timeTo?: SessionNs;
  /** With lines that ran; absent: without. */
  readonly lines?: true;
}

export interface EventsQuery {
  readonly filter: CallFilter;
  /** Empty: call, stdout, stderr, process, exception, crash. */
  readonly eventTypes: readonly EventType[];
  readonly order: 'time' | 'thread';
  readonly limit: number;
  readonly cursor: string | null;
  /** Nothing later than this is shown: the watermark of the drain before the query. */
  readonly until: SessionNs;
  /** Give up after this long and say how far it looked. */
  readonly deadlineMs: number;
}

/** A captured value, decoded by its type. */
export type Value =
  /** `unit`: `ms`, of a duration; `words`: as its language writes it, `1m30s`. */
  | {
      readonly kind: 'int';
      readonly text: string;
      readonly unit?: string;
      readonly words?: string;
    }
  /** `bytes`: 4 for a float, whose shortest decimal form differs from a double's. */
  | {
      readonly kind: 'float';
      readonly value: number;
      readonly bytes?: number;
      readonly unit?: string;
    }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** `bytes` 1: a byte of some encoding; more: a Unicode code point. */
  | { readonly kind: 'char'; readonly code: number; readonly bytes: number }
  | {
      readonly kind: 'enum';
      readonly name: string | null;
      readonly text: string;
      readonly type: string;
    }
  /** `target`: what it leads to, where that was captured; `owners`, `weak`: counted there; `code`: to a function; `isFar` as of a container. */
  | {
      readonly kind: 'pointer';
      readonly address: string;
      readonly isNull: boolean;
      /** What its language calls one that is null, where that is not `nullptr`. */
      readonly word?: 'nil';
      readonly target?: Value;
      readonly owners?: number;
      readonly weak?: number;
      readonly code?: true;
      readonly isFar?: true;
    }
  /** `binary`: its bytes, where they are no text (decoding/binaryValues.ts). `hex`: the bytes of a text that is not all UTF-8. `total`: how many there are, where not all were captured and that is known. */
  | {
      readonly kind: 'string';
      readonly text: string;
      readonly truncated: boolean;
      readonly total?: number;
      readonly hex?: string;
      readonly binary?: Binary;
    }
  | { readonly kind: 'object'; readonly object: ObjectValue }
  /**
   * `items`: the first of `total`; none are known of elements that were not captured. `ofBytes`: each is a byte
   * (decoding/binary.ts).
   */
  | ({
      readonly kind: 'list';
      readonly items: readonly Value[];
      readonly ofBytes?: true;
      /** Of a tuple or a set. */
      readonly brackets?: '()' | '{}';
    } & Elements)
  | ({
      readonly kind: 'map';
      readonly entries: readonly { readonly key: Value; readonly value: Value }[];
    } & Elements)
  /** One of several, by its name: `Some(3)`, `none`. */
  | { readonly kind: 'variant'; readonly name: string; readonly value: Value | null }
  /** Leads back to an object this value is part of. */
  | { readonly kind: 'circular'; readonly address: string }
  | { readonly kind: 'unreadable'; readonly address: string }
  | { readonly kind: 'void' }
  /** `word`: as its language calls it, where that is not `nullptr`. */
  | { readonly kind: 'null'; readonly word?: 'nil' }
  /** A word of its language: `None`, `undefined`, `<function f>`. `isNull`: for nothing. */
  | { readonly kind: 'word'; readonly text: string; readonly isNull?: boolean }
  /** `type` as the source spells it, where it is known. */
  /** `torn`: it changed while it was copied. */
  | {
      readonly kind: 'notCaptured';
      readonly reason: string;
      readonly type?: string;
      readonly torn?: true;
    }
  /** Its name looks like a secret: `word` of the list is in it (model/redaction). */
  | { readonly kind: 'redacted'; readonly word: string };

/** Of a container; `torn`: it changed while it was copied; `isFar`: what is in it lies deeper than what is captured whole. */
interface Elements {
  readonly total: number;
  readonly torn?: boolean;
  readonly isFar?: true;
}

/** `total`: bytes that there are, null where that is not known; `isUntilNul`: only what comes before one was looked at. */
export interface Binary {
  readonly hex: string;
  readonly total: number | null;
  readonly isUntilNul?: true;
}

export interface ObjectValue {
  /** Its class, where only the value knows it. */
  readonly type?: string;
  readonly fields: readonly { readonly name: string; readonly value: Value }[];
  /** Fields that were not captured. */
  readonly left: number;
  /** Its fields share their bytes: one of them is meant. */
  readonly isUnion?: true;
}

/** How a call ended. */
export type CallEnd = 'returned' | 'unwound' | 'jumped' | 'tail' | 'open' | 'lost' | 'unseen';

export interface CallView {
  readonly id: CallId;
  readonly parent: CallId | null;
  readonly time: SessionNs;
  readonly durationNs: number | null;
  readonly end: CallEnd;
  /** Of the duration: how long it was suspended. Of an open call: since when it is. Absent: it was not, or is not. */
  readonly suspendedNs?: number;
  readonly suspendedSince?: SessionNs;
  /** The task, goroutine, test or greenlet it belongs to; absent: none is known. */
  readonly strand?: Strand;
  /** The function's number in the session's functions table. */
  readonly fn: number;
  readonly function: string;
  /** As the linker has it; absent: the same. */
  readonly linkageName?: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly thread: number;
  readonly tid: number;
  readonly threadName: string;
  readonly pid: number;
  readonly depth: number;
  /** Of an open call: when its process ended, or became another program, if it did by then. */
  readonly processEnded?: SessionNs;
  readonly arguments: readonly { readonly name: string; readonly value: Value }[];
  readonly returns: Value;
  /** What left it, where that is known. */
  readonly exception?: Value;
  /** What watches saw when it began and returned; absent: nothing was, or it was not asked for. */
  readonly watched?: readonly WatchedValue[];
  /** It is the hit of a breakpoint. */
  readonly probe?: TracedProbe;
  /** Of a hit: its condition could not be worked out, so it counts as met. */
  readonly undecided?: true;
}

/** One of what takes turns on a thread; `number` is that of its process. */
export interface Strand {
  readonly number: number;
  readonly kind: StrandKind | null;
  readonly name: string;
}

export interface WatchedValue {
  readonly label: string;
  readonly atReturn: boolean;
  readonly value: Value;
}

/** A part of a list. */
export interface Page {
  /** Where the list continues after each of them. */
  readonly cursors: readonly string[];
  /** Where it continues after the page; null at the end. */
  readonly cursor: string | null;
  readonly hasMore: boolean;
  readonly total: number;
}

/** A part of a list that is searched for, up to a deadline. */
export interface SearchedPage extends Page {
  readonly pids: readonly number[];
  /** False when the deadline ended the search: `lookedUntil` says how far it got. */
  readonly complete: boolean;
  readonly lookedUntil: SessionNs;
}

/** Changes of watched values. */
export interface ChangesQuery {
  /** A label; null: all watches. */
  readonly watch: string | null;
  readonly pid: number | null;
  readonly timeFrom: SessionNs | null;
  readonly timeTo: SessionNs | null;
  readonly limit: number;
  readonly cursor: string | null;
  readonly until: SessionNs;
  readonly deadlineMs: number;
}

/** A call that ran while a value changed; `ownNs`: of that time, in its own code. */
export interface SuspectCall {
  readonly call: CallView;
  readonly ownNs: number;
}

/** Somewhere between `from`, when it was still `old`, and `to`, when it was `now`. */
export interface ChangeView {
  /** Label. */
  readonly watch: string;
  readonly from: SessionNs;
  readonly to: SessionNs;
  readonly old: Value;
  readonly now: Value;
  /** Of the memory, where one watch sees several: members of objects, thread-locals. */
  readonly address: string | null;
  readonly pid: number;
  /** Seen when the call `seenBy` returned, not when it began. */
  readonly atReturn: boolean;
  readonly seenBy: CallView | null;
  /** In which it can have happened, the most likely first; `others` more could be meant. */
  readonly calls: readonly SuspectCall[];
  readonly others: number;
  /** There were more calls in that time than are looked at. */
  readonly bounded: boolean;
  /** It was seen as it was written, at `to`, in the call `calls` holds; null: between two samples. */
  readonly write: WriteView | null;
}

/** Who wrote a value. */
export interface WriteView {
  readonly tid: number;
  /** Another thread wrote so shortly before or after that the order may be the other. */
  readonly isNear: boolean;
  /** Innermost first; empty: not known. */
  readonly frames: readonly WriteFrame[];
}

export interface ChangesPage extends SearchedPage {
  readonly changes: readonly ChangeView[];
  /** Watches of the session that are meant, with and without samples. */
  readonly accepted: number;
  /** What was asked for, with how often each was looked at. */
  readonly watches: readonly {
    readonly label: string;
    /** Or writes, where `isWritten`. */
    readonly samples: number;
    readonly changes: number;
    readonly isWritten: boolean;
    /** Each call has a value of its own: nothing that could change. */
    readonly isOfCall: boolean;
  }[];
}

/** A line whose newline has not come, and how many characters of it are in the store. */
export interface UnfinishedLine {
  readonly id: number;
  /** Of its first byte. */
  readonly time: SessionNs;
  readonly length: number;
}

/** How far output has been shown: all that began until `time`, of the lines in `unfinished` a part. */
export interface OutputMark {
  readonly time: SessionNs;
  readonly unfinished: readonly Pick<UnfinishedLine, 'id' | 'length'>[];
}

export interface OutputQuery {
  /** Only what came later; of a line that was unfinished then only the rest. */
  readonly since?: OutputMark;
  readonly stream: 'stdout' | 'stderr' | null;
  /** Last n lines, in order of time. */
  readonly tail: number | null;
  /** Substring (case-insensitive) or, with `/re/`, RE2. */
  readonly match: string | null;
  readonly pid: number | null;
  readonly timeFrom: SessionNs | null;
  readonly timeTo: SessionNs | null;
  readonly limit: number;
  readonly cursor: string | null;
  readonly until: SessionNs;
}

export interface OutputPage extends Page {
  readonly lines: readonly OutputLine[];
}

/** The end of a thread's calls. */
export interface LastCalls {
  readonly thread: TracedThread;
  /** The newest, in order. */
  readonly calls: readonly CallView[];
  /** Those that did not end, outermost first. */
  readonly open: readonly CallView[];
  /** How many calls the thread made. */
  readonly total: number;
}

/** The threads of a session, of which there may be any number. */
export interface KnownThreads {
  readonly count: number;
  /** The first `mostThreadsTold`. */
  readonly first: readonly TracedThread[];
  /** Of their processes. */
  readonly pids: readonly number[];
}

export const mostThreadsTold = 64;

/** What the store knows of a session without scanning. */
export interface StoreSummary {
  readonly counters: Counters;
  /** Functions of which some calls were counted and not recorded, and how many; absent: none. */
  readonly sampledFunctions?: readonly {
    readonly number: number;
    readonly name: string;
    readonly calls: number;
    /** It is a breakpoint, or an invariant: its hits are counted because of what it asks of them. */
    readonly isProbe?: true;
  }[];
  /** What the names of values that dynamic languages gave, and that are not stored, are made of; absent: there are no such languages. */
  readonly secretNames?: readonly string[];
  readonly calls: number;
  /** Of these, hits of breakpoints, invariants and lines; absent: of a session that had none yet. */
  readonly hits?: number;
  readonly openCalls: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  /** Lines of output that something may be added to, oldest first; absent: none. */
  readonly unfinishedLines?: readonly UnfinishedLine[];
  readonly functions: number;
  readonly threads: KnownThreads;
  /** Everything before this is in the index. */
  readonly indexedTo: SessionNs;
}
