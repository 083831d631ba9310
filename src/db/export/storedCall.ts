import {
  firstActivation,
  type TracedFunction,
  type TracedThread,
} from '../../model/eventColumns.ts';
import { callId, type CallId, type SessionNs } from '../../model/ids.ts';
import type { CallEnd } from '../../model/questions/query.ts';
import type { Block } from '../reader/block.ts';
import {
  durationAt,
  endAt,
  functionNumber,
  strandOf,
  valuesOf,
} from '../reader/views/callViews.ts';
import { strandText } from '../../model/values/valueWords.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import type { CallValues, ExportedCall, ExportedWatch } from './port.ts';
import type { WatchedInCalls } from './watchedInCalls.ts';

/** What all calls of an export are read from. */
export interface CallSource {
  readonly tables: SessionTables;
  readonly watched: WatchedInCalls;
  readonly until: number;
}

/** What of a call was exported above it. */
interface Above {
  readonly level: number;
  /** The nearest caller's ordinal. */
  readonly parent: number | null;
}

/** A call of a block; read while the block is there. */
export class StoredCall implements ExportedCall {
  readonly #source: CallSource;
  readonly #block: Block;
  readonly #row: number;
  readonly #above: Above;
  readonly ordinal: number;
  readonly thread: TracedThread;
  readonly fn: TracedFunction;
  readonly time: SessionNs;
  readonly durationNs: number | null;
  readonly end: CallEnd;

  constructor(source: CallSource, block: Block, row: number, above: Above) {
    const { tables, until } = source;
    this.#source = source;
    this.#block = block;
    this.#row = row;
    this.#above = above;
    this.ordinal = block.first + row;
    this.thread = tables.thread(block.thread);
    this.fn = tables.fn(functionNumber(block, row));
    this.time = block.start[row] ?? 0;
    // A hit of a breakpoint takes no time of the program's own.
    this.durationNs = this.fn.probe ? 0 : durationAt(block, row, until);
    this.end = endAt(block, row, until);
  }

  get id(): CallId {
    return callId(this.#block.thread, this.ordinal);
  }

  get parent(): ExportedCall['parent'] {
    const { parent } = this.#above;
    return parent === null ? null : { id: callId(this.#block.thread, parent), ordinal: parent };
  }

  get level(): number {
    return this.#above.level;
  }

  get callerId(): CallId | null {
    const up = this.#block.up[this.#row] ?? 0;
    return up > 0 ? callId(this.#block.thread, this.ordinal - up) : null;
  }

  get isActivation(): boolean {
    return this.fn.number >= firstActivation;
  }

  get isSuspended(): boolean {
    if (!this.isActivation) return false;
    return (
      this.suspendedNs > 0 || (this.end === 'open' && this.#block.waitsSince(this.#row) !== null)
    );
  }

  get suspendedNs(): number {
    return this.durationNs === null ? 0 : (this.#block.suspended?.[this.#row] ?? 0);
  }

  get strand(): string | null {
    const { strand } = strandOf(this.#source.tables, this.#block, this.#row);
    return strand ? strandText(strand) : null;
  }

  get depth(): number {
    return this.#block.depth[this.#row] ?? 0;
  }

  values(): CallValues {
    return valuesOf(this.fn, this.#block, this.#row, this.end);
  }

  watched(): readonly ExportedWatch[] {
    return this.#source.watched.of(this.#block.thread, this.ordinal);
  }
}
