import type { CallView, LastCalls } from '../../../model/questions/query.ts';
import { viewCall } from './callViews.ts';
import type { SessionTables } from '../sessionTables.ts';

const maxOpen = 64;

/** The newest calls of each thread and those that never ended, as known at `until`. */
export function queryLastCalls(
  tables: SessionTables,
  query: { readonly perThread: number; readonly until: number },
): LastCalls[] {
  return [...tables.threads].flatMap((thread): LastCalls[] => {
    const blocks = tables.blocks.byThread.get(thread.key) ?? [];
    const last = blocks.at(-1);
    if (last === undefined) return [];
    const end = last.first + last.calls;
    const view = (ordinal: number): CallView | null => {
      const found = tables.blocks.find(thread.key, ordinal);
      return found === null ? null : viewCall(tables, found.block, found.row, query.until);
    };
    const calls: CallView[] = [];
    for (let ordinal = Math.max(0, end - query.perThread); ordinal < end; ordinal++) {
      const call = view(ordinal);
      if (call !== null) calls.push(call);
    }
    return [{ thread, calls, open: openCalls(tables, thread.key, end - 1, view), total: end }];
  });
}

/** From the newest call up to the root; the outermost comes first. */
function openCalls(
  tables: SessionTables,
  thread: number,
  newest: number,
  view: (ordinal: number) => CallView | null,
): CallView[] {
  const open: CallView[] = [];
  for (let ordinal = newest; ordinal >= 0 && open.length < maxOpen;) {
    const found = tables.blocks.find(thread, ordinal);
    if (found === null) break;
    const call = view(ordinal);
    if (call !== null && call.end === 'open') open.push(call);
    const up = found.block.up[found.row] ?? 0;
    if (up === 0) break;
    ordinal -= up;
  }
  return open.toReversed();
}
