import { readFile, rm, stat } from 'node:fs/promises';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { crashSignals } from '../../model/endings/signals.ts';
import { exportFormatNames, type ExportFormatName } from '../../model/questions/exportFormat.ts';
import { record, records } from '../../protocol/tools/wireSchema.ts';
import type { CallOutcome } from '../toolCalls.ts';

/** The answer of a tool. */
export type AskTool = (tool: string, request: object, signal: AbortSignal) => Promise<CallOutcome>;

/** A resource as a list shows it. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** What a resource holds: bytes as base64. */
export type ResourceContents =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** By the last part of their address: what a session's resource reads. */
const parts = {
  status: {
    title: 'State of a session',
    description: 'State, exit, hooks, counters and threads of a session.',
    tool: 'debug_session',
    request: { action: 'status' },
  },
  output: {
    title: 'Output of a session',
    description: 'What the program wrote.',
    tool: 'debug_query',
    request: { view: 'output' },
  },
  crash: {
    title: 'Crash of a session',
    description: 'Why the program died: fault, stack with values, source, last calls.',
    tool: 'debug_query',
    request: { view: 'crash' },
  },
} as const;

type Part = keyof typeof parts;

const mimeTypes: Readonly<Record<ExportFormatName, string>> = {
  chrome: 'application/json',
  perfetto: 'application/octet-stream',
  speedscope: 'application/json',
  folded: 'text/plain',
  flamegraph: 'image/svg+xml',
  jsonl: 'application/jsonl',
  csv: 'text/csv',
  otlp: 'application/json',
  html: 'text/html',
};

/** A larger export is a file that the client opens itself. */
const MOST_BYTES = 8_000_000;

export const sessionTemplates = [
  ...Object.entries(parts).map(([name, { title, description }]) => ({
    uriTemplate: `strobe://session/{sessionId}/${name}`,
    name: `session-${name}`,
    title,
    description,
    mimeType: 'text/plain',
  })),
  {
    uriTemplate: 'strobe://session/{sessionId}/export/{format}',
    name: 'session-export',
    title: 'Export of a session',
    description: `Calls and events in one of the formats ${exportFormatNames.join(', ')}.`,
  },
];

export function sessionUri(sessionId: string, part: Part): string {
  return `strobe://session/${sessionId}/${part}`;
}

/** The exit of an answer says that the program broke. */
export function hasCrashed(exit: unknown): boolean {
  const { signal } = record(exit);
  return typeof signal === 'string' && crashSignals.has(signal);
}

/** One page of sessions, the newest first; of those that crashed the crash, too. */
export async function listedSessions(
  ask: AskTool,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly resources: readonly ListedResource[]; readonly nextCursor?: string }> {
  const page = cursor === undefined ? {} : { cursor };
  const outcome = await ask('debug_session', { action: 'list', scope: 'all', ...page }, signal);
  if (!outcome.ok) throw new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.error.text);
  const { sessions, cursor: next } = record(outcome.answer.structured);
  const resources = records(sessions).flatMap((session) => resourcesOf(session));
  return typeof next === 'string' ? { resources, nextCursor: next } : { resources };
}

function resourcesOf(session: Readonly<Record<string, unknown>>): ListedResource[] {
  const { sessionId, command, startedAt, exit } = session;
  if (typeof sessionId !== 'string') return [];
  const shown: Part[] = hasCrashed(exit) ? ['status', 'crash'] : ['status'];
  return shown.map((part) => ({
    uri: sessionUri(sessionId, part),
    name: `${sessionId} ${part}`,
    title: parts[part].title.replace('a session', sessionId),
    description: `${String(command)}, started ${String(startedAt)}`,
    mimeType: 'text/plain',
  }));
}

/** Null: no address of a session's. */
export async function readSessionResource(
  ask: AskTool,
  uri: string,
  signal: AbortSignal,
): Promise<ResourceContents | null> {
  // Ids hold nothing that an address would have to encode.
  const [, sessionId = '', part = '', format = ''] =
    /^strobe:\/\/session\/([\w.-]+)\/(\w+)(?:\/(\w+))?$/.exec(uri) ?? [];
  if (part === 'export' && isFormat(format))
    return await exported(ask, { uri, sessionId, format }, signal);
  if (!isPart(part) || format !== '') return null;
  const { tool, request } = parts[part];
  const { text } = await answerOf(ask, uri, { tool, request: { ...request, sessionId } }, signal);
  return { uri, mimeType: 'text/plain', text };
}

async function exported(
  ask: AskTool,
  of: { readonly uri: string; readonly sessionId: string; readonly format: ExportFormatName },
  signal: AbortSignal,
): Promise<ResourceContents> {
  const { uri, sessionId, format } = of;
  const request = { action: 'export', sessionId, format };
  const { text, structured } = await answerOf(ask, uri, { tool: 'debug_session', request }, signal);
  const { path, done } = record(structured);
  if (typeof path !== 'string' || done !== true || (await stat(path)).size > MOST_BYTES)
    return { uri, mimeType: 'text/plain', text };
  const bytes = await readFile(path);
  await rm(path, { force: true }); // Written for this answer alone.
  const mimeType = mimeTypes[format];
  return format === 'perfetto'
    ? { uri, mimeType, blob: bytes.toString('base64') }
    : { uri, mimeType, text: bytes.toString('utf8') };
}

async function answerOf(
  ask: AskTool,
  uri: string,
  { tool, request }: { readonly tool: string; readonly request: object },
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly structured: object }> {
  const outcome = await ask(tool, request, signal);
  if (outcome.ok) return outcome.answer;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, outcome.error.text, { uri });
}

function isPart(name: string): name is Part {
  return Object.hasOwn(parts, name);
}

function isFormat(name: string): name is ExportFormatName {
  return exportFormatNames.some((one) => one === name);
}
