import type { TracedFunction } from '../../../model/eventColumns.ts';
import { parseCallId, type CallId } from '../../../model/ids.ts';
import type { CallLines } from '../../../model/questions/callLines.ts';
import type { CallView } from '../../../model/questions/query.ts';
import { unknownCall } from '../filter/callFilter.ts';
import { callsBelow } from '../filter/subtree.ts';
import type { SessionTables } from '../sessionTables.ts';
import { functionNumber, viewCall } from './callViews.ts';

/** The lines of a call that ran, as known at `until`. Throws BAD_PARAMETER when there is no such call. */
export function queryCallLines(
  tables: SessionTables,
  query: { readonly call: CallId; readonly most: number; readonly until: number },
): CallLines {
  const root = parseCallId(query.call);
  const found = root && tables.blocks.find(root.thread, root.ordinal);
  if (!root || !found) throw unknownCall(query.call);
  const { until, most } = query;
  const call = viewCall(tables, found.block, found.row, until);
  const fn = tables.fn(call.fn);
  const below = callsBelow(tables.blocks, root, { directly: true, until });
  const members = below.of(root.thread);
  const hits: CallView[] = [];
  let isCut = false;
  for (let ordinal = root.ordinal + 1; ordinal < below.to && !isCut; ordinal++) {
    const at = members?.has(ordinal) ? tables.blocks.find(root.thread, ordinal) : null;
    if (!at || !isLineOf(tables.fn(functionNumber(at.block, at.row)), fn)) continue;
    if (hits.length >= most) isCut = true;
    else hits.push(viewCall(tables, at.block, at.row, until));
  }
  const places = tables.functions
    .filter((one) => isLineOf(one, fn))
    .map(({ number, name, line, probe }) => ({
      fn: number,
      line: line ?? 0,
      // It is named function:line.
      within: name.slice(0, name.lastIndexOf(':')),
      text: probe?.line?.text ?? null,
      isUnseen: probe?.line?.isUnseen === true,
    }));
  return { call, places, hits, isCut };
}

function isLineOf({ probe, module }: TracedFunction, fn: TracedFunction): boolean {
  return probe?.line?.of === fn.name && module === fn.module;
}
