import { endNames } from '../blockFormat.ts';
import type { Block } from '../reader/blocks.ts';
import { planFilter } from '../reader/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../reader/callMatcher.ts';
import { viewCall } from '../reader/callViews.ts';
import { plainArguments, plainValue } from '../reader/plainValues.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import type { SqlValue, VirtualTable } from '../sqlite.ts';

/** What SQL can be asked about; shown when a statement is wrong. */
export const sqlSchema = `calls(function_pattern, time_from_ns, time_to_ns): id, parent_id, function_name, signature, module, source_file, line_number, thread_id, thread_name, pid, depth, timestamp_ns, duration_ns (null: open), end (${endNames.join(', ')}), arguments (JSON object), return_value (JSON). FROM calls, or faster FROM calls('bank::Account::*'); '' is any function.
events(same parameters): id, event_type (call, stdout, stderr, process, exception, crash, loss), timestamp_ns, duration_ns, pid, thread_id, thread_name, parent_event_id, function_name, function_name_raw, source_file, line_number, text, arguments, return_value.
output: id, time_ns, stream (1 stdout, 2 stderr), pid, text. threads: key, pid, tid, name. processes: time_ns, pid, text. losses: time_ns, cause, count. exceptions: time_ns, pid, tid, type, message, text.
functions: number, name, signature, module, file, line; function_counters: number, calls, unwound, total_ns, self_ns, min_ns, max_ns.`;

const plainColumns = [
  'id',
  'parent_id',
  'function_name',
  'signature',
  'module',
  'source_file',
  'line_number',
  'thread_id',
  'thread_name',
  'pid',
  'depth',
  'timestamp_ns',
  'duration_ns',
  'end',
] as const;

/**
 * The blocks of calls as a table. `withValues`: the statement names arguments or results; else
 * they are null, which is ten times faster.
 */
export function callsTable(tables: SessionTables, withValues: boolean): VirtualTable {
  return {
    columns: [...plainColumns, 'arguments', 'return_value'],
    parameters: ['function_pattern', 'time_from_ns', 'time_to_ns'],
    *rows(pattern, from, to) {
      for (const { block, row } of callPlaces(tables, pattern, from, to)) {
        yield callRow(tables, block, row, withValues);
      }
    },
  };
}

/** Where the calls are that the parameters of a table take, block by block. */
function* callPlaces(
  tables: SessionTables,
  pattern: SqlValue | undefined,
  from: SqlValue | undefined,
  to: SqlValue | undefined,
): Generator<{ readonly block: Block; readonly row: number }> {
  const filter = {
    ...(typeof pattern === 'string' && pattern !== '' ? { function: { pattern } } : {}),
    ...(typeof from === 'number' ? { timeFrom: from } : {}),
    ...(typeof to === 'number' ? { timeTo: to } : {}),
  };
  const until = Number.MAX_SAFE_INTEGER;
  const plan = planFilter(filter, tables, until);
  const matcher = new CallMatcher(tables, plan, until);
  for (const block of tables.blocks.byTime) {
    if (block.startNs > plan.timeTo) break;
    if (block.lastNs < plan.timeFrom || !matcher.mayMatch(block)) continue;
    const rows: number[] = [];
    const end = firstRowAfter(block, plan.timeTo);
    matcher.each(block, firstRowFrom(block, plan.timeFrom), end, (row) => {
      rows.push(row);
      return true;
    });
    for (const row of rows) yield { block, row };
    tables.blocks.passed(block);
  }
}

const eventColumns = [
  'id',
  'event_type',
  'timestamp_ns',
  'duration_ns',
  'pid',
  'thread_id',
  'thread_name',
  'parent_event_id',
  'function_name',
  'function_name_raw',
  'source_file',
  'line_number',
  'text',
  'arguments',
  'return_value',
] as const;

/** Events that are rows of tables, as (id, event_type, timestamp_ns, pid, text). */
const timedEvents = `
  SELECT 'o' || id, CASE stream WHEN 1 THEN 'stdout' ELSE 'stderr' END, time_ns, pid, text FROM output
  UNION ALL SELECT NULL, 'process', time_ns, pid, text FROM processes
  UNION ALL SELECT NULL, 'exception', time_ns, pid, text FROM exceptions
  UNION ALL SELECT NULL, 'crash', time_ns, pid, text FROM crashes
  UNION ALL SELECT NULL, 'loss', time_ns, NULL, count || ' events: ' || cause FROM losses`;

/** The whole timeline as a table: calls, then all else; with a function pattern calls alone. */
export function eventsTable(tables: SessionTables, withValues: boolean): VirtualTable {
  return {
    columns: [...eventColumns],
    parameters: ['function_pattern', 'time_from_ns', 'time_to_ns'],
    *rows(pattern, from, to) {
      for (const { block, row } of callPlaces(tables, pattern, from, to)) {
        yield callEvent(tables, block, row, withValues);
      }
      if (typeof pattern === 'string' && pattern !== '') return;
      const least = typeof from === 'number' ? from : 0;
      const most = typeof to === 'number' ? to : Number.MAX_SAFE_INTEGER;
      const sql = `SELECT * FROM (${timedEvents}) WHERE time_ns BETWEEN ? AND ?`;
      const statement = tables.db.prepareReading(sql);
      for (const [
        id = null,
        type = null,
        time = null,
        pid = null,
        text = null,
      ] of statement.iterate([least, most])) {
        yield [id, type, time, null, pid, ...nothing, text, null, null];
      }
    },
  };
}

/** Of what is no call: thread to line. */
const nothing = [null, null, null, null, null, null, null] as const;

function callEvent(
  tables: SessionTables,
  block: Block,
  row: number,
  withValues: boolean,
): SqlValue[] {
  const fn = tables.fn(block.dictionary.fn[block.entry[row] ?? 0] ?? 0);
  const [id = null, parent = null, name = null, , , file = null, line = null, ...rest] = callRow(
    tables,
    block,
    row,
    withValues,
  );
  const [
    tid = null,
    thread = null,
    pid = null,
    ,
    time = null,
    duration = null,
    ,
    values = null,
    returns = null,
  ] = rest;
  return [
    ...[id, 'call', time, duration, pid, tid, thread, parent],
    ...[name, fn.linkageName, file, line, null, values, returns],
  ];
}

function callRow(
  tables: SessionTables,
  block: Block,
  row: number,
  withValues: boolean,
): SqlValue[] {
  const fn = tables.fn(block.dictionary.fn[block.entry[row] ?? 0] ?? 0);
  const thread = tables.thread(block.thread);
  const ordinal = block.first + row;
  const up = block.up[row] ?? 0;
  const duration = block.duration[row] ?? -1;
  const call = withValues ? viewCall(tables, block, row, Number.MAX_SAFE_INTEGER) : null;
  return [
    `c${block.thread}.${ordinal}`,
    up > 0 ? `c${block.thread}.${ordinal - up}` : null,
    fn.name,
    fn.signature,
    fn.module,
    fn.file,
    fn.line,
    thread.tid,
    thread.name,
    thread.pid,
    block.depth[row] ?? 0,
    block.start[row] ?? 0,
    duration < 0 ? null : duration,
    endNames[(block.end[row] ?? 0) & 7] ?? 'lost',
    call && JSON.stringify(plainArguments(call.arguments)),
    call && call.end === 'returned' ? JSON.stringify(plainValue(call.returns)) : null,
  ];
}
