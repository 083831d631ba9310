import type { TracedFunction } from '../../../model/eventColumns.ts';
import { callId } from '../../../model/ids.ts';
import { unset, type DefinedNames } from '../../../model/decoding/dynamic.ts';
import type { CallEnd, CallView } from '../../../model/questions/query.ts';
import { endMask, endNames } from '../../blockFormat.ts';
import type { Block } from '../block.ts';
import type { SessionTables } from '../sessionTables.ts';
import {
  decodeArguments,
  decodeReturn,
  decodeValue,
  isUndecided,
} from '../values/capturedValues.ts';

/** How a call stood at `until`: an end that came later is not known yet. */
export function endAt(block: Block, row: number, until: number): CallEnd {
  const duration = block.durationOf(row);
  if (duration >= 0 && block.startOf(row) + duration > until) return 'open';
  return endNames[(block.end[row] ?? 0) & endMask] ?? 'lost';
}

/** For how long a call that ended was suspended, or since when an open one is. */
export function suspensionOf(
  block: Block,
  row: number,
  end: CallEnd,
  until: number,
): Pick<CallView, 'suspendedNs' | 'suspendedSince'> {
  if (end === 'open') {
    const since = block.waitsSince(row);
    return since !== null && since <= until ? { suspendedSince: since } : {};
  }
  const suspendedNs = block.suspended?.[row] ?? 0;
  return suspendedNs > 0 ? { suspendedNs } : {};
}

/** The strand a call belongs to. */
export function strandOf(
  tables: SessionTables,
  block: Block,
  row: number,
): Pick<CallView, 'strand'> {
  const number = block.strand?.[row] ?? 0;
  return number > 0 ? { strand: tables.strand(block.thread, number) } : {};
}

/** Nanoseconds, or null while it is open or when its end is not known. */
export function durationAt(block: Block, row: number, until: number): number | null {
  const duration = block.durationOf(row);
  return duration >= 0 && block.startOf(row) + duration <= until ? duration : null;
}

export function functionNumber(block: Block, row: number): number {
  return block.dictionary.fn[block.entry[row] ?? 0] ?? 0;
}

/** A call without its values. */
export type CallOutline = Omit<CallView, 'arguments' | 'returns' | 'exception'>;

/** A call with all its values, as things stood at `until`. */
export function viewCall(
  tables: SessionTables,
  block: Block,
  row: number,
  until: number,
): CallView {
  return withValues(tables, block, row, outlineOf(tables, block, row, until));
}

export function withValues(
  tables: SessionTables,
  block: Block,
  row: number,
  call: CallOutline,
): CallView {
  return { ...call, ...valuesOf(tables.fn(call.fn), block, row, call.end) };
}

const nothing = Buffer.alloc(0);

/** Arguments and result of a call of the function that ended so. */
export function valuesOf(
  fn: TracedFunction,
  block: Block,
  row: number,
  end: CallEnd,
): Pick<CallView, 'arguments' | 'returns' | 'exception' | 'undecided'> {
  const { names } = block;
  const given = block.enterPayload(row);
  const kept = end === 'returned' || end === 'unwound' ? block.returnPayload(row) : nothing;
  return {
    arguments: decodeArguments(fn, given, names),
    returns: decodeReturn(fn, end, kept, names),
    ...(isUndecided(fn, given, names) ? { undecided: true } : {}),
    ...(end === 'unwound' && kept.length > 0 ? exceptionOf(fn, kept, names) : {}),
  };
}

/** Which exception it was, where the runtime could tell. */
function exceptionOf(
  fn: TracedFunction,
  kept: Buffer,
  names: DefinedNames,
): Pick<CallView, 'exception'> {
  const { value } = decodeValue(fn.returns, kept, 0, kept.length, names);
  return value === unset ? {} : { exception: value };
}

export function outlineOf(
  tables: SessionTables,
  block: Block,
  row: number,
  until: number,
): CallOutline {
  const fn = tables.fn(functionNumber(block, row));
  const thread = tables.thread(block.thread);
  const ordinal = block.first + row;
  const up = block.up[row] ?? 0;
  const time = block.startOf(row);
  const end = endAt(block, row, until);
  const processEnded = end === 'open' ? tables.processEnds.after(thread.pid, time) : null;
  return {
    id: callId(block.thread, ordinal),
    parent: up > 0 ? callId(block.thread, ordinal - up) : null,
    time,
    durationNs: durationAt(block, row, until),
    end,
    ...suspensionOf(block, row, end, until),
    ...strandOf(tables, block, row),
    fn: fn.number,
    function: fn.name,
    ...(fn.linkageName === fn.name ? {} : { linkageName: fn.linkageName }),
    file: fn.file,
    line: fn.line,
    thread: block.thread,
    tid: thread.tid,
    threadName: thread.name,
    pid: thread.pid,
    depth: block.depth[row] ?? 0,
    ...(fn.probe ? { probe: fn.probe } : {}),
    ...(processEnded !== null && processEnded <= until ? { processEnded } : {}),
  };
}
