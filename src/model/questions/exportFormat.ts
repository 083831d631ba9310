/** The names of the formats a session can be exported to. */
export const exportFormatNames = [
  'chrome',
  'perfetto',
  'speedscope',
  'folded',
  'flamegraph',
  'jsonl',
  'csv',
  'otlp',
  'html',
] as const;

export type ExportFormatName = (typeof exportFormatNames)[number];

/** Events an export may hold. */
export const exportEventTypes = [
  'call',
  'stdout',
  'stderr',
  'process',
  'exception',
  'crash',
  'loss',
  'variable_snapshot',
] as const;
