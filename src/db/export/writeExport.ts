import { monotonicMs } from '../../base/clock.ts';
import { firstActivation } from '../../model/eventColumns.ts';
import { SessionTables } from '../reader/sessionTables.ts';
import { sessionMigrations } from '../sessionSchema.ts';
import { Sqlite } from '../sqlite.ts';
import { CallStream, type StreamItem } from './callStream.ts';
import type { ExportJob, ExportProgress, ExportResult } from './exportMessages.ts';
import { exportFormat } from './formats.ts';
import { processCommands } from './processCommands.ts';
import type { ExportFormat, ExportTotals, ExportWriter, Piece } from './port.ts';
import { sinkFor, type Sink } from './sinks.ts';

const TELL_MS = 250;

class Exporter {
  readonly #writer: ExportWriter;
  readonly #sink: Sink;
  calls = 0;
  events = 0;
  #open = 0;

  constructor(writer: ExportWriter, sink: Sink) {
    this.#writer = writer;
    this.#sink = sink;
  }

  give(item: StreamItem): void {
    switch (item.kind) {
      case 'call':
        this.calls++;
        if (item.call.end === 'open') this.#open++;
        this.#sink.add(this.#writer.call(item.call));
        return;
      case 'event':
        if (!this.#writer.event) return;
        this.events++;
        this.#sink.add(this.#writer.event(item.event));
        return;
      case 'threadEnd':
        if (this.#writer.threadEnd) this.#sink.add(this.#writer.threadEnd(item.thread));
    }
  }

  async end(dropped: number): Promise<ExportResult> {
    const totals: ExportTotals = {
      calls: this.calls,
      events: this.events,
      open: this.#open,
      dropped,
    };
    const last = this.#writer.end(totals);
    for (const piece of isPiece(last) ? [last] : last) this.#sink.add(piece);
    const notes = [...(this.#writer.notes ?? []), ...(await this.#sink.finish())];
    return { totals, bytes: this.#sink.bytes, notes };
  }
}

function isPiece(last: Piece | Iterable<Piece>): last is Piece {
  return typeof last === 'string' || last instanceof Uint8Array;
}

/**
 * Does an export from its first to its last byte. Throws EXPORT_FAILED when it cannot be written,
 * STORE_FAILED, or what is wrong with the filter.
 */
export async function writeExport(
  job: ExportJob,
  tell: (progress: ExportProgress) => void,
): Promise<ExportResult> {
  const format = exportFormat(job.format);
  using db = Sqlite.openReadonly(job.storePath, { migrations: sessionMigrations });
  const { filter, eventTypes, until } = job;
  const query = { filter, eventTypes, order: format.order, until };
  const tables = new SessionTables(db);
  const stream = new CallStream(db, tables, query);
  const hasActivations = tables.functions.some(({ number }) => number >= firstActivation);
  const commands = processCommands(db, job.about);
  const writer = format.open({ ...job.about, commands, hasActivations });
  const sink = sinkFor(job.target);
  try {
    const exporter = new Exporter(writer, sink);
    sink.add(writer.begin());
    let toldMs = monotonicMs();
    for (const _slice of stream.slices((item) => exporter.give(item))) {
      await sink.flush();
      if (monotonicMs() - toldMs < TELL_MS) continue;
      toldMs = monotonicMs();
      const { calls, events } = exporter;
      const { done, of } = stream;
      tell({ calls, events, bytes: sink.bytes, done, of });
    }
    const result = await exporter.end(stream.dropped);
    return { ...result, notes: [...result.notes, ...watchNotes(format, tables, stream)] };
  } finally {
    sink.close();
  }
}

/** What of watched values the format left out. */
function watchNotes(
  { name, holdsWatched, holdsEvents }: ExportFormat,
  { watches }: SessionTables,
  { writesOutside }: CallStream,
): string[] {
  if (watches.definitions().size === 0) return [];
  if (!holdsWatched)
    return [
      `The format ${name} has no place for watched values: jsonl, csv, chrome, perfetto and otlp hold them.`,
    ];
  if (holdsEvents || writesOutside === 0) return [];
  return [
    `${writesOutside} writes to watched places outside recorded calls are left out: jsonl and csv hold them.`,
  ];
}
