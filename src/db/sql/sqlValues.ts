import type { CallView } from '../../model/query.ts';
import type { Block } from '../reader/block.ts';
import { callersOf } from '../reader/callers.ts';
import { viewCall } from '../reader/callViews.ts';
import { functionTest } from '../reader/filter/textFilter.ts';
import { beginning } from '../reader/positions.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import { SnapshotRows } from '../reader/snapshotRows.ts';
import { jsonText, plainWatched } from '../reader/values/plainValues.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';

/** Defines the table `callers` (sqlSchema.ts): a join of `calls` with itself takes too long for it. */
export function defineCallers(asked: Sqlite, tables: SessionTables): void {
  const named = ['caller', 'function_name', 'calls', 'total_ns', 'min_ns', 'max_ns'];
  asked.defineTable('callers', named, () =>
    callersOf(tables).map(({ caller, callee, calls, totalNs, minNs, maxNs }) => [
      caller === null ? null : tables.fn(caller).name,
      ...[tables.fn(callee).name, BigInt(calls), BigInt(totalNs)],
      ...[minNs, maxNs].map((ns) => (ns === null ? null : BigInt(ns))),
    ]),
  );
}

/** Defines the table `watch_values` (sqlSchema.ts), of which `events` has a part. */
export function defineWatchValues(asked: Sqlite, tables: SessionTables): void {
  const named = ['time_ns', 'label', 'value', 'at', 'pid', 'thread_id', 'call_id', 'text'];
  asked.defineTable('watch_values', named, () => snapshotRows(tables));
}

function* snapshotRows(tables: SessionTables): Iterable<SqlValue[]> {
  const types = new Set(['variable_snapshot'] as const);
  const query = { filter: {}, until: Number.MAX_SAFE_INTEGER, types };
  const after = { after: beginning, order: 'time' } as const;
  for (const { view } of new SnapshotRows(tables, query).rows(after)) {
    if (view.type !== 'variable_snapshot') continue;
    const { label, at, value } = plainWatched(view.watched, view.isWritten);
    const plain = typeof value === 'boolean' ? Number(value) : value;
    const cell = typeof plain === 'number' || typeof plain === 'string' ? plain : null;
    const number = typeof cell === 'number' && Number.isInteger(cell) ? BigInt(cell) : cell;
    yield [
      BigInt(view.time),
      label,
      number,
      at,
      BigInt(view.pid),
      BigInt(view.tid),
      view.within,
      view.text,
    ];
  }
}

/**
 * Defines what the tables in C (native/sql/table.c) ask for:
 *   strobe_functions(pattern)             a byte per function number, 1 where the pattern fits
 *   strobe_value(what, thread, ordinal)   a value of a call as JSON, null where there is none
 */
export function defineSqlValues(asked: Sqlite, tables: SessionTables): void {
  asked.defineFunction('strobe_functions', (pattern) =>
    Buffer.from(tables.functionsThat(functionTest({ pattern: String(pattern) }))),
  );
  const values = new CallValues(tables);
  asked.defineFunction('strobe_value', (what, thread, ordinal) =>
    values.of(String(what), Number(thread), Number(ordinal)),
  );
}

/** Values of calls, mostly asked for in the order of the calls. */
class CallValues {
  readonly #tables: SessionTables;
  #block: Block | null = null;
  #row = -1;
  #call: CallView | null = null;

  constructor(tables: SessionTables) {
    this.#tables = tables;
  }

  of(what: string, thread: number, ordinal: number): SqlValue {
    if (what === 'watch_values') return this.#watched(thread, ordinal);
    const call = this.#callAt(thread, ordinal);
    if (!call) return null;
    if (what === 'arguments') return jsonText.object(call.arguments);
    return (call.end === 'returned' ? jsonText.value(call.returns) : undefined) ?? null;
  }

  #watched(thread: number, ordinal: number): string | null {
    const seen = this.#tables.watches.ofCall(thread, ordinal, Number.MAX_SAFE_INTEGER);
    if (!seen) return null;
    return JSON.stringify(seen.map((one) => plainWatched(one)));
  }

  #callAt(thread: number, ordinal: number): CallView | null {
    const { blocks } = this.#tables;
    const known = this.#block;
    const isInIt =
      known?.thread === thread && known.first <= ordinal && ordinal < known.first + known.calls;
    if (known && !isInIt) blocks.passed(known);
    const block = isInIt ? known : (blocks.find(thread, ordinal)?.block ?? null);
    if (!block) return null;
    const row = ordinal - block.first;
    if (block !== known || row !== this.#row)
      this.#call = viewCall(this.#tables, block, row, Number.MAX_SAFE_INTEGER);
    this.#block = block;
    this.#row = row;
    return this.#call;
  }
}
