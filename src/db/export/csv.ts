import { plainArguments, plainValue } from '../reader/plainValues.ts';
import {
  aboutFacts,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

const columns = [
  'event_type',
  'id',
  'timestamp_ns',
  'duration_ns',
  'end',
  'function_name',
  'function_name_raw',
  'source_file',
  'line_number',
  'pid',
  'thread_id',
  'thread_name',
  'parent_event_id',
  'depth',
  'arguments',
  'return_value',
  'text',
] as const;

type Row = Partial<Record<(typeof columns)[number], string | number | null>>;

/**
 * A row for each event (RFC 4180), in order of time, with the columns of the `calls` table of
 * SQL; arguments and results are JSON. CSV has no remarks: the first and the last row are no
 * events (`session`, `end`) and tell in `text`, as JSON, what the file is and holds.
 */
export const csv: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  mediaType: 'text/csv',
  order: 'time',
  holdsEvents: true,
  begins: /^event_type,id,timestamp_ns,/,
  shownBy: 'spreadsheets, DuckDB, pandas',
  open: (about) => new Csv(about),
};

class Csv implements ExportWriter {
  readonly #about: ExportAbout;

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): string {
    const text = JSON.stringify(aboutFacts(this.#about));
    return `${columns.join(',')}\r\n${written({ event_type: 'session', text })}`;
  }

  call(call: ExportedCall): string {
    const { fn, thread, end } = call;
    const { arguments: values, returns, parent, depth } = call.view();
    const hasResult = end === 'returned' && returns.kind !== 'void';
    return written({
      event_type: 'call',
      id: call.id,
      timestamp_ns: call.time,
      duration_ns: call.durationNs,
      end,
      function_name: fn.name,
      function_name_raw: fn.linkageName,
      source_file: fn.file,
      line_number: fn.line,
      pid: thread.pid,
      thread_id: thread.tid,
      thread_name: thread.name,
      parent_event_id: parent,
      depth,
      arguments: values.length === 0 ? null : JSON.stringify(plainArguments(values)),
      return_value: hasResult ? JSON.stringify(plainValue(returns)) : null,
    });
  }

  event(event: ExportedEvent): string {
    const text = 'count' in event ? `${event.count}: ${event.text}` : event.text;
    return written({
      event_type: event.type,
      timestamp_ns: event.time,
      ...('id' in event ? { id: event.id } : {}),
      ...('pid' in event ? { pid: event.pid } : {}),
      text,
    });
  }

  end(totals: ExportTotals): string {
    return written({ event_type: 'end', text: JSON.stringify(totals) });
  }
}

function written(row: Row): string {
  return `${columns.map((name) => cell(row[name] ?? null)).join(',')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
