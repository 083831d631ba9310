import type { ChangesQuery, ChangeView, Value } from '../../../model/questions/query.ts';
import type { WatchDefinition } from '../../../model/watches/watch.ts';
import type { WriteFrame } from '../../../model/watches/watchWrite.ts';
import { decodeScalar } from '../../../model/decoding/scalars.ts';
import { storedJson } from '../../storedJson.ts';
import { openCallAt } from './changeSuspects.ts';
import { viewCall } from './callViews.ts';
import type { SessionTables } from '../sessionTables.ts';

/** A row of watch_writes. */
export interface WrittenRow {
  readonly id: number;
  readonly watch: number;
  readonly time_ns: number;
  readonly pid: number;
  readonly tid: number;
  readonly site: string;
  readonly near: number;
  readonly old: string | null;
  readonly now: string | null;
}

/** All writes of the watches up to a time, in their order; only those of a process, where one is asked for. */
export function* writesInOrder(
  tables: SessionTables,
  { pid }: Pick<ChangesQuery, 'pid'>,
  to: number,
): Iterable<WrittenRow> {
  const statement = tables.db.prepared<[to: number], WrittenRow>(
    `SELECT id, watch, time_ns, pid, tid, site, near, old, now FROM watch_writes
     WHERE time_ns <= ? ORDER BY time_ns, id`,
  );
  for (const row of statement.iterate(to)) if (pid === null || row.pid === pid) yield row;
}

/** Those of one thread in [from, to], in no order. */
export function writesOnThread(
  tables: SessionTables,
  { pid, tid }: Pick<WrittenRow, 'pid' | 'tid'>,
  { from, to }: { readonly from: number; readonly to: number },
): Iterable<Pick<WrittenRow, 'watch' | 'time_ns' | 'pid' | 'tid' | 'now'>> {
  const statement = tables.db.prepared<
    [from: number, to: number, pid: number, tid: number],
    Pick<WrittenRow, 'watch' | 'time_ns' | 'pid' | 'tid' | 'now'>
  >(
    `SELECT watch, time_ns, pid, tid, now FROM watch_writes
     WHERE time_ns BETWEEN ? AND ? AND pid = ? AND tid = ?`,
  );
  return statement.iterate(from, to, pid, tid);
}

/** It left something else, as far as is known. */
export function isChange({ old, now }: WrittenRow): boolean {
  return old === null || now === null || old !== now;
}

/** A write with the code it came from, and the call in which that ran. */
export function viewWrite(
  tables: SessionTables,
  { watch, row }: { readonly watch: WatchDefinition; readonly row: WrittenRow },
  until: number,
): ChangeView {
  const found = openCallAt(tables, row, row.time_ns);
  return {
    watch: watch.label,
    from: row.time_ns,
    to: row.time_ns,
    old: writtenValue(watch, row.old),
    now: writtenValue(watch, row.now),
    address: null,
    pid: row.pid,
    atReturn: false,
    seenBy: null,
    calls: found ? [{ call: viewCall(tables, found.block, found.row, until), ownNs: 0 }] : [],
    others: 0,
    bounded: false,
    write: { tid: row.tid, isNear: row.near !== 0, frames: framesOf(tables, row.site) },
  };
}

/** What a write left, or found: of its bits; of a value that describes itself of that, as JSON. */
export function writtenValue({ type }: WatchDefinition, bits: string | null): Value {
  if (type.kind === 'dynamic' && bits !== null) return storedJson<Value>(bits, { kind: 'string' });
  const isNumber = type.kind !== 'cstring' && type.kind !== 'tree' && type.kind !== 'dynamic';
  if (bits === null || !isNumber)
    return { kind: 'notCaptured', reason: 'neither the instruction nor the memory told it' };
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(bits));
  return decodeScalar(type, bytes, 0);
}

/** Who wrote, innermost first; empty: not known. */
export function framesOf(tables: SessionTables, site: string): readonly WriteFrame[] {
  const row = tables.db
    .prepared<[id: string], { json: string }>('SELECT json FROM write_sites WHERE id = ?')
    .get(site);
  return row ? storedJson<readonly WriteFrame[]>(row.json, 'array') : [];
}
