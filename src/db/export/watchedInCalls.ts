import { openCallAt } from '../reader/views/changeSuspects.ts';
import type { SessionTables } from '../reader/sessionTables.ts';
import { writesInOrder, writtenValue } from '../reader/views/writtenChanges.ts';
import type { ExportedWatch } from './port.ts';

/** What watches saw in single calls, as known at `until`. */
export class WatchedInCalls {
  readonly #tables: SessionTables;
  readonly #until: number;
  /** By thread and ordinal: a watch of writes records 100,000 at most. */
  readonly #written = new Map<string, ExportedWatch[]>();
  /** Writes in no recorded call. */
  outside = 0;

  /** Inside a snapshot. */
  constructor(tables: SessionTables, until: number) {
    this.#tables = tables;
    this.#until = until;
    for (const row of writesInOrder(tables, { pid: null }, until)) {
      const watch = tables.watches.definitions().get(row.watch);
      if (!watch) continue;
      const call = openCallAt(tables, row, row.time_ns);
      if (!call) {
        this.outside++;
        continue;
      }
      const key = `${call.block.thread}.${call.block.first + call.row}`;
      const value = writtenValue(watch, row.now);
      const seen = {
        label: watch.label,
        atReturn: false,
        value,
        time: row.time_ns,
        isWritten: true,
      };
      const known = this.#written.get(key);
      if (known) known.push(seen);
      else this.#written.set(key, [seen]);
    }
  }

  /** By time. Inside a snapshot. */
  of(thread: number, ordinal: number): readonly ExportedWatch[] {
    const sampled = this.#tables.watches.ofCall(thread, ordinal, this.#until) ?? [];
    const seen = sampled.map((one): ExportedWatch => ({ ...one, isWritten: false }));
    const written = this.#written.get(`${thread}.${ordinal}`);
    return written ? [...seen, ...written].toSorted((a, b) => a.time - b.time) : seen;
  }
}
