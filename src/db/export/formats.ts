import { chromeTrace } from './chromeTrace.ts';
import { csv } from './csv.ts';
import { flameGraph } from './flameGraph.ts';
import { foldedStacks } from './foldedStacks.ts';
import { htmlReport } from './page/htmlReport.ts';
import { jsonLines } from './jsonLines.ts';
import { openTelemetry } from './openTelemetry.ts';
import { perfetto } from './perfetto.ts';
import type { ExportFormatName } from '../../model/questions/exportFormat.ts';
import type { ExportFormat } from './port.ts';
import { speedscope } from './speedscope.ts';

/** Every format a session can be exported to. */
const formats: { readonly [Name in ExportFormatName]: ExportFormat } = {
  chrome: chromeTrace,
  perfetto,
  speedscope,
  folded: foldedStacks,
  flamegraph: flameGraph,
  jsonl: jsonLines,
  csv,
  otlp: openTelemetry,
  html: htmlReport,
};

export function exportFormat(name: ExportFormatName): ExportFormat {
  return formats[name];
}
