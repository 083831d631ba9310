import type { Block } from '../reader/block.ts';
import { callersOf } from '../reader/views/callers.ts';
import { endAt, functionNumber, strandOf, valuesOf } from '../reader/views/callViews.ts';
import { strandText } from '../../model/values/valueWords.ts';
import { functionTest } from '../reader/filter/textFilter.ts';
import { beginning } from '../reader/positions.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import { SnapshotRows } from '../reader/snapshotRows.ts';
import { jsonText, plainWatched } from '../reader/values/plainValues.ts';
import { decodeArguments, decodeReturn } from '../reader/values/capturedValues.ts';
import type { Sqlite, SqlValue } from '../sqlite.ts';
import { valuePlace } from './valuePlaces.ts';

/** Defines the table `callers` (sqlSchema.ts): a join of `calls` with itself takes too long for it. */
export function defineCallers(asked: Sqlite, tables: SessionTables): void {
  const named = ['caller', 'function_name', 'calls', 'total_ns', 'min_ns', 'max_ns'];
  asked.defineTable('callers', named, () =>
    callersOf(tables).map(({ caller, callee, calls, totalNs, minNs, maxNs }) => [
      caller === null ? null : tables.fn(caller).name,
      tables.fn(callee).name,
      BigInt(calls),
      BigInt(totalNs),
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
 *   strobe_place(function, isReturn, path) where a value lies in what is captured of a function (valuePlaces.ts)
 */
export function defineSqlValues(asked: Sqlite, tables: SessionTables): void {
  asked.defineFunction('strobe_functions', (pattern) =>
    Buffer.from(tables.functionsThat(functionTest({ pattern: String(pattern) }))),
  );
  asked.defineFunction('strobe_place', (fn, isReturn, path) =>
    valuePlace(tables.fn(Number(fn)), Number(isReturn) === 1, String(path)),
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

  constructor(tables: SessionTables) {
    this.#tables = tables;
  }

  of(what: string, thread: number, ordinal: number): SqlValue {
    if (what === 'watch_values') return this.#watched(thread, ordinal);
    const block = this.#blockOf(thread, ordinal);
    if (!block) return null;
    const row = ordinal - block.first;
    const fn = this.#tables.fn(functionNumber(block, row));
    if (what === 'suspended_ns') return BigInt(block.suspended?.[row] ?? 0);
    if (what === 'strand') {
      const { strand } = strandOf(this.#tables, block, row);
      return strand ? strandText(strand) : null;
    }
    if (what === 'arguments')
      return jsonText.object(decodeArguments(fn, block.enterPayload(row), block.names));
    const end = endAt(block, row, Number.MAX_SAFE_INTEGER);
    if (what === 'exception') {
      const { exception } = valuesOf(fn, block, row, end);
      return exception ? (jsonText.value(exception) ?? null) : null;
    }
    if (end !== 'returned') return null;
    return jsonText.value(decodeReturn(fn, end, block.returnPayload(row), block.names)) ?? null;
  }

  #watched(thread: number, ordinal: number): string | null {
    const seen = this.#tables.watches.ofCall(thread, ordinal, Number.MAX_SAFE_INTEGER);
    if (!seen) return null;
    return JSON.stringify(seen.map((one) => plainWatched(one)));
  }

  #blockOf(thread: number, ordinal: number): Block | null {
    const { blocks } = this.#tables;
    const known = this.#block;
    const isInIt =
      known?.thread === thread && known.first <= ordinal && ordinal < known.first + known.calls;
    if (isInIt) return known;
    if (known) blocks.passed(known);
    this.#block = blocks.find(thread, ordinal)?.block ?? null;
    return this.#block;
  }
}
