import type { Failure } from '../../model/failure.ts';
import type { ExportFormatName } from '../../model/questions/exportFormat.ts';
import type { SessionNs } from '../../model/ids.ts';
import type { CallFilter, EventType } from '../../model/questions/query.ts';
import type { ExportAbout, ExportTotals } from './port.ts';

/** Where an export goes. */
export type ExportTarget =
  /** A file that is there and empty; it gets its name when it is whole. */
  | { readonly kind: 'file'; readonly path: string }
  /** A collector's address for OTLP over HTTP. */
  | { readonly kind: 'collector'; readonly url: string };

/** What an export worker is started with. */
export interface ExportJob {
  readonly storePath: string;
  readonly format: ExportFormatName;
  readonly filter: CallFilter;
  /** Of model/exportFormat `exportEventTypes`. */
  readonly eventTypes: readonly EventType[];
  readonly until: SessionNs;
  readonly about: Omit<ExportAbout, 'commands' | 'hasActivations'>;
  readonly target: ExportTarget;
}

export interface ExportProgress {
  readonly calls: number;
  readonly events: number;
  readonly bytes: number;
  /** Blocks of calls that were read, `of` all. */
  readonly done: number;
  readonly of: number;
}

export interface ExportResult {
  readonly totals: ExportTotals;
  readonly bytes: number;
  readonly notes: readonly string[];
}

export type FromExportWorker =
  | { readonly kind: 'progress'; readonly progress: ExportProgress }
  | { readonly kind: 'done'; readonly result: ExportResult }
  | ({ readonly kind: 'failed' } & Failure);
