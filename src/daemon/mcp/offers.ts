import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { sqlGuide } from '../../db/sql/sqlGuide.ts';
import { prompts } from '../../protocol/prompts.ts';
import type { Completing } from '../daemon.ts';
import {
  listedSessions,
  readSessionResource,
  sessionTemplates,
  type AskTool,
} from './sessionResources.ts';

/** What the server offers beside its tools: resources, prompts, and completions for both. */
export interface OfferParts {
  /** Texts that a parameter may have, the likeliest first. */
  complete(asked: Completing): Promise<readonly string[]>;
  readonly ask: AskTool;
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

const capabilities = { resources: {}, prompts: {}, completions: {} };

/** What the server says it can beside tools. */
export function offeredCapabilities(): typeof capabilities {
  return capabilities;
}

/** Lets a server answer for them. */
export function offer(server: Server, parts: OfferParts): void {
  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    const { resources, ...next } = await listedSessions(parts.ask, params?.cursor, mcpReq.signal);
    const first = params?.cursor === undefined ? [{ ...sqlResource }] : [];
    return { resources: [...first, ...resources], ...next };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: [...sessionTemplates] };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    if (uri === sqlResource.uri)
      return { contents: [{ uri, mimeType: sqlResource.mimeType, text: sqlGuide }] };
    const contents = await readSessionResource(parts.ask, uri, mcpReq.signal);
    if (contents === null) throw unknownResource(uri);
    return { contents: [contents] };
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

/** A list of one page has no cursor of its own. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw invalid(`There is no page "${cursor}".`);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function unknownResource(uri: string): ProtocolError {
  const message = `There is no resource ${uri}. There is ${sqlResource.uri}.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
}
