import type { TracedFunction, TracedThread } from '../../model/eventColumns.ts';
import { jsonText, plainWatched } from '../reader/values/plainValues.ts';
import { eventTypeOf, functionFields, snapshotFields, threadFields } from './callFields.ts';
import {
  aboutFacts,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

/** The columns of the `calls` table of SQL, by the names of the `events` view. */
const columns = {
  eventType: 'event_type',
  id: 'id',
  timestampNs: 'timestamp_ns',
  durationNs: 'duration_ns',
  end: 'end',
  functionName: 'function_name',
  functionNameRaw: 'function_name_raw',
  sourceFile: 'source_file',
  lineNumber: 'line_number',
  pid: 'pid',
  threadId: 'thread_id',
  threadName: 'thread_name',
  parentEventId: 'parent_event_id',
  depth: 'depth',
  arguments: 'arguments',
  returnValue: 'return_value',
  watchValues: 'watch_values',
  text: 'text',
} as const;
const order = Object.keys(columns);
/** Columns of sessions with calls of dynamic languages; rows that are no calls end before them. */
const ofActivations = ['suspended_ns', 'strand', 'exception'];

type Row = { readonly eventType: string } & Partial<
  Record<keyof typeof columns, string | number | null>
>;

/**
 * A row for each event (RFC 4180), in order of time, with the columns of the `calls` table of
 * SQL; arguments and results are JSON. CSV has no remarks: the first and the last row are no
 * events (`session`, `end`) and tell in `text`, as JSON, what the file is and holds. A text that a spreadsheet
 * takes for a formula is written as it is, for all other readers, and the answer says so.
 */
export const csv: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  mediaType: 'text/csv',
  order: 'time',
  holdsEvents: true,
  holdsWatched: true,
  endsOpen: false,
  begins: /^event_type,id,timestamp_ns,/,
  shownBy: 'spreadsheets, DuckDB, pandas',
  isForBrowsers: false,
  open: (about) => new Csv(about),
};

const formulaNote =
  'Some texts begin with =, +, -, @ or a tab: a spreadsheet takes them for formulas unless it reads the columns as text.';

class Csv implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #functions = new WeakMap<TracedFunction, string>();
  readonly #threads = new WeakMap<TracedThread, string>();
  #hasFormulas = false;

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): string {
    const text = JSON.stringify(aboutFacts(this.#about));
    const more = this.#about.hasActivations ? `,${ofActivations.join(',')}` : '';
    return `${Object.values(columns).join(',')}${more}\r\n${this.#written({ eventType: 'session', text })}`;
  }

  call(call: ExportedCall): string {
    const { id, time, durationNs, end, callerId, depth } = call;
    const { arguments: values, returns, exception } = call.values();
    const watched = call.watched().filter(({ isWritten }) => !isWritten);
    const result = end === 'returned' ? jsonText.value(returns) : undefined;
    const told = [
      values.length === 0 ? null : jsonText.object(values),
      result ?? null,
      watched.length === 0 ? null : JSON.stringify(watched.map((one) => plainWatched(one))),
      null,
      ...(this.#about.hasActivations
        ? [call.suspendedNs, call.strand, exception ? (jsonText.value(exception) ?? null) : null]
        : []),
    ];
    const begin = `${eventTypeOf(call)},${id},${time},${durationNs ?? ''},${end},${this.#placeOf(call)}`;
    return `${begin},${callerId ?? ''},${depth},${told.map(cell).join(',')}\r\n`;
  }

  /** Cells that all calls of a function have, and all of a thread. */
  #placeOf({ fn, thread }: ExportedCall): string {
    let ofFunction = this.#functions.get(fn);
    if (ofFunction === undefined) {
      this.#look(fn.name);
      ofFunction = Object.values(functionFields(fn)).map(cell).join(',');
      this.#functions.set(fn, ofFunction);
    }
    let ofThread = this.#threads.get(thread);
    if (ofThread === undefined) {
      this.#look(thread.name);
      ofThread = Object.values(threadFields(thread)).map(cell).join(',');
      this.#threads.set(thread, ofThread);
    }
    return `${ofFunction},${ofThread}`;
  }

  event(event: ExportedEvent): string {
    if (event.type === 'variable_snapshot') {
      const { watchValues, ...rest } = snapshotFields(event);
      return this.#written({ ...rest, watchValues: JSON.stringify(watchValues) });
    }
    const text = 'count' in event ? `${event.count}: ${event.text}` : event.text;
    this.#look(text);
    return this.#written({
      eventType: event.type,
      timestampNs: event.time,
      ...('id' in event ? { id: event.id } : {}),
      ...('pid' in event ? { pid: event.pid } : {}),
      text,
    });
  }

  /** A row that is no call. */
  #written(row: Row): string {
    return written(row, this.#about.hasActivations ? ofActivations.map(() => ',').join('') : '');
  }

  end(totals: ExportTotals): string {
    return this.#written({ eventType: 'end', text: JSON.stringify(totals) });
  }

  get notes(): readonly string[] {
    return this.#hasFormulas ? [formulaNote] : [];
  }

  /** At a text of the program's. */
  #look(text: string): void {
    this.#hasFormulas ||= /^[=+\-@\t\r]/.test(text);
  }
}

function written(row: Row, more: string): string {
  const cells = new Map(Object.entries(row));
  return `${order.map((name) => cell(cells.get(name) ?? null)).join(',')}${more}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
