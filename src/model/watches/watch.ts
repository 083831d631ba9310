import type { ScalarType } from '../values/scalarType.ts';
import type { ValueType } from '../values/valueType.ts';

/** Where a watch is sampled. */
export type SampledAt = 'enter' | 'return' | 'both';
/** `write`: whenever a thread of the main process writes to it, by a debug register. */
export type WatchAt = SampledAt | 'write';

/** A watch as it was asked for: an expression, or an address of the process with a type. */
export interface WatchRequest {
  readonly label?: string | undefined;
  readonly expr?: string | undefined;
  /** Hexadecimal run-time address. */
  readonly address?: string | undefined;
  /** Of a number, of an address (`void*`) or of text (`char*`), as C writes it. */
  readonly type?: string | undefined;
  /** A pattern; absent: every traced function. */
  readonly on?: string | undefined;
  readonly at?: WatchAt | undefined;
}

/** What a watch leaves: a number of at most eight bytes, text, or a value of any other type with what it leads to. */
export type WatchType = ScalarType | Extract<ValueType, { kind: 'cstring' | 'tree' }>;

/** A watch as the store knows it; `number` stands in its samples, and is never given again. */
export interface WatchDefinition {
  readonly number: number;
  readonly label: string;
  readonly expr: string;
  /** Dynamic: its values describe themselves. */
  readonly type: WatchType | Extract<ValueType, { kind: 'dynamic' }>;
  /** It belongs to one call; else to what lies at its address in a process. */
  readonly isOfCall: boolean;
  /** Its writes are seen; else it is sampled. */
  readonly isWritten?: true;
}

/** What became of a watch. */
export interface WatchReport {
  readonly label: string;
  readonly expr: string;
  readonly on: string | null;
  readonly at: WatchAt;
  /** `pending`: until a function it means is hooked; `staged`: for the next launch. */
  readonly state: 'active' | 'pending' | 'refused' | 'staged';
  /** As the source spells it; null: not known. */
  readonly type: string | null;
  /** Hooked functions in which it is sampled. */
  readonly functions: number;
  /** Whole sentences: why it is refused or pending, what it leaves out. */
  readonly notes: readonly string[];
}

/** What a request changes of a session's watches. */
export interface WatchChange {
  readonly add: readonly WatchRequest[];
  /** Labels. */
  readonly remove: readonly string[];
}

/** Whether some are of writes, which are seen without traced functions. */
export function hasWrites(watches: readonly WatchRequest[]): boolean {
  return watches.some(({ at }) => at === 'write');
}

export const mostWatches = 32;
/** Debug registers of an x86 processor. */
export const mostWriteWatches = 4;

/** The name of a watch in answers and questions. */
export function watchLabel({ label, expr, address }: WatchRequest): string {
  return label ?? expr ?? address ?? '';
}

/** `rest`: what resolving it found out. */
export function watchReport(
  request: WatchRequest,
  state: WatchReport['state'],
  rest: Pick<WatchReport, 'type' | 'functions' | 'notes'>,
): WatchReport {
  const { expr, address, on = null, at = 'both' } = request;
  return { label: watchLabel(request), expr: expr ?? address ?? '', on, at, state, ...rest };
}
