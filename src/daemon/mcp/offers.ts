import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { sqlGuide } from '../../db/sql/sqlGuide.ts';
import { prompts } from '../../protocol/prompts.ts';
import type { Completing } from '../daemon.ts';
import type { CallOutcome } from '../toolCalls.ts';

/** What the server offers beside its tools: resources, prompts, and completions for both. */
export interface OfferParts {
  /** Texts that a parameter may have, the likeliest first. */
  complete(asked: Completing): Promise<readonly string[]>;
  /** The answer of a tool. */
  ask(tool: string, request: object, signal: AbortSignal): Promise<CallOutcome>;
}

/** A protocol's limit of values in one completion. */
const MOST_COMPLETIONS = 100;

/** What SQL can be asked, for a client that reads before it asks. */
const sqlResource = {
  uri: 'strobe://sql',
  name: 'sql',
  title: 'SQL over a session: tables and examples',
  description: 'Tables, columns and example statements of debug_query view "sql".',
  mimeType: 'text/markdown',
} as const;

/** By the last part of their address: what a session's resource reads. */
const sessionResources = {
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

type SessionResource = keyof typeof sessionResources;

const templates = Object.entries(sessionResources).map(([name, { title, description }]) => ({
  uriTemplate: `strobe://session/{sessionId}/${name}`,
  name: `session-${name}`,
  title,
  description,
  mimeType: 'text/plain',
}));

const capabilities = { resources: {}, prompts: {}, completions: {} };

/** What the server says it can beside tools. */
export function offeredCapabilities(): typeof capabilities {
  return capabilities;
}

/** Lets a server answer for them. */
export function offer(server: Server, parts: OfferParts): void {
  server.setRequestHandler('resources/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { resources: [{ ...sqlResource }] };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: templates };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    if (uri === sqlResource.uri)
      return { contents: [{ uri, mimeType: sqlResource.mimeType, text: sqlGuide }] };
    const [, sessionId = '', name = ''] = /^strobe:\/\/session\/([^/]+)\/(\w+)$/.exec(uri) ?? [];
    if (!isSessionResource(name)) throw unknownResource(uri);
    const { tool, request } = sessionResources[name];
    const asked = { ...request, sessionId: decodeURIComponent(sessionId) };
    const outcome = await parts.ask(tool, asked, mcpReq.signal);
    if (!outcome.ok) throw unknownResource(uri, outcome.error.text);
    return { contents: [{ uri, mimeType: 'text/plain', text: outcome.answer.text }] };
  });
  server.setRequestHandler('prompts/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return {
      prompts: prompts.map(({ name, title, description, arguments: args }) => ({
        name,
        title,
        description,
        arguments: args.map((argument) => ({ ...argument })),
      })),
    };
  });
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (!prompt) throw invalid(`There is no prompt "${params.name}".`);
    const given: Readonly<Record<string, string>> = params.arguments ?? {};
    const missing = prompt.arguments.filter(({ name, required }) => required && !given[name]);
    if (missing.length > 0)
      throw invalid(`Prompt ${prompt.name} needs ${missing.map(({ name }) => name).join(', ')}.`);
    const content = { type: 'text' as const, text: prompt.text(given) };
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
  });
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { name: parameter, value: begun } = params.argument;
    const given = params.context?.arguments ?? {};
    const all = await parts.complete({ parameter, begun, given });
    const values = all.slice(0, MOST_COMPLETIONS);
    return { completion: { values, total: all.length, hasMore: all.length > values.length } };
  });
}

/** The lists have one page each, so no cursor is one of theirs. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw invalid(`There is no page "${cursor}".`);
}

function isSessionResource(name: string): name is SessionResource {
  return Object.hasOwn(sessionResources, name);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function unknownResource(uri: string, why?: string): ProtocolError {
  const message = why ?? `There is no resource ${uri}. There is ${sqlResource.uri}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
}
