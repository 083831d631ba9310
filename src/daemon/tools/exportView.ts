import { dirname } from 'node:path';
import type { ExportJob, ExportProgress } from '../../db/export/exportMessages.ts';
import { exportFormat } from '../../db/export/formats.ts';
import type { ExportFormat } from '../../db/export/port.ts';
import { StrobeError } from '../../model/errors.ts';
import { exportEventTypes } from '../../model/questions/exportFormat.ts';
import type { CallFilter } from '../../model/questions/query.ts';
import { collectorAddress } from '../export/collectorAddress.ts';
import type { Exports, ExportStart } from '../export/exports.ts';
import { writePlaces } from '../export/writePlaces.ts';
import { WrittenFile } from '../export/writtenFile.ts';
import { fit } from '../report/answers/budget.ts';
import { renderExport } from '../report/answers/export.ts';
import type { Scene } from '../report/answers/scene.ts';
import type { ToolAnswer } from '../report/answers/answer.ts';
import type { RequestContext } from '../request.ts';
import { callFilter, type ExportInput } from './queryRequest.ts';

/** What answers debug_session export. */
export interface ExportParts {
  readonly exports: Exports;
  /** Strobe's own folder. */
  readonly home: string;
  readonly version: string;
}

/** The session as it was asked about. */
export interface ExportQuestion {
  readonly scene: Scene;
  readonly storePath: string;
  readonly until: number;
  readonly end: number;
  readonly budget: number;
  readonly ofTest: CallFilter;
  /** How the program crashed; null: it did not, or the format has no room for it. */
  readonly story: string | null;
}

/** Below what MCP clients wait for; the same request then waits on. */
const WAIT_MS = 45_000;
/** A person at a terminal sees the progress, and ends it when it takes too long. */
const TERMINAL_WAIT_MS = 24 * 3600_000;

/** Writes the file, or sends it, and tells what it holds. */
export async function exportView(
  parts: ExportParts,
  question: ExportQuestion,
  input: ExportInput,
  context: RequestContext,
): Promise<ToolAnswer> {
  const format = exportFormat(input.format);
  const { scene } = question;
  const state = await parts.exports.ask(
    JSON.stringify([context.client.id, scene.request]),
    () => startOf(parts, question, { input, format }, context),
    {
      waitMs: context.client.kind === 'cli' ? TERMINAL_WAIT_MS : WAIT_MS,
      signal: context.signal,
      onProgress: (progress) =>
        context.progress(progressText(progress), progress.done, progress.of),
    },
  );
  const facts = { format, state, collector: input.collector ?? null };
  const { text, structured } = fit(question.budget, (room) => renderExport(scene, facts, room));
  return { text, structured };
}

function progressText({ calls, bytes, done, of }: ExportProgress): string {
  const share = of === 0 ? 0 : Math.min(100, Math.floor((done / of) * 100));
  return `exported ${calls} calls, ${(bytes / 1e6).toFixed(1)} MB, ${share} %`;
}

interface Wanted {
  readonly input: ExportInput;
  readonly format: ExportFormat;
}

function startOf(
  { home, version }: ExportParts,
  { scene, storePath, until, end, ofTest, story }: ExportQuestion,
  wanted: Wanted,
  { client }: RequestContext,
): ExportStart {
  const { session, summary } = scene;
  const { input, format } = wanted;
  const eventTypes = typesOf(wanted);
  const knownUntil = Math.min(until, summary.indexedTo);
  const job: Omit<ExportJob, 'target'> = {
    storePath,
    format: format.name,
    filter: callFilter(input, end, ofTest),
    eventTypes,
    until,
    about: {
      sessionId: session.id,
      command: session.command,
      pid: session.pid,
      startedAt: new Date(session.startedAtMs).toISOString(),
      startedAtMs: session.startedAtMs,
      strobe: version,
      filters: filtersOf(scene.request),
      lost: summary.counters.byCause,
      sampled: summary.counters.sampled,
      notes: scene.indexedTo === null ? [] : ['The index had not caught up: the end is missing.'],
      ...(story === null ? {} : { story }),
      knownUntil,
    },
  };
  if (input.collector !== undefined) {
    return { job, file: null, collector: collectorOf(wanted, input.collector) };
  }
  const overwrite = input.overwrite ? format.begins : null;
  if (input.path === undefined) {
    const file = WrittenFile.inFolder(dirname(storePath), session.id, format.extension);
    return { job, file, collector: null };
  }
  const places = writePlaces(home, session.projectRoot, client);
  return { job, file: WrittenFile.at(input.path, places, overwrite), collector: null };
}

function collectorOf({ input, format }: Wanted, collector: string): string {
  if (format.name !== 'otlp') {
    throw new StrobeError('BAD_PARAMETER', 'Only the format otlp can be sent to a collector.');
  }
  if (input.path !== undefined) {
    throw new StrobeError('BAD_PARAMETER', 'Give path or collector, not both.');
  }
  return collectorAddress(collector);
}

/** Formats of calls alone hold nothing else. */
function typesOf({ input, format }: Wanted): ExportJob['eventTypes'] {
  const others = (input.eventType ?? []).filter((type) => type !== 'call');
  if (format.holdsEvents) {
    return input.eventType ?? exportEventTypes;
  }
  if (others.length > 0) {
    throw new StrobeError(
      'BAD_PARAMETER',
      `The format ${format.name} holds calls only, not ${others.join(', ')}.`,
      'Leave eventType out, or use jsonl, csv, chrome or perfetto.',
    );
  }
  return ['call'];
}

const notFilters = new Set([
  'sessionId',
  'action',
  'format',
  'path',
  'overwrite',
  'collector',
  'budget',
]);

function filtersOf(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !notFilters.has(name)));
}
