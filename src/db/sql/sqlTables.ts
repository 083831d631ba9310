import { endNames } from '../blockFormat.ts';
import type { Block } from '../reader/blocks.ts';
import { planFilter } from '../reader/callFilter.ts';
import { CallMatcher, firstRowAfter, firstRowFrom } from '../reader/callMatcher.ts';
import { viewCall } from '../reader/callViews.ts';
import { plainArguments, plainValue } from '../reader/plainValues.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import type { SqlValue, VirtualTable } from '../sqlite.ts';

/** What SQL can be asked about; shown when a statement is wrong. */
export const sqlSchema = `calls(function_pattern, time_from_ns, time_to_ns): id, parent_id, function_name, signature, module, source_file, line_number, thread_id, thread_name, pid, depth, timestamp_ns, duration_ns (null: open), end (${endNames.join(', ')}), arguments (JSON object), return_value (JSON). FROM calls, or faster FROM calls('bank::Account::*').
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
      const filter = {
        ...(typeof pattern === 'string' ? { function: { pattern } } : {}),
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
        for (const row of rows) yield callRow(tables, block, row, withValues);
        tables.blocks.passed(block);
      }
    },
  };
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
